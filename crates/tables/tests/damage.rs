//! Files whose bytes were changed and whose checksums were made right again: refused, or read as
//! what they then say. What the fuzz targets found has a test here.

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Run, Work};
use everymove_tables::probe::read_position;
use everymove_tables::stats::{Counting, stats};
use everymove_tables::syzygy::{SyzygyFile, SyzygyFolder, seal, write};
use everymove_tables::{Material, Metric, Plan, Tables, build};
use xxhash_rust::xxh3::xxh3_64;

const HEADER: usize = 64;
const TRAILER: usize = 32;

fn make(name: &str, folder: &std::path::Path, metric: Metric) -> Tables {
    let tables = Tables::new(folder, metric);
    let plan = Plan::new(name.parse().unwrap(), metric);
    build(&plan, &tables, &Run::serial()).unwrap();
    tables
}

fn number(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

/// Makes the checksums of a table's header, index and end right.
fn seal_own(bytes: &mut [u8]) {
    let end = bytes.len() - TRAILER;
    let index = number(bytes, end);
    let mut put = |range: std::ops::Range<usize>, at: usize| {
        let sum = xxh3_64(&bytes[range]).to_le_bytes();
        bytes[at..at + 8].copy_from_slice(&sum);
    };
    put(0..HEADER - 8, HEADER - 8);
    put(index..end, end + 16);
    put(end..end + 24, end + 24);
}

/// What is read of a folder's table of queen against king.
fn read(folder: &std::path::Path, metric: Metric) -> Result<(), String> {
    let tables = Tables::new(folder, metric);
    let material: Material = "KQvK".parse().unwrap();
    let position = read_position("8/8/8/8/8/2k5/7Q/K7 w - - 0 1").unwrap();
    let said = |e: everymove_tables::TableError| e.to_string();
    tables.probe(&position, 0).map_err(said)?;
    stats(&material, &tables, Counting::Positions, &Run::serial()).map_err(said)?;
    Ok(())
}

#[test]
fn a_table_with_another_endings_numbers_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let tables = make("KPvK", folder.path(), Metric::Mate);
    let mut bytes = std::fs::read(tables.path(&"KPvK".parse().unwrap())).unwrap();
    bytes[16..20].copy_from_slice(b"KQvK");
    seal_own(&mut bytes);
    std::fs::write(folder.path().join("KQvK.dtm"), &bytes).unwrap();
    let said = read(folder.path(), Metric::Mate).unwrap_err();
    assert!(
        said.contains("KQvK.dtm") && said.contains("numbers"),
        "{said}"
    );
}

#[test]
fn codes_beyond_the_largest_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let tables = make("KQvK", folder.path(), Metric::Zeroing);
    let path = tables.path(&"KQvK".parse().unwrap());
    let whole = std::fs::read(&path).unwrap();
    let index = number(&whole, whole.len() - TRAILER);
    for (largest, part) in [([3, 0], "beyond the largest"), ([255, 255], "contradicts")] {
        let mut bytes = whole.clone();
        bytes[index + 12..index + 14].copy_from_slice(&largest);
        seal_own(&mut bytes);
        std::fs::write(&path, &bytes).unwrap();
        let said = read(folder.path(), Metric::Zeroing).unwrap_err();
        assert!(said.contains("KQvK.dtz") && said.contains(part), "{said}");
    }
}

/// Thousands of changes at random; that none makes a reader panic is what is tested.
#[test]
fn changed_syzygy_files_are_refused_or_read() {
    let folder = tempfile::tempdir().unwrap();
    let tables = make("KPvK", folder.path(), Metric::Zeroing);
    let run = Run::serial();
    for material in "KPvK".parse::<Material>().unwrap().closure() {
        write(&material, &tables, &run, &mut Work::default()).unwrap();
    }
    let mut whole = SyzygyFolder::new(folder.path());
    let mut rng = SplitMix64::new(1);
    let (mut refused, mut fine) = (0, 0);
    for (name, fen) in [
        ("KQvK.rtbw", "8/8/8/8/8/2k5/7Q/K7 b - - 0 1"),
        ("KQvK.rtbz", "8/8/8/8/8/2k5/7Q/K7 w - - 0 1"),
        ("KPvK.rtbw", "8/8/8/8/8/1k6/7P/7K w - - 0 1"),
        ("KPvK.rtbz", "8/8/8/8/8/1k6/7P/7K w - - 0 1"),
    ] {
        let position = read_position(fen).unwrap();
        let bytes = std::fs::read(folder.path().join(name)).unwrap();
        for _ in 0..1500 {
            let mut changed = bytes.clone();
            let reach = [24, 200, bytes.len()][rng.below(3) as usize].min(bytes.len());
            for _ in 0..1 + rng.below(3) {
                changed[rng.below(reach as u64) as usize] = rng.below(256) as u8;
            }
            seal(&mut changed);
            let Ok(file) = SyzygyFile::parse(changed) else {
                refused += 1;
                continue;
            };
            fine += usize::from(file.check(&run).unwrap().is_ok());
            whole.insert(file);
            let _ = whole.probe(&position);
        }
        whole.insert(SyzygyFile::parse(bytes).unwrap());
    }
    assert!(refused > 100 && fine > 100, "{refused} {fine}");
}

/// Found by the fuzz target `syzygy`: sixteen bytes, which are a checksum of nothing.
#[test]
fn a_checksum_of_nothing_is_left_alone() {
    for length in 0..32 {
        let mut bytes = vec![0xd7; length];
        seal(&mut bytes);
        assert!(SyzygyFile::parse(bytes).is_err());
    }
}
