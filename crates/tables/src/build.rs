//! Making tables: an ending and every ending it leads to, smallest first.

use everymove_kernel::files::{Disk, publish, sweep};
use everymove_kernel::run::{OverBudget, Run, Work};

use crate::format::{Writer, file_name};
use crate::library::{TableError, Tables};
use crate::material::{Half, Material};
use crate::metric::Metric;
use crate::pawns::PawnMaker;
use crate::pieces::PieceMaker;
use crate::schedule::{Schedule, Traffic};

/// The program itself, stacks and buffers, in bytes.
pub(crate) const PROGRAM: u64 = 4 << 20;

/// What is made, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The ending.
    pub material: Material,
    /// What the distances count.
    pub metric: Metric,
    /// How the work is cut up.
    pub schedule: Schedule,
    /// Whether what is kept in files for lack of memory is dropped from the operating system's cache after each pass: slower,
    /// and what a measurement of disks wants.
    pub uncached: bool,
}

/// What was made.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// The tables made, in order; those that were there already are not among them.
    pub made: Vec<Material>,
    /// The tables that were there.
    pub found: Vec<Material>,
    /// What it cost: `positions` (of both sides to move), `wins` and `losses` found (with each number of a position).
    pub work: Work,
    /// What the last table's generation moved between far and near memory.
    pub traffic: Traffic,
}

/// Makes the table of an ending and those it needs, as far as they are not in the folder.
///
/// Each file is whole or not there; killed at any moment, the same call again goes on and ends with the same bytes.
///
/// # Errors
/// [`TableError`] if the folder cannot be used, a table that is needed is damaged, or the run is stopped or too small.
pub fn build(plan: &Plan, tables: &Tables, run: &Run) -> Result<Built, TableError> {
    let disk = Disk::exclusive(tables.folder())?;
    sweep(&disk)?;
    let mut built = Built::default();
    require(plan, tables, run)?;
    for material in plan.material.closure() {
        if tables.has(&material) {
            // Opened here so that a damaged file is refused before hours are spent.
            tables.reader(&material)?;
            built.found.push(material);
            continue;
        }
        run.progress.start(format!("{material}"), 0);
        let name = file_name(&material, plan.metric);
        built.traffic = publish(&disk, &name, |draft| {
            let mut writer = Writer::new(draft, &material, plan.metric)?;
            let mut traffic = Traffic::default();
            for half in material.halves() {
                let maker = Maker {
                    half: &half,
                    plan,
                    tables,
                    run,
                };
                traffic.merge(&maker.make(&mut writer, &mut built.work)?);
            }
            writer.finish()?;
            Ok::<_, TableError>(traffic)
        })?;
        built.made.push(material);
    }
    Ok(built)
}

/// Refuses a budget that is too small for one of the tables to be made, before any of them is.
fn require(plan: &Plan, tables: &Tables, run: &Run) -> Result<(), OverBudget> {
    match least(plan, tables, run) {
        Some((need, what)) => run.ram.require(&what, need),
        None => Ok(()),
    }
}

/// The fewest bytes of memory that the tables to be made can be made in.
pub fn least_bytes(plan: &Plan, tables: &Tables) -> u64 {
    least(plan, tables, &Run::serial()).map_or(0, |(need, _)| need)
}

/// The half that needs most, and how much.
fn least(plan: &Plan, tables: &Tables, run: &Run) -> Option<(u64, String)> {
    let missing = plan.material.closure();
    let missing = missing.iter().filter(|material| !tables.has(material));
    let halves = missing.flat_map(Material::halves);
    let needs = halves.map(|half| {
        let maker = Maker {
            half: &half,
            plan,
            tables,
            run,
        };
        (maker.least(), half.to_string())
    });
    needs.max()
}

/// Makes one half of a table.
struct Maker<'a> {
    half: &'a Half,
    plan: &'a Plan,
    tables: &'a Tables,
    run: &'a Run,
}

impl Maker<'_> {
    /// Bytes without which the half cannot be made.
    fn least(&self) -> u64 {
        if self.tables.space(self.half).pawns > 0 {
            self.with_pawns().least()
        } else {
            self.with_pieces().least()
        }
    }

    fn with_pawns(&self) -> PawnMaker<'_> {
        PawnMaker::new(self.half, self.plan.metric, self.tables, self.run)
    }

    fn with_pieces(&self) -> PieceMaker<'_> {
        PieceMaker::new(self.half, self.plan, self.tables, self.run)
    }

    fn make(&self, writer: &mut Writer<'_>, work: &mut Work) -> Result<Traffic, TableError> {
        let space = self.tables.space(self.half);
        work.add("positions", 2 * space.len() as u64);
        if space.pawns > 0 {
            self.with_pawns().make(writer, work)
        } else {
            self.with_pieces().make(writer, work)
        }
    }
}
