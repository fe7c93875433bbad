//! Tables in files: looked up, verified, damaged.

use everymove_fairy::ending::{Ending, Rules, read_board, usual};
use everymove_fairy::position::{Folder, Placement, Position};
use everymove_fairy::store::{build, check, file_name, missing};
use everymove_fairy::verify::verify;
use everymove_fairy::{FairyError, Value};
use everymove_kernel::run::{Ram, Run};

use crate::truth::ending;

/// Every kind of move and every rule, as rows of known values name them.
const KINDS: &[[&str; 4]] = &[
    ["5x4", "K,WfF,flN", "K", "stalemate=draw bare=none dtm"],
    ["5x5", "K,fhNbrR", "K,vrWfF", "stalemate=draw bare=none dtm"],
    ["5x5", "K,pR", "K,nN", "stalemate=loss bare=none dtm"],
    ["4x5", "mKcN,Q", "K,nA", "stalemate=win bare=none dtc"],
    ["5x5", "K,gQ", "K,mRcpR", "stalemate=draw bare=none dtc"],
    ["5x4", "K,A", "K,W", "stalemate=draw bare=shatranj dtm"],
    ["4x4", "K,F", "N,(1,3)", "stalemate=draw bare=loss dtm"],
    ["5x5", "K,flFbrFW,fsN", "K", "stalemate=draw bare=none dtm"],
    ["5x4", "K,NN2,lfN", "K", "stalemate=draw bare=none dtm"],
    ["4x4", "K,N,N", "K,fAsW", "stalemate=draw bare=none dtm"],
];

#[test]
fn every_value_follows_from_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::new(2, Ram::unlimited());
    for [board, white, black, rules] in KINDS {
        let ending = ending(board, white, black, rules);
        build(&ending, folder.path(), &run).unwrap();
        for smaller in ending.closure() {
            let path = folder.path().join(file_name(&smaller));
            let verified = verify(&path, &run).unwrap();
            assert_eq!(verified.wrong, None, "{board} {white} {black} {rules}");
            assert!(verified.positions > 10);
        }
    }
}

#[test]
fn a_table_is_the_same_for_any_number_of_threads() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let ending = ending("6x5", "K,WfF", "K,N", "stalemate=draw bare=none dtm");
    let files = [1, 3].map(|threads| {
        let folder = folders[threads / 2].path();
        let built = build(&ending, folder, &Run::new(threads, Ram::unlimited())).unwrap();
        assert_eq!(built.made.len(), 4);
        std::fs::read(folder.join(file_name(&ending))).unwrap()
    });
    assert!(files[0] == files[1]);
    let built = build(&ending, folders[0].path(), &Run::serial()).unwrap();
    assert_eq!((built.made.len(), built.found.len()), (0, 4));
}

#[test]
fn wrong_values_are_found() {
    // The definitions say bishop, the values are those of a rook.
    let folder = tempfile::tempdir().unwrap();
    let make = |letter: char| {
        let king = || usual('K').unwrap();
        let define = |_| usual(letter);
        let board = read_board("4x4").unwrap();
        Ending::new(board, "KXvK", [king(), king()], define, Rules::default()).unwrap()
    };
    let run = Run::serial();
    for letter in ['R', 'B'] {
        build(&make(letter), folder.path(), &run).unwrap();
    }
    let path = folder.path().join(file_name(&make('R')));
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes
        .windows(10)
        .position(|part| part == b"white R R\n")
        .unwrap();
    bytes[at + 8] = b'B';
    everymove_kernel::files::seal(&mut bytes);
    std::fs::write(&path, &bytes).unwrap();
    let verified = verify(&path, &run).unwrap();
    assert!(verified.wrong.unwrap().contains("follows from the moves"));
    let again = build(&make('R'), folder.path(), &run).unwrap_err();
    assert!(again.to_string().contains("another ending"), "{again}");
    let whole = bytes.len();
    bytes[whole / 2] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(check(&path, &run), Err(FairyError::File(_))));
}

#[test]
fn positions_have_values_moves_and_lines() {
    let folder = tempfile::tempdir().unwrap();
    let ending = ending("6x5", "K,R", "K,N", "stalemate=draw bare=none dtm");
    build(&ending, folder.path(), &Run::serial()).unwrap();
    let mut letters = ending.clone();
    for man in &mut letters.men {
        man.definition.letter = if man.side == 0 { 'R' } else { 'N' };
    }
    // The file is found by what it holds, but its name has the letters.
    build(&letters, folder.path(), &Run::serial()).unwrap();
    let text = "2k3/6/2K3/6/R4n w";
    let placement = Placement::read(text).unwrap();
    assert_eq!(placement.material(), "KRvKN");
    let position = Position::new(&letters, &placement).unwrap();
    assert_eq!(position.text(), text);
    let mut tables = Folder::new(folder.path());
    let run = Run::serial();
    // Ra1xf1 wins the knight, Ra1-a5 mates.
    assert_eq!(tables.value(&position).unwrap(), Some(Value::Win(1)));
    let moves = tables.moves(&position).unwrap();
    assert_eq!((&*moves[0].text, &*moves[0].squares), ("Ra1-a5", "a1a5"));
    assert!(moves.iter().any(|choice| choice.text == "Ra1xf1"));
    let line = tables.line(&position, 9, &run).unwrap();
    assert_eq!(line.len(), 1);
    for (text, part) in [
        ("", "missing"),
        ("6/6", "side to move"),
        ("6/5 w", "equally long"),
        ("6/k4! w", "letters"),
        ("8/8 w", "a K of White"),
        ("k7/8 b", "a K of White"),
        ("/ w", "no squares"),
    ] {
        let error = Placement::read(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn memory_is_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tables");
    let ending = ending("10x10", "K,R", "K,N", "stalemate=draw bare=none dtm");
    let sizes = missing(&ending, &path, 1).unwrap();
    let names = sizes.iter().map(|size| &*size.ending).collect::<Vec<_>>();
    assert_eq!(names, ["KvK", "KvKB", "KAvK", "KAvKB"]);
    // Pairs of squares of the kings up to symmetry, and the squares of two men.
    assert_eq!(sizes[3].positions, 2 * 1170 * 100 * 100);
    let need = sizes.iter().map(|size| size.memory).max().unwrap();
    assert!((11 << 20..16 << 20).contains(&need), "{need}");
    let error = build(&ending, &path, &Run::new(1, Ram::limited(need - 1))).unwrap_err();
    assert!(matches!(error, FairyError::OverBudget(_)));
    assert!(!path.exists());
}
