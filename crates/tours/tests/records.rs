//! The journals in `data/`: complete, and in agreement with themselves and with each other.

use std::fs;
use std::path::Path;

use everymove_tours::frontier::classes::summary;
use num_bigint::BigUint;

/// Undirected open tours of the 9x9 board, as counted by classes (docs/records.md).
const OPEN_9X9: &str = "7299281878529687656536";

#[test]
fn open_tours_of_the_9x9_board() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/9x9-open");
    let summary = summary(&folder).unwrap();
    assert_eq!(summary.question, "9x9 open tours");
    assert_eq!((summary.finished, summary.classes), (162, 162));
    assert_eq!(summary.undirected.to_string(), OPEN_9X9);
    // A path of the board is fixed by no reflection and no quarter turn, so that orbits have four
    // or eight tours.
    assert_eq!(&summary.undirected % 4u32, BigUint::ZERO);

    // Slots 1 to 9 of the middle are the row in the centre of the board. Turning a tour upside down
    // exchanges its edges up and down there, and a tour ends on squares of the majority colour
    // only. The first half has one direction alone of the two by which a square and its mirror
    // image can be reached, so that the two are taken together.
    let degree = |slot: usize, degree: usize| &summary.by_degree[slot][degree];
    let both = |slot: usize, d: usize| degree(slot, d) + degree(10 - slot, d);
    for slot in [2, 4, 6, 8] {
        assert_eq!(both(slot, 0), both(slot, 2), "slot {slot}");
    }
    // On squares of the majority colour degree 0 is more frequent, by the tours that end there.
    for slot in [1, 3, 5] {
        assert!(both(slot, 0) > both(slot, 2), "slot {slot}");
    }
}

/// A second run, with layers on disk and facing blocks joined in portions, found the same sums,
/// parts by degree, states and transitions of every class (docs/records.md). The order of its lines
/// is its own.
#[test]
fn two_runs_of_9x9_agree() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let [first, second] = ["9x9-open", "9x9-open-on-disk"].map(|folder| {
        let text = fs::read_to_string(data.join(folder).join("classes.journal")).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    });
    assert_eq!(first.len(), 163, "a head and 162 classes");
    assert_eq!(first, second);
    assert_eq!(
        summary(&data.join("9x9-open-on-disk"))
            .unwrap()
            .undirected
            .to_string(),
        OPEN_9X9
    );
}
