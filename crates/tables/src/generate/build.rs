//! Builds the table of an ending and of every ending it leads to, smallest first.

use std::collections::BTreeMap;

use everymove_kernel::files::{Storage, publish, remove_stale_drafts};
use everymove_kernel::run::{OverBudget, Run, Work};

use crate::error::TableError;
use crate::generate::fifty::FiftyBuilder;
use crate::generate::pawnless::PawnlessBuilder;
use crate::generate::plan::Plan;
use crate::generate::schedule::Traffic;
use crate::generate::with_pawns::PawnBuilder;
use crate::position::material::{Half, Material};
use crate::store::directory::Tables;
use crate::store::folder_use::FolderUse;
use crate::store::format::{Writer, file_name};

/// The result of a build.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// The tables that were made, in order, without those that existed.
    pub made: Vec<Material>,
    /// The tables that existed.
    pub found: Vec<Material>,
    /// Counters: `positions` (indices of both sides to move), `wins` and `losses` (counted by
    /// index).
    pub work: Work,
    /// Data moved by the generation of the last table.
    pub traffic: Traffic,
}

/// Builds the table of an ending and those it needs, as far as the directory does not have them.
///
/// A file is either complete or absent: after a crash at any instant, the same call resumes and
/// ends with the same bytes.
///
/// # Errors
/// [`TableError`] if the directory cannot be used, a table that is needed is damaged, the memory
/// budget is too small, or the run is stopped.
pub fn build(plan: &Plan, tables: &Tables, run: &Run) -> Result<Built, TableError> {
    // Refused before the directory is created.
    plan.require(tables, run)?;
    build_endings(&plan.material.closure(), plan, tables, run)
}

/// Builds the missing tables of some endings, each of which comes after those it leads to, as far
/// as these are missing. The plan's own ending is not used. The memory is not compared with the
/// budget before.
pub(crate) fn build_endings(
    endings: &[Material],
    plan: &Plan,
    tables: &Tables,
    run: &Run,
) -> Result<Built, TableError> {
    let own = (plan.checkpoint.as_ref()).and_then(|c| c.disk_of(tables.folder()));
    match own {
        Some(disk) => {
            remove_stale_drafts(disk)?;
            build_missing(endings, plan, tables, disk, None, run)
        }
        None => {
            let folder = FolderUse::new(tables.folder(), run)?;
            build_missing(endings, plan, tables, folder.disk(), Some(&folder), run)
        }
    }
}

/// Builds the missing tables of some endings in a storage that no other run uses, or in a folder in
/// which other builds run.
fn build_missing(
    endings: &[Material],
    plan: &Plan,
    tables: &Tables,
    storage: &dyn Storage,
    folder: Option<&FolderUse>,
    run: &Run,
) -> Result<Built, TableError> {
    let mut built = Built::default();
    let tables_in_all = endings.len();
    for (number, material) in (1..).zip(endings.iter().cloned()) {
        let lock = || folder.map(|folder| folder.lock(&file_name(&material, plan.metric), run));
        // Another build may make the table while this one waits.
        let _lock = if tables.has(&material) {
            None
        } else {
            lock().transpose()?
        };
        if tables.has(&material) {
            // Opened here so that a damaged file is refused before hours of work.
            tables.reader(&material)?;
            remove_checkpoints(&material, plan)?;
            built.found.push(material);
            continue;
        }
        if tables_in_all > 1 {
            run.progress
                .part(format!("table {number} of {tables_in_all}"));
        }
        run.progress.start(format!("building {material}"), 0);
        // Decoders of tables that this one may not need.
        tables.clear_cache();
        built.traffic = build_table(&material, plan, tables, storage, run, &mut built.work)?;
        remove_checkpoints(&material, plan)?;
        built.made.push(material);
    }
    run.progress.part("");
    Ok(built)
}

/// Builds one table; those it needs must exist. Checkpoints are kept.
fn build_table(
    material: &Material,
    plan: &Plan,
    tables: &Tables,
    storage: &dyn Storage,
    run: &Run,
    work: &mut Work,
) -> Result<Traffic, TableError> {
    publish(storage, &file_name(material, plan.metric), |draft| {
        let halves = material.halves();
        let largest = halves.iter().map(|half| tables.space(half).len() as u64);
        let largest = largest.max().unwrap_or(0);
        let mut writer = Writer::new(draft, material, plan.metric, largest)?;
        let mut traffic = Traffic::default();
        for half in material.halves() {
            work.add("positions", 2 * tables.space(&half).len() as u64);
            let builder = HalfBuilder::new(&half, plan, tables, run);
            traffic.merge(&builder.build(&mut writer, work)?);
        }
        writer.finish()?;
        Ok(traffic)
    })
}

