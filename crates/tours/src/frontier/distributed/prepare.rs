//! What a process does before the first step: the plan, and whether its part fits its memory.

use everymove_kernel::run::{OverBudget, Reservation, Run};

use super::super::FrontierError;
use super::super::counted::{EXACT, given_end};
use super::super::estimate::{
    Counts, GAPS_OF_PIECES, Need, is_hopeless, layer_bytes, plan_bytes, rough_need,
};
use super::super::maps::Maps;
use super::super::plan::Plan;
use super::super::reach::Reach;
use super::super::strip::refuse_wide;
use crate::board::Leaper;
use crate::question::Question;

/// The plan, its live degree vectors, the tables of maps, and the memory of all.
pub(super) fn prepared(
    question: &Question,
    processes: usize,
    run: &Run,
) -> Result<(Plan, Reach, Maps, Vec<Reservation>), FrontierError> {
    let (board, start) = (&question.board, given_end(question)?);
    if board.playable() > EXACT {
        return Err(FrontierError::TooManyShared { most: EXACT });
    }
    refuse_wide(board)?;
    let tours = format!("the {} tours of {}", question.kind, board.grid());
    let what = match processes {
        1 => format!("counting {tours}"),
        _ => format!("a part of {tours}, of {processes} processes,"),
    };
    let mut held = vec![run.ram.reserve(&what, plan_bytes(board))?];
    run.progress.start("planning the count", 0);
    let plan = Plan::new(board, question.kind, start)?;
    let grid = board.grid();
    let (slots, rows) = (plan.slots(), grid.rows().max(grid.cols()));
    let knight = board.leaper() == Leaper::KNIGHT && board.holes().is_empty();
    let left = run.ram.left().saturating_mul(processes as u64);
    if knight && is_hopeless(left, slots, rows) {
        // About a quarter, accumulators and tables, is in every process as in one.
        let rough = rough_need(slots, rows);
        let (layers, same) = (rough / 4 * 3, rough / 4);
        let need = run.ram.used() + part_of(layers, processes) + same;
        let limit = run.ram.limit();
        return Err(OverBudget { what, need, limit }.into());
    }
    let reach = Reach::new(&plan, run)?;
    held.push(reach.reserve(run)?);
    let all_left = whole_of(run.ram.left(), processes);
    let layers = layer_bytes(question, &plan, &reach, Counts::Exact, all_left, run)?;
    let part = part_of(layers, processes);
    let need = Need::of(
        (part, GAPS_OF_PIECES),
        &plan,
        reach.most_endpoints(run)?,
        run,
    );
    run.ram.require(&what, need.bytes)?;
    held.push(run.ram.reserve(&what, need.unaccounted)?);
    Ok((plan, reach, Maps::new(need.maps), held))
}

/// The part of some bytes of layers that a process has at most: parts are not quite equal, and a layer is there with ghost blocks.
fn part_of(bytes: u64, processes: usize) -> u64 {
    match processes {
        1 => bytes,
        _ => bytes.saturating_mul(3) / (2 * processes as u64),
    }
}

/// The bytes of layers of which a process has this part at most: the inverse of [`part_of`].
fn whole_of(part: u64, processes: usize) -> u64 {
    match processes {
        1 => part,
        _ => part.saturating_mul(2 * processes as u64) / 3,
    }
}
