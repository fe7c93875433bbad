//! Tables compared with plain computation.

#![expect(clippy::print_stderr, reason = "long tests say what they compared")]

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Ram, Run};
use everymove_tables::probe::read_position;
use everymove_tables::{Material, Metric, Plan, Tables, Value, build};

use super::{Brute, CLOCKS, Goal};

/// Positions of an ending that are compared, each with every clock that counts.
const SAMPLE: usize = 10_000;

/// Compares the tables of endings, and of all they lead to, with plain computation.
pub(crate) fn agrees_with_brute_force(goal: Goal, names: &[&str]) {
    let (metric, clocks) = match goal {
        Goal::MateFifty => (Metric::MateFifty, CLOCKS),
        Goal::Conversion => (Metric::Conversion, 1),
    };
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), metric);
    let mut brute = Brute::new(goal);
    let mut rng = SplitMix64::new(50);
    let mut endings: Vec<Material> = Vec::new();
    for name in names {
        let material: Material = name.parse().unwrap();
        let new = material
            .closure()
            .into_iter()
            .filter(|m| !endings.contains(m));
        endings.extend(new.collect::<Vec<_>>());
    }
    for material in endings {
        let run = Run::new(2, Ram::unlimited());
        build(&Plan::new(material.clone(), metric), &tables, &run).unwrap();
        let name = material.to_string();
        let sample = brute.compute(&name, SAMPLE, |len| rng.below(len as u64) as usize);
        assert_eq!(sample.len(), SAMPLE, "{name}");
        let (mut forced, mut with_clock) = (0, 0);
        for position in &sample {
            let board = read_position(&position.fen).unwrap();
            for clock in 0..clocks {
                let found = tables.value_with_clock(&board, clock as u32).unwrap();
                let expected = position.value(clock);
                assert_eq!(found, expected, "{name}: {} clock {clock}", position.fen);
                with_clock += u32::from(expected != position.value(0));
            }
            forced += u32::from(position.value(0) != Value::Draw);
        }
        eprintln!(
            "{name}: {SAMPLE} positions, {forced} forced, {with_clock} values changed by the clock"
        );
    }
}

/// The endings of four men in three parts, each with the smaller endings that it needs: together
/// all 35 of up to four men.
pub(crate) fn four_men() -> [Vec<String>; 3] {
    let mut parts = [(); 3].map(|()| Vec::new());
    for material in Material::all(4) {
        let part = match (material.has_pawns(), material.black().pieces()) {
            (false, _) => 0,
            (true, []) => 1,
            (true, _) => 2,
        };
        parts[part].push(material.to_string());
    }
    parts
}
