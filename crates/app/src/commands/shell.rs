//! Files for the shell and for programs: completions, manual pages, the JSON Schema.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use everymove_kernel::files::{FileError, Output};

use crate::answer::Outcome;
use crate::args::command_line;
use crate::failure::Failure;
use crate::session::Session;

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
    /// The directory for the pages; it is created if it is missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(crate) fn completions(args: &Completions, session: &Session) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    let mut command = with_names(command_line());
    clap_complete::generate(args.shell, &mut command, "everymove", &mut script);
    let mut out = session.out();
    out.write_all(&script)?;
    out.flush()?;
    Ok(Outcome::Yes)
}

/// Boards whose names have a size, in the sizes that are asked for most.
const SIZED: [&str; 5] = [
    "cracker-barrel",
    "square6x6",
    "triangle4",
    "triangle5",
    "triangle6",
];

/// The same commands, where arguments that are names are completed: boards of peg solitaire,
/// experiments, endings. Only for completions: the arguments also take what is not in these lists.
fn with_names(command: clap::Command) -> clap::Command {
    let named = everymove_pegs::NAMED.iter().map(|board| board.name);
    let boards: Vec<_> = named.chain(SIZED).collect();
    let experiments = everymove_lab::experiments().iter().map(|e| e.name);
    let experiments: Vec<_> = ["quick", "all"].into_iter().chain(experiments).collect();
    command
        .mut_subcommand("pegs", |pegs| complete(pegs, "board", &boards))
        .mut_subcommand("lab", |lab| complete(lab, "name", &experiments))
        .mut_subcommand("tables", |tables| complete(tables, "material", &endings()))
}

/// Gives the positional argument `name` of every subcommand its possible values.
fn complete(group: clap::Command, name: &str, values: &[&'static str]) -> clap::Command {
    let subs: Vec<_> = group
        .get_subcommands()
        .map(|sub| sub.get_name().to_owned())
        .collect();
    subs.into_iter().fold(group, |group, sub| {
        group.mut_subcommand(sub, |sub| {
            let has = sub.get_positionals().any(|arg| arg.get_id() == name);
            match has {
                true => sub.mut_arg(name, |arg| {
                    arg.value_parser(PossibleValuesParser::new(values.to_vec()))
                }),
                false => sub,
            }
        })
    })
}

/// The endings of three and four men.
fn endings() -> Vec<&'static str> {
    let men = ['Q', 'R', 'B', 'N', 'P'];
    let mut names = Vec::new();
    for (i, &first) in men.iter().enumerate() {
        names.push(format!("K{first}vK"));
        for &second in &men[i..] {
            names.push(format!("K{first}{second}vK"));
            names.push(format!("K{first}vK{second}"));
        }
    }
    // Clap takes names that live as long as the program.
    names.into_iter().map(|name| &*name.leak()).collect()
}

/// `everymove schema`.
pub(crate) fn schema(session: &Session) -> Result<Outcome, Failure> {
    let mut out = session.out();
    let document = everymove_api::catalogue::document();
    serde_json::to_writer_pretty(&mut out, &document).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(Outcome::Yes)
}

pub(crate) fn man(args: &Man) -> Result<Outcome, Failure> {
    let mut cli = command_line();
    cli.build();
    std::fs::create_dir_all(&args.out)
        .map_err(|e| FileError::io("create", args.out.display().to_string(), e))?;
    page(&cli, &args.out)?;
    Ok(Outcome::Yes)
}

/// Writes the page of a command, named like `everymove-tours-count.1`, and those of its
/// subcommands.
fn page(command: &clap::Command, folder: &std::path::Path) -> Result<(), Failure> {
    let manual = clap_mangen::Man::new(command.clone());
    let output = Output::prepare(folder.join(manual.get_filename()))?;
    let mut text = Vec::new();
    manual.render(&mut text)?;
    output.publish(|draft| draft.put(&text))?;
    for sub in command
        .get_subcommands()
        .filter(|sub| sub.get_name() != "help")
    {
        page(sub, folder)?;
    }
    Ok(())
}
