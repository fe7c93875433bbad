use everymove_kernel::run::Ram;

use super::*;
use crate::board::Kind;
use crate::frontier::classes::Event;
use crate::frontier::engine::Engine;
use crate::frontier::store::memory::Memory;
use crate::frontier::vectors::live::Members;

/// The sizes of the layers of a count, measured.
fn measured(plan: &Plan, mut live: Live<Members>, run: &Run) -> Phases<Vec<Size>> {
    let mut found = Phases::<Vec<Size>>::default();
    let mut seen = |event| {
        if let Event::Layer {
            phase,
            bytes,
            states,
            ..
        } = event
        {
            let sizes = match phase {
                "common" => &mut found.common,
                "first" => &mut found.first,
                _ => &mut found.second,
            };
            sizes.push(Size {
                bytes: bytes as f64,
                states: states as f64,
            });
        }
    };
    let store = Memory::new(64 << 20, None, false, run);
    let mut engine = Engine::new(store, plan, 0, None, &mut seen, run);
    let (branch, place) = engine.common(&mut live.common).unwrap();
    for phase in [Phase::First, Phase::Second] {
        if !plan.steps[phase].is_empty() {
            let lists = &mut live[phase];
            engine.phase(phase, branch.clone(), place, lists).unwrap();
        }
    }
    found
}

/// Estimates are not far from what layers take: 0.92 to 1.20 times the bytes at once and 0.89 to
/// 1.29 times the states of the boards below.
fn are_near(rows: u32, cols: u32, kind: Kind) {
    let run = Run::new(2, Ram::limited(16 << 30));
    let board = Board::knight(rows, cols).unwrap();
    let plan = Plan::new(&board, kind, None, &everymove_kernel::run::Stop::default()).unwrap();
    let live: Live<Members> = Live::new(&plan, &run).unwrap();
    let estimated = sizes(&plan, &live, Counts::Exact, &run).unwrap();
    let measured = measured(&plan, live, &run);
    let bytes = bytes_at_once(&estimated) / bytes_at_once(&measured);
    let states = states(&estimated) / states(&measured);
    assert!((0.9..1.3).contains(&bytes), "{rows}x{cols} {kind}: {bytes}");
    assert!(
        (0.85..1.35).contains(&states),
        "{rows}x{cols} {kind}: {states}"
    );
}

#[test]
fn layers_take_about_what_is_estimated() {
    for (rows, cols) in [(6, 6), (6, 7), (7, 7), (6, 10), (4, 10), (5, 20)] {
        are_near(rows, cols, Kind::Open);
    }
    are_near(7, 8, Kind::Closed);
    are_near(6, 20, Kind::Closed);
}

#[test]
#[ignore = "takes a minute; cargo xtask long"]
fn layers_of_larger_boards_take_about_what_is_estimated() {
    for (rows, cols) in [(7, 8), (7, 9), (7, 14)] {
        are_near(rows, cols, Kind::Open);
    }
    for (rows, cols) in [(8, 8), (9, 8), (10, 8), (7, 20)] {
        are_near(rows, cols, Kind::Closed);
    }
}
