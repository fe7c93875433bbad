//! The lists of counts in `docs/figures/oeis`, in the form of the b-files of OEIS: `n a(n)`, from
//! n = 1 on. `cargo xtask oeis` makes them.

use std::collections::BTreeMap;
use std::fs;

use everymove_kernel::run::Run;
use everymove_tours::board::{Board, Kind, Leaper};
use everymove_tours::question::Question;
use everymove_tours::{CountOptions, count};
use num_bigint::{BigInt, BigUint};

/// Boards of up to this many squares are counted again.
const SMALL: usize = 36;

fn read(file: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/figures/oeis");
    fs::read_to_string(format!("{folder}/{file}")).unwrap()
}

/// The terms of a list, from n = 1 on.
fn list(file: &str) -> Vec<BigUint> {
    let text = read(file);
    let (head, lines) = text.split_once('\n').unwrap();
    assert!(head.starts_with("# Number of ") && text.is_ascii());
    let value = |(n, line): (usize, &str)| {
        let (index, value) = line.split_once(' ').unwrap();
        assert_eq!(index, n.to_string(), "{file}");
        value.parse().unwrap()
    };
    (1..).zip(lines.lines()).map(value).collect()
}

/// Small boards are counted again, boards that are in two lists have the same count in both, and
/// closed knight's tours of an odd number of squares do not exist.
#[test]
fn lists_agree_with_each_other_and_with_counts() {
    let mut known: BTreeMap<(String, String, usize, usize), BigUint> = BTreeMap::new();
    let mut counted = 0;
    for line in read("sequences.tsv").lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, boards, kind, direction, piece, terms, ..] = fields[..] else {
            panic!("{line}");
        };
        let values = list(file);
        assert_eq!(values.len().to_string(), terms, "{file}");
        for (n, value) in (1..).zip(values) {
            let board = boards.replace('n', &n.to_string());
            let what = format!("{file}: {board}");
            let board = Board::new(board.parse().unwrap(), Leaper::piece(piece).unwrap());
            let (rows, cols) = (board.grid().rows(), board.grid().cols());
            let squares = rows * cols;
            // A single square is one tour in either direction.
            let is_twice = direction == "directed" && squares > 1;
            let undirected = &value / BigUint::from(1 + u32::from(is_twice));
            if is_twice {
                assert_eq!(&undirected + &undirected, value, "{what}");
            }
            let sides = (rows.min(cols), rows.max(cols));
            let key = (kind.to_owned(), piece.to_owned(), sides.0, sides.1);
            let before = known.insert(key, undirected.clone());
            assert!(before.is_none_or(|before| before == undirected), "{what}");
            let kind = match kind {
                "closed" => Kind::Closed,
                _ => Kind::Open,
            };
            if kind == Kind::Closed && squares % 2 == 1 && piece == "knight" {
                assert_eq!(value, BigUint::ZERO, "{what}");
            }
            if squares <= SMALL {
                let question = Question::new(board, kind);
                let found = count(&question, &CountOptions::default(), &Run::serial()).unwrap();
                assert_eq!(found.count, undirected, "{what}");
                counted += 1;
            }
        }
    }
    // Two lists of each number of rows from 3 to 9, but one of 4 rows, and three of n x n.
    assert_eq!(counted, 2 * (12 + 9 + 7 + 6 + 5 + 4 + 4) - 9 + 3 * 6);
}

/// A recurrence that another program found: closed tours of 3 x 2n by those of the 21 boards
/// before, by the denominator of the generating function of OEIS A070030 (Knuth and Elkies, each in
/// 1994). It holds from 2n = 46 on.
#[test]
fn closed_tours_of_three_rows_follow_their_recurrence() {
    const DENOMINATOR: [i64; 22] = [
        1, -6, -64, 200, 1000, -3016, -3488, 24256, -23776, -104_168, 203_408, 184_704, -443_392,
        -14_336, 151_296, -145_920, 263_424, -317_440, -36_864, 966_656, -573_440, -131_072,
    ];
    let even: Vec<BigUint> = list("3xn-closed.txt")
        .into_iter()
        .skip(1)
        .step_by(2)
        .collect();
    assert_eq!(even.len(), 100);
    for window in even[1..].windows(DENOMINATOR.len()) {
        let terms = DENOMINATOR.iter().zip(window.iter().rev());
        let sum: BigInt = terms.map(|(&c, a)| c * BigInt::from(a.clone())).sum();
        assert_eq!(sum, BigInt::ZERO);
    }
}

/// Long boards grow by a constant factor: the quotients of neighbouring terms agree the better, the
/// longer the boards are. The count of each of these boards is put together from residues modulo
/// several primes, and a wrong residue changes all its digits.
#[test]
fn quotients_of_closed_tours_of_seven_rows_converge() {
    let even = list("7xn-closed.txt").into_iter().skip(1).step_by(2);
    let even: Vec<BigUint> = even.filter(|count| *count > BigUint::ZERO).collect();
    let thousandths: Vec<BigInt> = even
        .windows(2)
        .map(|pair| (BigUint::from(1000u32) * &pair[1] / &pair[0]).into())
        .collect();
    // From 7x22 and 7x24 on.
    for pair in thousandths[8..].windows(2) {
        let gap = &pair[1] - &pair[0];
        assert!(*gap.magnitude() <= BigUint::from(1000u32), "{pair:?}");
    }
}
