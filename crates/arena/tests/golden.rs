//! Statistics against values that other programs publish: `elo.tsv`, `sprt.tsv`.

use everymove_arena::stats::{Counts, Estimate, Model, Pentanomial, Sprt, Trinomial};

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
}

fn numbers(text: &str) -> Vec<u64> {
    text.split(' ').map(|n| n.parse().unwrap()).collect()
}

/// Applies one of two functions to the counts of a row.
fn with<T>(
    kind: &str,
    counts: &str,
    tri: impl Fn(Trinomial) -> T,
    penta: impl Fn(Pentanomial) -> T,
) -> T {
    let counts = numbers(counts);
    match kind {
        "tri" => tri(Trinomial {
            losses: counts[0],
            draws: counts[1],
            wins: counts[2],
        }),
        "penta" => penta(Pentanomial(counts.try_into().unwrap())),
        kind => panic!("{kind}"),
    }
}

fn close(found: f64, known: &str, tolerance: &str, row: &[&str]) {
    let (known, tolerance): (f64, f64) = (known.parse().unwrap(), tolerance.parse().unwrap());
    assert!((found - known).abs() <= tolerance, "{found} in {row:?}");
}

#[test]
fn elo_as_published() {
    let mut count = 0;
    for row in rows(include_str!("elo.tsv")) {
        let [kind, counts, what, known, tolerance, _] = row[..] else {
            panic!("{row:?}")
        };
        let e = with(kind, counts, |t| Estimate::of(&t), |p| Estimate::of(&p));
        let found = match what {
            "elo" => e.elo,
            "elo_error" => e.elo_error,
            "nelo" => e.nelo,
            "nelo_error" => e.nelo_error,
            "los" => e.los,
            what => panic!("{what}"),
        };
        close(found, known, tolerance, &row);
        count += 1;
    }
    assert_eq!(count, 24);
}

#[test]
fn llr_as_published() {
    let mut count = 0;
    for row in rows(include_str!("sprt.tsv")) {
        let [kind, model, counts, elo0, elo1, known, tolerance, _] = row[..] else {
            panic!("{row:?}")
        };
        let model: Model = model.parse().unwrap();
        let sprt = Sprt::new(
            elo0.parse().unwrap(),
            elo1.parse().unwrap(),
            0.05,
            0.05,
            model,
        )
        .unwrap();
        fn llr<C: Counts>(sprt: &Sprt, c: C) -> f64 {
            sprt.llr(&c)
        }
        let found = with(kind, counts, |t| llr(&sprt, t), |p| llr(&sprt, p));
        close(found, known, tolerance, &row);
        count += 1;
    }
    assert_eq!(count, 9);
    let (lower, upper) = Sprt::new(0.0, 2.0, 0.05, 0.05, Model::Normalised)
        .unwrap()
        .bounds();
    assert!((lower + 2.944).abs() < 0.001 && (upper - 2.944).abs() < 0.001);
}
