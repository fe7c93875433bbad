//! Counts of endings against known ones.

use everymove_fairy::ending::{BareKing, Definition, Ending, Metric, Rules, Stalemate, read_board};
use everymove_fairy::stats::{SideStats, stats};
use everymove_kernel::pieces::Piece;
use everymove_kernel::run::{Ram, Run};

/// An ending as rows of known values name it.
pub(crate) fn ending(board: &str, white: &str, black: &str, rules: &str) -> Ending {
    let mut words = rules.split(' ');
    let rules = Rules {
        stalemate: match words.next().unwrap() {
            "stalemate=draw" => Stalemate::Draw,
            "stalemate=win" => Stalemate::Win,
            "stalemate=loss" => Stalemate::Loss,
            other => panic!("{other}"),
        },
        bare_king: match words.next().unwrap() {
            "bare=none" => BareKing::None,
            "bare=loss" => BareKing::Loss,
            "bare=shatranj" => BareKing::Shatranj,
            other => panic!("{other}"),
        },
        metric: match words.next().unwrap() {
            "dtm" => Metric::Mate,
            "dtc" => Metric::Conversion,
            other => panic!("{other}"),
        },
    };
    let definition = |letter: char, notation: &str| Definition {
        letter,
        notation: notation.to_owned(),
        piece: notation.parse().unwrap(),
    };
    let split = |army: &str| -> Vec<String> {
        // Commas within parentheses are part of a leap.
        let (mut men, mut depth) = (vec![String::new()], 0);
        for c in army.chars() {
            depth += i32::from(c == '(') - i32::from(c == ')');
            match c {
                ',' if depth == 0 => men.push(String::new()),
                c => men.last_mut().unwrap().push(c),
            }
        }
        men
    };
    let armies = [split(white), split(black)];
    let royals = [0, 1].map(|side: usize| definition('K', &armies[side][0]));
    let (mut material, mut letters) = (String::new(), Vec::<(char, String)>::new());
    for army in &armies {
        material += if material.is_empty() { "K" } else { "vK" };
        for notation in &army[1..] {
            let same = |(_, other): &&(char, String)| {
                let piece = |text: &String| text.parse::<Piece>().unwrap();
                piece(other) == piece(notation)
            };
            let letter = match letters.iter().find(same) {
                Some((letter, _)) => *letter,
                None => {
                    let letter = (b'A' + letters.len() as u8) as char;
                    letters.push((letter, notation.clone()));
                    letter
                }
            };
            material.push(letter);
        }
    }
    let define = |letter| {
        let (_, notation) = letters.iter().find(|(known, _)| *known == letter)?;
        Some(definition(letter, notation))
    };
    Ending::new(read_board(board).unwrap(), &material, royals, define, rules).unwrap()
}

fn numbers(side: &SideStats, zugzwangs: u64) -> [u64; 7] {
    let sum = |counts: &[u64]| counts.iter().sum::<u64>();
    let longest = |counts: &[u64]| counts.len().saturating_sub(1) as u64;
    [
        side.legal(),
        sum(&side.wins),
        side.draws,
        sum(&side.losses),
        longest(&side.wins),
        longest(&side.losses),
        zugzwangs,
    ]
}

/// Compares the rows of a table with what is solved; returns how many are equal.
fn compare(rows: &str, run: &Run) -> usize {
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split('\t').collect()).collect();
    let mut equal = 0;
    for pair in rows.chunks(2) {
        let [board, white, black, rules] = pair[0][..4] else {
            panic!("{pair:?}")
        };
        let table = everymove_fairy::solve(&ending(board, white, black, rules), run).unwrap();
        let stats = stats(&table, run).unwrap();
        for (side, row) in pair.iter().enumerate() {
            assert_eq!((&row[..4], row[4]), (&pair[0][..4], ["w", "b"][side]));
            let known: Vec<u64> = row[5..]
                .iter()
                .map(|number| number.parse().unwrap())
                .collect();
            let found = numbers(&stats.sides[side], stats.mutual_zugzwangs);
            assert_eq!(found[..], known[..], "{row:?}");
            equal += 1;
        }
    }
    equal
}

#[test]
fn small_endings_have_the_known_counts() {
    let run = Run::new(2, Ram::unlimited());
    assert_eq!(compare(include_str!("truth.tsv"), &run), 20);
}

/// All rows of a file that the environment names; its men are as many as memory holds.
#[test]
#[ignore = "minutes: cargo xtask long"]
#[expect(clippy::print_stdout, reason = "it may compare nothing")]
fn a_file_has_the_known_counts() {
    let Some(path) = std::env::var_os("EVERYMOVE_FAIRY_TRUTH") else {
        println!("EVERYMOVE_FAIRY_TRUTH names no file: nothing was compared");
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text
        .strip_prefix("board\t")
        .map_or(&*text, |rest| rest.split_once('\n').unwrap().1);
    let equal = compare(rows, &Run::new(1, Ram::unlimited()));
    println!("{equal} rows are equal");
}
