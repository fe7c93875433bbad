//! The lists of counts in `data/counts`, in the form of the b-files of OEIS: `n a(n)`, from n = 1
//! on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use everymove_kernel::run::Run;
use everymove_tours::board::{Board, Kind};
use everymove_tours::question::Question;
use everymove_tours::{CountOptions, count};
use num_bigint::{BigInt, BigUint};

/// Boards of up to this many squares are counted again.
const SMALL: u32 = 36;

/// The shorter sides of the boards that have lists.
const ROWS: std::ops::RangeInclusive<u32> = 3..=9;

/// The counts of the boards with `rows` rows, by columns from 1 on.
fn list(rows: u32, kind: Kind) -> Vec<BigUint> {
    let path = format!("data/counts/{rows}xn-{kind}.txt");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let (head, lines) = text.split_once('\n').unwrap();
    assert!(head.starts_with("# Number of undirected ") && text.is_ascii());
    let numbered = (1..).zip(lines.lines());
    let value = |(n, line): (u32, &str)| {
        let (index, value) = line.split_once(' ').unwrap();
        assert_eq!(index, n.to_string(), "{rows}x{n}");
        value.parse().unwrap()
    };
    numbered.map(value).collect()
}

/// Small boards are counted again, boards that are in two lists have the same count in both, and
/// closed tours of an odd number of squares do not exist.
#[test]
fn lists_agree_with_each_other_and_with_counts() {
    let mut known: BTreeMap<(String, u32, u32), BigUint> = BTreeMap::new();
    let mut counted = 0;
    for rows in ROWS {
        for kind in [Kind::Open, Kind::Closed] {
            // A board with a side of 4 squares has no closed tour (Schwenk 1991).
            if (rows, kind) == (4, Kind::Closed) {
                continue;
            }
            for (n, value) in (1..).zip(list(rows, kind)) {
                let what = format!("{kind} tours of {rows}x{n}");
                let board = (kind.to_string(), rows.min(n), rows.max(n));
                let before = known.insert(board, value.clone());
                assert!(before.is_none_or(|before| before == value), "{what}");
                if kind == Kind::Closed && rows * n % 2 == 1 {
                    assert_eq!(value, BigUint::ZERO, "{what}");
                }
                if rows * n <= SMALL {
                    let question = Question::new(Board::knight(rows, n).unwrap(), kind);
                    let found = count(&question, &CountOptions::default(), &Run::serial()).unwrap();
                    assert_eq!(found.count, value, "{what}");
                    counted += 1;
                }
            }
        }
    }
    assert_eq!(counted, 2 * (12 + 9 + 7 + 6 + 5 + 4 + 4) - 9);
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
    let even: Vec<BigUint> = list(3, Kind::Closed)
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
    let even = list(7, Kind::Closed).into_iter().skip(1).step_by(2);
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
