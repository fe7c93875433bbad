//! `everymove tables build`: an ending's table and those it needs.

use std::path::PathBuf;

use everymove_kernel::files::Disk;
use everymove_tables::stats::{Counting, stats};
use everymove_tables::{Checkpoint, Material, Metric, Plan, Schedule, Tables, build, syzygy};

use super::{counts, failure};
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove tables build`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The ending, for example KRBvKR
    #[arg(value_name = "MATERIAL")]
    material: String,
    /// Where the tables go, and where those that are there already are found
    #[arg(long, value_name = "DIR", default_value = "tables")]
    out: PathBuf,
    /// dtm (plies to mate) or dtz (plies to a capture or pawn move, fifty-move rule) [default: dtm, or dtz with --syzygy]
    #[arg(long, value_name = "METRIC")]
    metric: Option<String>,
    /// Also write Syzygy files (.rtbw, .rtbz) of the ending and of all it needs, for other chess programs
    #[arg(long)]
    syzygy: bool,
    /// How the work is cut up: leapfrog, rootsplit, subcycles or scan; the tables are the same
    #[arg(long, value_name = "SCHEDULE", default_value = "leapfrog")]
    schedule: String,
    /// Save the work on an unfinished table in this directory, and go on from what is there
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Do not count what the table holds
    #[arg(long)]
    no_stats: bool,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let material: Material = args.material.parse().map_err(Failure::input)?;
    let metric = metric(args)?;
    let schedule: Schedule = args.schedule.parse().map_err(Failure::input)?;
    let folder = args.checkpoint.as_ref().map(Disk::exclusive).transpose()?;
    let plan = Plan {
        schedule,
        checkpoint: folder.map(Checkpoint::new),
        ..Plan::new(material.clone(), metric)
    };
    let tables = Tables::new(&args.out, metric);
    // A table that is there already is the answer, and is compared with its checksums; those it is made from are when they
    // are read.
    if tables.has(&material) {
        session
            .work(|run| tables.scrub(&material, run))
            .map_err(|e| failure(e))?;
    }
    if args.syzygy {
        syzygy::require(&material, &tables, &session.run).map_err(|e| failure(e.into()))?;
    }
    let built = session
        .work(|run| build(&plan, &tables, run))
        .map_err(|e| failure(e))?;
    let names = |list: &[Material]| list.iter().map(Material::to_string).collect::<Vec<_>>();
    let subs: Vec<_> = (material.closure().iter())
        .filter(|&m| *m != material)
        .map(Material::to_string)
        .collect();
    let mut answer = Answer::new("tables build", Outcome::Yes)
        .field("material", material.to_string())
        .field("sub_tables", subs)
        .field("metric", metric.to_string())
        .field("schedule", schedule.to_string())
        .field("made", names(&built.made))
        .field("found", names(&built.found))
        .field("file", tables.path(&material).display().to_string());
    let mut text = match built.made.len() {
        0 => format!("{} was there already\n", tables.path(&material).display()),
        1 => format!("made {}\n", tables.path(&material).display()),
        n => format!(
            "made {} and {} tables it needs\n",
            tables.path(&material).display(),
            n - 1
        ),
    };
    if !args.no_stats {
        let stats = session
            .work(|run| stats(&material, &tables, Counting::Positions, run))
            .map_err(|e| failure(e))?;
        text += &counts::text(&stats, metric);
        answer = answer
            .field("white_to_move", counts::object(&stats.white, metric))
            .field("black_to_move", counts::object(&stats.black, metric));
    }
    let mut work = built.work;
    if args.syzygy {
        let mut made = Vec::new();
        for material in material.closure() {
            let files = session
                .work(|run| syzygy::write(&material, &tables, run, &mut work))
                .map_err(|e| failure(e))?;
            made.extend(files);
        }
        text += &format!("made {} Syzygy files\n", made.len());
        answer = answer.field("syzygy", made);
    }
    // The bare answer is the file, whether it was made now or found.
    let bare = format!("{}\n", tables.path(&material).display());
    answer.bare(bare).text(text).work(&work).show(session)
}

fn metric(args: &Args) -> Result<Metric, Failure> {
    let metric = match &args.metric {
        Some(text) => text.parse().map_err(Failure::input)?,
        None if args.syzygy => Metric::Zeroing,
        None => Metric::Mate,
    };
    if args.syzygy && metric != Metric::Zeroing {
        return Err(Failure::Input(format!(
            "Syzygy files tell plies to zeroing moves, not {metric}: expected --metric dtz"
        )));
    }
    Ok(metric)
}
