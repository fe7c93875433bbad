//! Bad input: one clear line that says what was expected, the exit code, nothing written.

use std::fs;

use crate::run_in;

/// Words, exit code, and what the line must say.
const CASES: &[(&str, i32, &[&str])] = &[
    ("tours count 0x5", 2, &["0x5", "at least 1"]),
    ("tours count 8y8", 2, &["'8y8' is not a board", "8x8"]),
    ("tours count 99999999x99999999", 2, &["more than"]),
    (
        "tours list 8x8 --start z9",
        2,
        &["z9", "outside the 8x8 board", "a1 to h8"],
    ),
    (
        "tours list 5x5 --start 3c",
        2,
        &["'3c' is not a square", "for example c3"],
    ),
    ("tours list 5x5 --holes c3 --start c3", 2, &["c3 is a hole"]),
    ("tours count 5x5 --holes z9", 2, &["z9", "outside"]),
    (
        "tours count 1x2 --holes a1,b1",
        2,
        &["every square", "hole"],
    ),
    (
        "tours count 5x5 --leaper 1",
        2,
        &["'1' is not a leaper", "1,2"],
    ),
    ("tours count 5x5 --leaper 0,0", 2, &["never moves"]),
    (
        "tours count 5x5 --piece rook",
        2,
        &["'rook' has no tours", "it rides", "expected leaps"],
    ),
    ("tours find 8x8 --piece nN", 2, &["must be vacant"]),
    ("tours list 8x8 --piece cannon", 2, &["jumps over men"]),
    ("tours sample 8x8 --piece fN", 2, &["all directions"]),
    ("tours exists 8x8 --piece mN", 2, &["mode m or c"]),
    ("tours verify - --piece kign", 2, &["did you mean king?"]),
    (
        "tours find 8x8 --piece K --leaper 0,1",
        2,
        &["one piece", "not both"],
    ),
    ("tours count 21x21 --piece K", 2, &["too wide", "search"]),
    (
        "tours count 5x5 --method guess",
        2,
        &["'guess'", "auto, search, frontier"],
    ),
    ("pieces show BNx", 2, &["column 3", "'x'"]),
    ("pieces show knigth", 2, &["did you mean knight?"]),
    (
        "pieces potential BNx",
        2,
        &["'BNx' is not a piece", "column 3"],
    ),
    (
        "pieces potential --boards 6..17",
        2,
        &["'6..17'", "from 2 to 16"],
    ),
    (
        "tables build KAvKN --piece A=BNx --board 10x8",
        2,
        &["'BNx' is not a piece", "column 3"],
    ),
    (
        "tables build KAvKN --piece A --board 10x8",
        2,
        &["'A'", "such as A=BN"],
    ),
    (
        "tables build KAvKN --piece A=B --piece A=N",
        2,
        &["has moves already"],
    ),
    (
        "tables build KACvK --piece A=N --piece C=knight",
        2,
        &["A and C have the same moves"],
    ),
    (
        "tables build KAvK --piece K=BN",
        2,
        &["K is the royal piece"],
    ),
    (
        "tables build KXvKN --board 10x8",
        2,
        &["'X' in 'KXvKN'", "X=BN"],
    ),
    (
        "tables build KQvK --board 17x8",
        2,
        &["17x8 is too large", "16x16"],
    ),
    (
        "tables build KQvK --board 8y8",
        2,
        &["'8y8' is not a board"],
    ),
    ("tables build QvK --board 8x9", 2, &["'QvK' is no ending"]),
    ("tables build KQQQQvK --board 8x9", 2, &["6 men", "up to 5"]),
    (
        "tables build KQvK --board 8x9 --metric dtz",
        2,
        &["dtm or dtc"],
    ),
    (
        "tables build KQvK --board 8x9 --royal fK",
        2,
        &["'fK' is not a piece", "fWfF"],
    ),
    (
        "tables build KQvK --board 8x9 --syzygy",
        2,
        &["without syzygy"],
    ),
    ("tables build --board 8x9 --all 3", 2, &["KAvKN"]),
    (
        "tables build KQRvKR --board 16x16 --ram 64M",
        3,
        &["KQRvKR", "--ram"],
    ),
    (
        "tables probe 8/8/k7/8/8/8/8/K7_w --board 8x8",
        2,
        &["KvK", "tables build"],
    ),
    (
        "tables probe 9/8/k7/8/8/8/8/K7_w --board 8x8",
        2,
        &["not equally long"],
    ),
    (
        "tables stats KQvK --board 8x9",
        2,
        &["no table of KQvK", "tables build"],
    ),
    ("tours count 8x8 --ram 10M", 3, &["10M", "--ram"]),
    ("engine uci --ram 16M", 3, &["16M", "--ram 30.6M"]),
    (
        "tours count 8x8 --ram lots",
        2,
        &["'lots' is not a size", "4G"],
    ),
    (
        "tours count 8x8 --work w --disk lots",
        2,
        &["'lots' is not a size", "4G"],
    ),
    (
        "tours count 8x8 --disk lots",
        2,
        &["'lots' is not a size", "4G"],
    ),
    ("tours count 8x8 --disk 1G", 2, &["directory", "--work"]),
    ("tours count 8x8 --threads 0", 2, &["0 threads", "1 to"]),
    ("tours count 5x5 --threads many", 2, &["many", "--threads"]),
    (
        "tours count 8x8 --method search --checkpoint c",
        2,
        &["no checkpoints"],
    ),
    (
        "tours count 8x8 --closed --by-start",
        2,
        &["--closed", "--by-start"],
    ),
    (
        "tours count 5x5000 --modulus 91",
        2,
        &["91", "prime below 2^31"],
    ),
    (
        "tours count 5x5000 --modulus 97 --holes a1",
        2,
        &["without holes", "modulo a prime"],
    ),
    (
        "tours count 9x5000 --modulus 97",
        2,
        &["9 rows", "at most 16"],
    ),
    (
        "tours count 3x1000000 --method columns",
        2,
        &["digits", "a modulus"],
    ),
    (
        "tours sample 20x20 --ram 1G",
        2,
        &["frontier of 42 squares"],
    ),
    ("tours list 30x30", 2, &["30x30", "at most"]),
    ("tours list 5x5 --format png", 2, &["'png'", "grid"]),
    (
        "tours list 5x5 --svg no/where.svg",
        2,
        &["no/where.svg", "no directory"],
    ),
    (
        "tours list 5x5 --svg .",
        2,
        &["directory", "expected a file"],
    ),
    (
        "tours list 5x5 --svg x.svg --theme pink",
        2,
        &["'pink'", "light, dark"],
    ),
    ("tours list 5x5 --theme dark", 2, &["--svg"]),
    (
        "tours list 5x5 --svg x.png",
        2,
        &["--svg writes SVG", "x.svg", "--png x.png"],
    ),
    (
        "tours list 5x5 --png x.jpg",
        2,
        &["--png writes PNG, not jpg", "x.png"],
    ),
    (
        "tours list 5x5 --png x.png --animate",
        2,
        &["--png", "--animate"],
    ),
    (
        "tours find 5x5 --classes",
        2,
        &["tours find has no --classes: expected with tours list, tours count"],
    ),
    (
        "tours list 5x5 --svg-each nowhere",
        2,
        &["no directory nowhere"],
    ),
    ("tours verify huge.json --ram 64M", 2, &["not visited"]),
    ("tours draw huge.json --ram 64M", 2, &["not visited"]),
    ("tours rank 5x5 huge.json --ram 64M", 2, &["not visited"]),
    ("tours verify /dev/zero --ram 64M", 3, &["--ram"]),
    (
        "tours symmetric 6x6 --rotation full",
        2,
        &["'full'", "quarter, half"],
    ),
    (
        "tours symmetric 5x6 --rotation quarter",
        2,
        &["quarter turn", "5x6"],
    ),
    (
        "tours unrank 6x6 --closed 9862",
        2,
        &["9,862", "numbered from 0"],
    ),
    ("tours unrank 6x6 --closed x", 2, &["'x' is not a rank"]),
    (
        "tours verify nothing.txt",
        2,
        &["nothing.txt", "no such file"],
    ),
    ("tours verify .", 2, &["directory"]),
    (
        "tours verify words.txt",
        2,
        &["words.txt", "expected a grid"],
    ),
    ("tours verify half.txt", 2, &["half.txt"]),
    (
        "pegs solve nosuch",
        2,
        &["'nosuch' is not a board", "english"],
    ),
    ("pegs solve englsh", 2, &["did you mean english?"]),
    ("pegs solve ooo/o#o/ooo", 2, &["row 2, column 2", "'#'"]),
    ("pegs solve ooo/oxo/ooo", 2, &["row 2, column 2", "'x'"]),
    (
        "pegs solve words.txt",
        2,
        &["words.txt", "row 1, column 1", "'!'"],
    ),
    ("pegs solve .../.../...", 2, &["no pegs"]),
    ("pegs solve ___", 2, &["no holes"]),
    ("pegs solve english --start a1", 2, &["no hole a1", "c1-e1"]),
    (
        "pegs solve english --start dd4",
        2,
        &["'dd4' is not a hole", "d4"],
    ),
    ("pegs solve english --finish z9", 2, &["no hole z9"]),
    ("pegs solve english --start ooo", 2, &["another shape"]),
    ("pegs solve square5x13", 2, &["65 holes", "at most 64"]),
    ("pegs solve triangle5 --lattice square", 2, &["triangular"]),
    (
        "pegs solve english --lattice round",
        2,
        &["'round'", "square, triangular"],
    ),
    (
        "pegs solve english --method luck",
        2,
        &["'luck'", "dfs-set"],
    ),
    (
        "pegs solve english --method dfs --shortest",
        2,
        &["fewest moves"],
    ),
    (
        "pegs solve english --order rows",
        2,
        &["order belongs", "method dfs"],
    ),
    (
        "pegs solve english --method dfs --order no",
        2,
        &["'no' is not an order"],
    ),
    (
        "pegs solve english --method dfs --order random:4 --nodes 10000",
        3,
        &["gave up"],
    ),
    (
        "pegs solve english --svg no/where.svg",
        2,
        &["no/where.svg", "no directory"],
    ),
    ("pegs solve english --animate", 2, &["--svg"]),
    (
        "pegs solve english --shortest --ram 1M",
        3,
        &["1M", "--ram"],
    ),
    ("pegs count english --ram 1M", 3, &["1M", "--ram"]),
    (
        "pegs table english --columns some",
        2,
        &["'some'", "solvable, solutions, all"],
    ),
    (
        "pegs puzzle triangle5 --kind easy",
        2,
        &["'easy'", "unique, last-safe, winnable"],
    ),
    (
        "pegs puzzle triangle5 --pegs 40",
        2,
        &["40 pegs", "2 to 14"],
    ),
    ("pegs hint", 2, &["<POSITION>"]),
    ("pegs hint ooo/o?", 2, &["row 2, column 2", "'?'"]),
    ("pegs hint oo. --winning-set words.txt", 2, &["words.txt"]),
    ("pegs hint oo. --winning-set none.win", 2, &["none.win"]),
    ("pegs hint oo. --played", 2, &["--winning-set"]),
    (
        "pegs winning english --out no/where",
        2,
        &["no/where", "no directory"],
    ),
    (
        "pegs replay nothing.txt",
        2,
        &["nothing.txt", "no such file"],
    ),
    ("pegs replay d2-", 2, &["not a hole"]),
    ("pegs replay words.txt", 2, &["words.txt"]),
    (
        "pegs solve english --svg board.png",
        2,
        &["--svg writes SVG", "board.svg"],
    ),
    ("pegs review d2-d5", 2, &["no jump leads from d2 to d5"]),
    ("pegs review d1-d3", 2, &["d3 is not empty"]),
    ("pegs", 2, &["command"]),
    (
        "lab run alchemy",
        2,
        &["'alchemy' is not an experiment", "quick"],
    ),
    ("lab run quick --out words.txt", 2, &["words.txt"]),
    ("tuors", 2, &["'tuors'", "tours"]),
    ("tours", 2, &["command"]),
    ("tours count", 2, &["<BOARD>"]),
    ("man --out words.txt", 2, &["words.txt"]),
];

