//! Files of each format, written once and kept: Syzygy files, tables of our own, checkpoints. They
//! must stay readable, and the writers must make the same bytes.

use std::path::{Path, PathBuf};

use crate::common::make;
use everymove_kernel::files::Disk;
use everymove_kernel::run::Run;
use everymove_tables::probe::read_position;
use everymove_tables::syzygy::{SyzygyFile, SyzygyFolder, Wdl};
use everymove_tables::{Checkpoint, Metric, Plan, Tables, Value, build};

fn kept(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(folder)
}

fn golden() -> PathBuf {
    kept("syzygy")
}

#[test]
fn golden_files_are_valid() {
    let mut count = 0;
    for entry in std::fs::read_dir(golden()).unwrap() {
        let path = entry.unwrap().path();
        let file = SyzygyFile::open(&path).unwrap();
        let checked = file.check(&Run::serial()).unwrap().unwrap();
        assert!(checked.positions > 0, "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 5);
}

/// Positions whose values every chess player knows.
#[test]
fn golden_files_give_known_values() {
    let folder = SyzygyFolder::new(golden());
    let position = |fen: &str| read_position(fen).unwrap();
    let won = position("8/8/8/8/8/8/1R6/K2k4 w - - 0 1");
    let rook_hangs = position("8/8/8/8/8/8/2R5/K2k4 b - - 0 1");
    assert_eq!(folder.wdl(&won).unwrap(), Wdl::Win);
    assert_eq!(folder.wdl(&rook_hangs).unwrap(), Wdl::Draw);
    // Rh3-h1 mates: one ply.
    let mate_in_one = position("8/8/8/8/8/1K5R/8/1k6 w - - 0 1");
    assert_eq!(folder.dtz(&mate_in_one).unwrap(), 1);
    // Pawn endings: the defender has the opposition, or has not.
    let drawn = position("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1");
    let lost = position("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1");
    assert_eq!(folder.wdl(&drawn).unwrap(), Wdl::Draw);
    assert_eq!(folder.wdl(&lost).unwrap(), Wdl::Loss);
}

/// The files of `syzygy` are from the writer before the one that splits values into the fewest
/// bits.
#[test]
fn the_writer_makes_the_golden_bytes() {
    let made = tempfile::tempdir().unwrap();
    let tables = make(made.path(), &["KPvK", "KRvK", "KBvKN"], 1);
    let mut compared = 0;
    for entry in std::fs::read_dir(kept("syzygy-parsed")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        let own = std::fs::read(tables.folder().join(name)).unwrap();
        assert!(std::fs::read(&path).unwrap() == own, "{}", path.display());
        // Those of an earlier writer, without parsing, are not smaller.
        let earlier = std::fs::read(golden().join(name)).unwrap();
        assert!(own.len() <= earlier.len(), "{}", path.display());
        compared += 1;
    }
    assert_eq!(compared, 5);
}

/// Tables of our own: KQvK and KPvK in plies to mate, KQvK in plies to a zeroing move.
#[test]
fn golden_tables_are_read_and_written_byte_by_byte() {
    let tables = Tables::new(kept("tables-v1"), Metric::Mate);
    let value = |fen: &str| tables.value(&read_position(fen).unwrap()).unwrap();
    assert_eq!(value("8/8/8/8/8/2k5/7Q/K7 w - - 0 1"), Value::Win(11));
    assert_eq!(value("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1"), Value::Draw);
    for (metric, names) in [
        (Metric::Mate, &["KQvK", "KPvK"][..]),
        (Metric::Zeroing, &["KQvK"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let made = Tables::new(folder.path(), metric);
        for name in names {
            let material = name.parse().unwrap();
            build(&Plan::new(material, metric), &made, &Run::serial()).unwrap();
            let file = format!("{name}.{}", metric.extension());
            let [old, new] = [kept("tables-v1"), folder.path().into()]
                .map(|f: PathBuf| std::fs::read(f.join(&file)).unwrap());
            assert!(old == new, "{file}");
        }
    }
}

/// Builds an ending from the kept checkpoint; `change` may change its data first.
fn resumed(name: &str, change: impl Fn(&mut Vec<u8>)) -> Result<Vec<u8>, String> {
    let [saved, folder] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    for end in ["data", "journal"] {
        let file = format!("{name}.dtm.{end}");
        let mut bytes = std::fs::read(kept("checkpoint-v3").join(&file)).unwrap();
        if end == "data" {
            change(&mut bytes);
        }
        std::fs::write(saved.path().join(&file), bytes).unwrap();
    }
    let tables = Tables::new(folder.path(), Metric::Mate);
    let plan = Plan {
        checkpoint: Some(Checkpoint::new(Disk::new(saved.path()))),
        ..Plan::new(name.parse().unwrap(), Metric::Mate)
    };
    build(&plan, &tables, &Run::serial()).map_err(|e| e.to_string())?;
    Ok(std::fs::read(folder.path().join(format!("{name}.dtm"))).unwrap())
}

#[test]
fn golden_checkpoints_are_resumed() {
    for name in ["KQvK", "KPvK"] {
        let whole = std::fs::read(kept("tables-v1").join(format!("{name}.dtm"))).unwrap();
        assert!(resumed(name, |_| ()) == Ok(whole), "{name}");
        // Were the checkpoint ignored, damage would not be noticed.
        let damaged = resumed(name, |bytes| bytes[0] ^= 1).unwrap_err();
        assert!(damaged.contains(&format!("{name}.dtm.data")), "{damaged}");
    }
}
