//! How many moves it takes to get anywhere: positions by their least number of moves from the
//! start.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use everymove_kernel::run::Run;

use crate::board::Board;
use crate::error::PegError;
use crate::forecast::Sizes;
use crate::layers::values::{OrdinalIndex, values_of_positions};
use crate::layers::{ClassLayers, Layer};
use crate::move_generator::{MoveGenerator, PartialMove};
use crate::position::Position;
use crate::problem::{Finish, Problem};
use crate::reach::reached_layers;
use crate::store::{LayerFiles, LayersIn, Question, Store};

/// Counts the positions that can be reached, up to the symmetries that keep the start's class, by
/// the fewest moves it takes: entry `m` counts those at exactly `m` moves (Bell's B_m).
///
/// Moves only take pegs away, so once the layers above are done, the numbers of a layer are final.
///
/// # Errors
/// [`PegError::OverBudget`] if all layers and a byte for each position do not fit,
/// [`PegError::Stopped`].
pub fn positions_by_moves(board: &Board, start: Position, run: &Run) -> Result<Vec<u64>, PegError> {
    let problem = Problem::new(board, start, Finish::Anywhere)?;
    let question = Question {
        problem: &problem,
        subject: "positions by moves",
        group: &board.class_symmetries(start),
        what: format!("every position of the {} board", board.name()),
        value_bytes: 0,
    };
    let memory = |sizes: &Sizes| sizes.all(1..=start.pegs());
    LayerFiles::default().open(&problem, |folders| {
        let (class_layers, mut store) =
            Store::open(folders, LayersIn::Memory, &question, memory, run)?;
        let layers = reached_layers(&mut store, &class_layers, start)?.0;
        let layers: Vec<_> = layers
            .into_iter()
            .filter_map(|layer| layer.memory)
            .collect();
        by_moves(&class_layers, &layers, run)
    })
}

fn by_moves(
    class_layers: &ClassLayers,
    layers: &[Arc<Layer>],
    run: &Run,
) -> Result<Vec<u64>, PegError> {
    let split = class_layers.split();
    let chains = MoveGenerator::new(split);
    let ordinals: Vec<OrdinalIndex> = layers
        .iter()
        .map(|layer| OrdinalIndex::new(&layer.words, &run.ram))
        .collect::<Result<_, _>>()?;
    let positions: usize = ordinals.iter().map(OrdinalIndex::len).sum();
    let _held = run
        .ram
        .reserve("the moves to every position", positions as u64)?;
    let fewest: Vec<Vec<AtomicU8>> = ordinals
        .iter()
        .map(|ordinals| {
            (0..ordinals.len())
                .map(|_| AtomicU8::new(u8::MAX))
                .collect()
        })
        .collect();
    fewest[0][0].store(0, Ordering::Relaxed);
    run.progress
        .start("counting positions by moves", layers.len() as u64);
    for (n, layer) in layers.iter().enumerate() {
        let reach_successors = |head, tail, index| {
            let Some(ordinal) = ordinals[n].of(&layer.words, index) else {
                return;
            };
            let moves = fewest[n][ordinal].load(Ordering::Relaxed) + 1;
            let packed = MoveGenerator::packed(head, tail);
            chains.each(packed, &mut |link: &PartialMove<'_>| {
                let m = n + link.jumps.len();
                let index = layers[m].packed_index(split, link.position);
                if let Some(ordinal) = ordinals[m].of(&layers[m].words, index) {
                    fewest[m][ordinal].fetch_min(moves, Ordering::Relaxed);
                }
                true
            });
        };
        values_of_positions(class_layers, layer, run, reach_successors)?;
        run.progress.advance(1);
    }
    let mut counts = Vec::new();
    for moves in fewest
        .iter()
        .flatten()
        .map(|moves| usize::from(moves.load(Ordering::Relaxed)))
    {
        counts.resize(counts.len().max(moves + 1), 0);
        counts[moves] += 1;
    }
    Ok(counts)
}
