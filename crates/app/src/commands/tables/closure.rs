//! `everymove tables closure`: what an ending needs.

use everymove_tables::Material;

use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tables closure`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The ending, for example KRPvKR
    #[arg(value_name = "MATERIAL")]
    material: String,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let material: Material = args.material.parse().map_err(Failure::input)?;
    let closure: Vec<_> = material.closure().iter().map(Material::to_string).collect();
    let lines: String = closure.iter().map(|name| format!("{name}\n")).collect();
    Answer::new("tables closure", Outcome::Yes)
        .field("material", material.to_string())
        .field("closure", closure)
        .bare(lines.clone())
        .text(lines)
        .show(session)
}