#[test]
fn bad_input_is_refused_in_a_line() {
    // Only Unix has files in /dev.
    let here = |words: &str| cfg!(unix) || !words.contains("/dev/");
    for (words, code, parts) in CASES.iter().filter(|(words, ..)| here(words)) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("words.txt"), "!? no tour\n").unwrap();
        fs::write(dir.path().join("half.txt"), "1 2 3\n4 5\n").unwrap();
        let huge = r#"{"board":"60000x60000","order":["a1"]}"#;
        fs::write(dir.path().join("huge.json"), huge).unwrap();
        let words: Vec<_> = words.split(' ').collect();
        let output = run_in(dir.path(), &words);
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(*code), "{words:?}: {line}");
        assert!(
            output.stdout.is_empty(),
            "{words:?} wrote to standard output"
        );
        assert_eq!(line.lines().count(), 1, "{words:?}: {line}");
        assert!(line.starts_with("everymove: "), "{words:?}: {line}");
        for part in *parts {
            assert!(
                line.contains(part),
                "{words:?} does not say '{part}': {line}"
            );
        }
        assert_eq!(
            files(dir.path()),
            ["half.txt", "huge.json", "words.txt"],
            "{words:?}"
        );
    }
}

/// Arguments of any bytes: a name of a file may be no UTF-8.
#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let dir = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"a\xFF\xFEb");
    for (words, code) in [
        (&["tours", "find", "5x5", "--svg"][..], 2),
        (&["tours", "find", "5x5", "--out"], 2),
        (&["tours", "verify"], 2),
        (&["pegs"], 2),
        (&["lab", "run", "no-such", "--out"], 2),
        (&["man", "--out"], 0),
        (&[], 2),
    ] {
        let mut command = crate::program(words);
        let output = command.arg(name).current_dir(dir.path()).output().unwrap();
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {line}");
        assert!(!line.contains("panicked"), "{words:?}: {line}");
    }
}

#[test]
fn a_picture_that_can_not_be_written_is_refused_before_the_work() {
    let dir = tempfile::tempdir().unwrap();
    // A count of weeks: the test ends only if nothing of it is begun.
    let words = ["tours", "list", "8x8", "--svg", "missing/picture.svg"];
    let output = run_in(dir.path(), &words);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

fn files(folder: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