/// Removes the checkpoints of a table that is complete.
fn remove_checkpoints(material: &Material, plan: &Plan) -> Result<(), TableError> {
    if let Some(checkpoint) = &plan.checkpoint {
        for half in material.halves() {
            checkpoint.remove(&plan.checkpoint_name(&half))?;
        }
    }
    Ok(())
}

impl Plan {
    /// Refuses a memory budget that is too small for one of the tables to be made; creates nothing.
    ///
    /// # Errors
    /// [`OverBudget`] naming the half that needs most.
    pub fn require(&self, tables: &Tables, run: &Run) -> Result<(), OverBudget> {
        match largest_half(&self.material.closure(), self, tables, run) {
            Some((need, what)) => {
                let own = self.material.halves();
                let is_own = own.iter().any(|half| half.to_string() == what);
                run.ram.require(&needed(what, is_own, &self.material), need)
            }
            None => Ok(()),
        }
    }
}

/// Names what does not fit, and the ending that was asked for if that is another one.
pub(crate) fn needed(what: String, is_own: bool, asked: &Material) -> String {
    match is_own {
        true => what,
        false => format!("{what}, which {asked} depends on,"),
    }
}

/// Returns the smallest memory budget, in bytes, in which the missing tables can be made.
pub fn least_bytes(plan: &Plan, tables: &Tables) -> u64 {
    let closure = plan.material.closure();
    largest_half(&closure, plan, tables, &Run::serial()).map_or(0, |(need, _)| need)
}

/// Returns the bytes of the half that needs most of those of some endings whose tables are missing,
/// and its name.
///
/// Once halves with up to two pawns do not fit the budget, those with more pawns are not
/// considered: they need less memory than the halves that their promotions lead to, and their index
/// spaces take time and memory themselves.
pub(crate) fn largest_half(
    endings: &[Material],
    plan: &Plan,
    tables: &Tables,
    run: &Run,
) -> Option<(u64, String)> {
    let missing = endings.iter().filter(|material| !tables.has(material));
    let mut by_pawns: BTreeMap<usize, Vec<Half>> = BTreeMap::new();
    for half in missing.flat_map(Material::halves) {
        let pawns = half.attacker.pawns() + half.defender.pawns();
        by_pawns.entry(pawns.max(2)).or_default().push(half);
    }
    let mut largest = None;
    for halves in by_pawns.values() {
        let needs = halves.iter().map(|half| {
            let builder = HalfBuilder::new(half, plan, tables, run);
            (builder.least_bytes(), half.to_string())
        });
        largest = largest.max(needs.max());
        if let Some((need, _)) = &largest
            && *need > run.ram.left()
        {
            break;
        }
    }
    largest
}

