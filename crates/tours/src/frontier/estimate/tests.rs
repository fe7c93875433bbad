use std::sync::Arc;

use everymove_kernel::run::Ram;

use super::super::block::{Chunk, Layer};
use super::super::counted::width_of_step;
use super::super::maps::Maps;
use super::super::pull::{Pulled, Puller};
use super::*;
use crate::board::{Board, Kind};

/// The sizes of the layers of a count, measured.
fn measured(plan: &Plan, reach: &Reach, run: &Run) -> Sizes {
    let maps = Maps::new(64 << 20);
    let through = |start: &Arc<Layer>, steps: &[Step], lists: &[Vec<Degrees>]| {
        let mut layer = start.clone();
        let mut sizes = Vec::new();
        for (step, list) in steps.iter().zip(&lists[1..]) {
            let puller = Puller::new(&maps, run, None);
            let width = width_of_step(layer.sum, step).unwrap();
            let after = Arc::new(list.clone());
            let Pulled { layer: next, .. } = puller.advance(width, &layer, step, &after).unwrap();
            let chunks: u64 = next.chunks.iter().map(Chunk::bytes).sum();
            sizes.push(Size {
                bytes: (chunks + size_of_val(&next.blocks[..]) as u64) as f64,
                states: next.states as f64,
            });
            layer = Arc::new(next);
        }
        (sizes, layer)
    };
    let start = Arc::new(Layer::start());
    match (plan, reach) {
        (Plan::Meet(meet), reach @ Reach::Meet { .. }) => {
            let [common, first, second] = reach.halves();
            let (common, branch) = through(&start, &meet.common, common);
            Sizes {
                common,
                first: through(&branch, &meet.first, first).0,
                second: through(&branch, &meet.second, second).0,
            }
        }
        (Plan::OneWay(steps), Reach::OneWay(lists)) => Sizes {
            common: through(&start, steps, lists).0,
            first: vec![],
            second: vec![],
        },
        _ => unreachable!("the live degree vectors are those of the plan"),
    }
}

/// Estimates are not far from what layers take: 0.92 to 1.20 times the bytes at once and 0.89 to 1.29 times the states of the boards
/// below.
fn are_near(rows: u32, cols: u32, kind: Kind) {
    let run = Run::new(2, Ram::limited(16 << 30));
    let board = Board::knight(rows, cols).unwrap();
    let plan = Plan::new(&board, kind, None, &everymove_kernel::run::Stop::default()).unwrap();
    let reach = Reach::new(&plan, &run).unwrap();
    let estimated = Sizes::of(&plan, &reach, Counts::Exact, &run).unwrap();
    let measured = measured(&plan, &reach, &run);
    let states = |sizes: &Sizes| Size::sum(sizes.layers()).states;
    let bytes = estimated.bytes_at_once() / measured.bytes_at_once();
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
