//! What a shell wants to know of the program: completions and manual pages.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use everymove_kernel::files::Output;

use crate::answer::Outcome;
use crate::args::Cli;
use crate::failure::Failure;

/// `everymove completions`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// `everymove man`.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Where the pages go; the directory must exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(crate) fn completions(args: &Completions) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "everymove", &mut script);
    io::stdout().write_all(&script)?;
    Ok(Outcome::Yes)
}

/// `everymove schema`.
pub(crate) fn schema() -> Result<Outcome, Failure> {
    let mut out = io::stdout().lock();
    let document = everymove_api::schema::document();
    serde_json::to_writer_pretty(&mut out, &document).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(Outcome::Yes)
}

pub(crate) fn man(args: &Man) -> Result<Outcome, Failure> {
    let mut command = Cli::command();
    command.build();
    page(&command, &args.out)?;
    Ok(Outcome::Yes)
}

/// The page of a command and those of its subcommands, named as `git-log` is.
fn page(command: &clap::Command, folder: &std::path::Path) -> Result<(), Failure> {
    let page = clap_mangen::Man::new(command.clone());
    let output = Output::prepare(folder.join(page.get_filename()))?;
    let mut text = Vec::new();
    page.render(&mut text)?;
    output.publish(|draft| draft.put(&text))?;
    for sub in command
        .get_subcommands()
        .filter(|sub| sub.get_name() != "help")
    {
        page_of_sub(sub, folder)?;
    }
    Ok(())
}

fn page_of_sub(command: &clap::Command, folder: &std::path::Path) -> Result<(), Failure> {
    page(command, folder)
}