/// Builds one half of a table.
enum HalfBuilder<'a> {
    Fifty(FiftyBuilder<'a>),
    WithPawns(PawnBuilder<'a>),
    Pawnless(PawnlessBuilder<'a>),
}

impl<'a> HalfBuilder<'a> {
    fn new(half: &'a Half, plan: &'a Plan, tables: &'a Tables, run: &'a Run) -> Self {
        if plan.metric.depends_on_clock() {
            Self::Fifty(FiftyBuilder::new(half, plan.metric, tables, run))
        } else if half.attacker.pawns() + half.defender.pawns() > 0 {
            Self::WithPawns(PawnBuilder::new(half, plan, tables, run))
        } else {
            Self::Pawnless(PawnlessBuilder::new(half, plan, tables, run))
        }
    }

    /// Bytes of memory without which the half cannot be made.
    fn least_bytes(&self) -> u64 {
        match self {
            Self::Fifty(builder) => builder.least_bytes(),
            Self::WithPawns(builder) => builder.least_bytes(),
            Self::Pawnless(builder) => builder.least_bytes(),
        }
    }

    fn build(&self, writer: &mut Writer<'_>, work: &mut Work) -> Result<Traffic, TableError> {
        match self {
            Self::Fifty(builder) => builder.build(writer, work),
            Self::WithPawns(builder) => builder.build(writer, work),
            Self::Pawnless(builder) => builder.build(writer, work),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use std::io::Read;
    use std::sync::Arc;

    use everymove_kernel::files::{Disk, Memory};
    use everymove_kernel::run::Ram;

    use crate::generate::{Checkpoint, Schedule};
    use crate::metric::Metric;

    use super::*;

    /// Returns a plan that saves at every opportunity.
    fn saving(material: &Material, schedule: Schedule, folder: &Path) -> Plan {
        let checkpoint = Checkpoint::new(Disk::new(folder)).interval(Duration::ZERO);
        Plan {
            schedule,
            checkpoint: Some(checkpoint),
            ..Plan::new(material.clone(), Metric::Mate)
        }
    }

    /// Returns names and bytes of the checkpoint files of a directory.
    fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        let named = entries.map(|e| (e.file_name().into_string().unwrap(), e.path()));
        let ours = named.filter(|(n, _)| n.ends_with(".data") || n.ends_with(".journal"));
        ours.map(|(name, path)| (name, std::fs::read(path).unwrap()))
            .collect()
    }

    /// Fills a directory with the tables that an ending needs.
    fn with_children(material: &Material, folder: &Path, run: &Run) -> (Tables, Disk) {
        let tables = Tables::new(folder, Metric::Mate);
        for material in material.children() {
            build(&Plan::new(material, Metric::Mate), &tables, run).unwrap();
        }
        (tables, Disk::new(folder))
    }

    /// After a crash at any line of a journal, with whatever data was appended since, the build
    /// resumes to the same bytes.
    fn resumes_after_any_line(name: &str, schedule: Schedule) {
        let material: Material = name.parse().unwrap();
        let [saved, folder] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let run = Run::new(2, Ram::unlimited());
        let (tables, disk) = with_children(&material, folder.path(), &run);
        let plan = saving(&material, schedule, saved.path());
        build_table(&material, &plan, &tables, &disk, &run, &mut Work::default()).unwrap();
        let expected = std::fs::read(tables.path(&material)).unwrap();
        let whole = files(saved.path());
        assert_eq!(whole.len(), 2 * material.halves().len());
        for (journal, bytes) in whole.iter().filter(|(n, _)| n.ends_with(".journal")) {
            let lines: Vec<_> = bytes.split_inclusive(|&b| b == b'\n').collect();
            assert!(lines.len() > 2, "{journal} has {} lines", lines.len());
            let partitions = match schedule {
                Schedule::Leapfrog => vec![1, 2, lines.len() / 2, lines.len()],
                _ => vec![lines.len() / 2],
            };
            for kept in partitions {
                for (name, bytes) in &whole {
                    let path = saved.path().join(name);
                    std::fs::write(&path, bytes).unwrap();
                }
                std::fs::write(saved.path().join(journal), lines[..kept].concat()).unwrap();
                std::fs::remove_file(tables.path(&material)).unwrap();
                build(&plan, &tables, &run).unwrap();
                let same = std::fs::read(tables.path(&material)).unwrap() == expected;
                assert!(same, "{name} {schedule}, {kept} lines of {journal}");
                assert!(files(saved.path()).is_empty(), "what is done is forgotten");
            }
        }
    }

    #[test]
    fn saved_work_resumes_to_the_same_bytes() {
        resumes_after_any_line("KRvKN", Schedule::Leapfrog);
        resumes_after_any_line("KBvKP", Schedule::Leapfrog);
    }

    #[test]
    #[ignore = "takes a minute; cargo xtask long"]
    fn saved_work_resumes_to_the_same_bytes_in_every_schedule() {
        for schedule in Schedule::ALL {
            resumes_after_any_line("KRvKN", schedule);
        }
        resumes_after_any_line("KPvKP", Schedule::Leapfrog);
    }

    /// Writes the checkpoints that `tests/golden.rs` resumes: half the lines of each journal, and
    /// the data up to there. They are kept; run this only for a new version of the format:
    /// `cargo test --release -p everymove-tables --lib golden -- --ignored`.
    #[test]
    #[ignore = "writes the golden files"]
    fn write_golden_checkpoints() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/checkpoint-v3");
        std::fs::create_dir_all(&golden).unwrap();
        for name in ["KQvK", "KPvK"] {
            let material: Material = name.parse().unwrap();
            let [saved, folder] = [(); 2].map(|()| tempfile::tempdir().unwrap());
            let run = Run::serial();
            let (tables, disk) = with_children(&material, folder.path(), &run);
            let plan = saving(&material, Schedule::Leapfrog, saved.path());
            build_table(&material, &plan, &tables, &disk, &run, &mut Work::default()).unwrap();
            for (name, bytes) in files(saved.path()) {
                let Some(half) = name.strip_suffix(".journal") else {
                    continue;
                };
                let lines: Vec<_> = bytes.split_inclusive(|&b| b == b'\n').collect();
                let kept = lines[..lines.len() / 2].concat();
                let text = String::from_utf8(kept.clone()).unwrap();
                let (_, end) = text.rsplit_once("\"end\":").expect("a saved line");
                let end: usize = end.split(',').next().unwrap().parse().unwrap();
                let data = format!("{half}.data");
                let bytes = std::fs::read(saved.path().join(&data)).unwrap();
                std::fs::write(golden.join(&data), &bytes[..end]).unwrap();
                std::fs::write(golden.join(&name), kept).unwrap();
            }
        }
    }

    #[test]
    fn damaged_checkpoints_are_refused_and_those_of_other_schedules_removed() {
        let material: Material = "KRvKN".parse().unwrap();
        let [saved, folder] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let run = Run::new(2, Ram::unlimited());
        let (tables, disk) = with_children(&material, folder.path(), &run);
        let plan = saving(&material, Schedule::Leapfrog, saved.path());
        build_table(&material, &plan, &tables, &disk, &run, &mut Work::default()).unwrap();
        let expected = std::fs::read(tables.path(&material)).unwrap();
        std::fs::remove_file(tables.path(&material)).unwrap();
        let data = saved.path().join("KRvKN.dtm.data");
        let good = std::fs::read(&data).unwrap();
        let mut bad = good.clone();
        bad[good.len() / 2] ^= 1;
        for bytes in [&bad[..], &good[..good.len() / 2]] {
            std::fs::write(&data, bytes).unwrap();
            let error = build(&plan, &tables, &run).unwrap_err().to_string();
            assert!(error.contains("KRvKN.dtm.data"), "{error}");
            assert!(!tables.has(&material));
        }
        // Another schedule produces other lists: the work starts again.
        let other = saving(&material, Schedule::Scan, saved.path());
        build(&other, &tables, &run).unwrap();
        assert!(std::fs::read(tables.path(&material)).unwrap() == expected);
    }

    /// Bytes that were changed before the checksums were made: refused, or they make a table, which
    /// may be another; never a panic.
    #[test]
    fn checkpoints_with_right_checksums_are_checked_for_sense() {
        use everymove_kernel::files::seal;
        use everymove_kernel::rng::SplitMix64;

        for name in ["KRvKN", "KPvK"] {
            let material: Material = name.parse().unwrap();
            let [saved, folder] = [(); 2].map(|()| tempfile::tempdir().unwrap());
            let run = Run::new(2, Ram::unlimited());
            let (tables, disk) = with_children(&material, folder.path(), &run);
            let plan = saving(&material, Schedule::Leapfrog, saved.path());
            build_table(&material, &plan, &tables, &disk, &run, &mut Work::default()).unwrap();
            let expected = std::fs::read(tables.path(&material)).unwrap();
            let journal = saved.path().join(format!("{name}.dtm.journal"));
            let kept = files(saved.path());
            let mut rng = SplitMix64::new(7);
            let mut refused = 0;
            for round in 0..12 {
                for (path, bytes) in &kept {
                    std::fs::write(saved.path().join(path), bytes).unwrap();
                }
                let mut bytes = std::fs::read(&journal).unwrap();
                let digits: Vec<usize> = (0..bytes.len())
                    .filter(|&at| bytes[at].is_ascii_digit())
                    .collect();
                for _ in 0..=rng.below(2) {
                    let at = digits[rng.below(digits.len() as u64) as usize];
                    bytes[at] = b'0' + rng.below(10) as u8;
                }
                seal(&mut bytes);
                std::fs::write(&journal, bytes).unwrap();
                std::fs::remove_file(tables.path(&material)).unwrap_or_default();
                match build(&plan, &tables, &run) {
                    Ok(_) => assert!(tables.has(&material)),
                    Err(error) => {
                        assert!(error.to_string().contains(name), "{round} {error}");
                        refused += 1;
                    }
                }
            }
            assert!(refused > 3, "{name}: {refused}");
            std::fs::write(tables.path(&material), expected).unwrap();
        }
    }

    /// Two builds of endings that need the same tables, in one directory at once, make each of them
    /// once.
    #[test]
    fn two_builds_in_one_directory_share_their_tables() {
        let folder = tempfile::tempdir().unwrap();
        let made = |name: &str| {
            let tables = Tables::new(folder.path(), Metric::Mate);
            let plan = Plan::new(name.parse().unwrap(), Metric::Mate);
            build(&plan, &tables, &Run::serial()).unwrap().made
        };
        let (one, two) = std::thread::scope(|scope| {
            let one = scope.spawn(|| made("KQvKR"));
            let two = scope.spawn(|| made("KRvKR"));
            (one.join().unwrap(), two.join().unwrap())
        });
        let mut all: Vec<_> = one.iter().chain(&two).map(Material::to_string).collect();
        all.sort();
        assert_eq!(all, ["KQvK", "KQvKR", "KRvK", "KRvKR"]);
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let mut files: Vec<_> = entries.map(|e| e.unwrap().file_name()).collect();
        files.sort();
        let expected = ["KQvK.dtm", "KQvKR.dtm", "KRvK.dtm", "KRvKR.dtm", "lock"];
        assert_eq!(files, expected);
        // The same bytes as alone.
        let alone = tempfile::tempdir().unwrap();
        let tables = Tables::new(alone.path(), Metric::Mate);
        let plan = Plan::new("KQvKR".parse().unwrap(), Metric::Mate);
        build(&plan, &tables, &Run::serial()).unwrap();
        for name in ["KQvK.dtm", "KRvK.dtm", "KQvKR.dtm"] {
            let [own, other] = [&folder, &alone].map(|f| std::fs::read(f.path().join(name)));
            assert!(own.unwrap() == other.unwrap(), "{name}");
        }
    }

    /// The machine fails at any operation on the disk, and any part of what was not synced is lost:
    /// the build resumes to the same bytes.
    #[test]
    fn builds_survive_crashes_at_any_operation() {
        for (name, schedule) in [("KRvKN", Schedule::Leapfrog), ("KPvK", Schedule::Scan)] {
            let material: Material = name.parse().unwrap();
            let run = Run::new(2, Ram::unlimited());
            let complete = Memory::default();
            let build_on = |storage: &Memory| {
                let tables = Tables::on(Arc::new(storage.clone()), "memory".into(), Metric::Mate);
                let checkpoint = Checkpoint::on(Arc::new(storage.clone())).interval(Duration::ZERO);
                let plan = Plan {
                    schedule,
                    checkpoint: Some(checkpoint),
                    ..Plan::new(material.clone(), Metric::Mate)
                };
                remove_stale_drafts(storage)?;
                build_missing(
                    &plan.material.closure(),
                    &plan,
                    &tables,
                    storage,
                    None,
                    &run,
                )
                .map(|_| ())
            };
            build_on(&complete).unwrap();
            let operations = complete.operations();
            assert!(operations > 100, "{operations}");
            let mut resumed = 0;
            for crash in 0..8 {
                let mut storage = Memory::default();
                // The first crash anywhere, a second one soon after the restart.
                for operations in [operations * crash / 8, 25] {
                    storage.crash_after(operations);
                    assert!(build_on(&storage).is_err(), "{name}: crash {crash}");
                    storage = storage.image(crash);
                    let names = storage.list().unwrap();
                    resumed += usize::from(names.iter().any(|name| name.ends_with(".data")));
                }
                build_on(&storage).unwrap();
                let read = |storage: &Memory, name: &str| {
                    let mut bytes = Vec::new();
                    storage.open(name).unwrap().read_to_end(&mut bytes).unwrap();
                    bytes
                };
                assert_eq!(storage.list().unwrap(), complete.list().unwrap());
                for name in complete.list().unwrap() {
                    assert!(
                        read(&storage, &name) == read(&complete, &name),
                        "{crash}: {name}"
                    );
                }
            }
            assert!(resumed > 4, "{name}: {resumed} of 16 had a checkpoint");
        }
    }
}
