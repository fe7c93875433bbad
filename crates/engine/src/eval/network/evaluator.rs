//! The evaluation by a network.

use std::sync::Arc;

use everymove_kernel::dispatch::{self, Task};
use shakmaty::{Bitboard, Color, Piece, Role};

use super::features::{INPUTS, input, is_mirrored, output_of, seen_by};
use super::{LANE, Lane, Network, OUTPUT_UNIT, UNIT};
use crate::eval::{Evaluate, finish};
use crate::position::Position;
use crate::score::Score;

/// The pieces of a position, by colour and role.
type Pieces = [[Bitboard; 6]; 2];

/// The sums of the hidden layer for one position.
#[derive(Clone, Debug)]
struct Sums {
    pieces: Pieces,
    /// By side, whether it sees the board mirrored.
    mirrored: [bool; 2],
    /// By side.
    lanes: [Vec<Lane>; 2],
}

/// The evaluation by a network. For each number of plies from the root the sums of the hidden layer
/// of the last position are kept. For the next position those pieces are added and removed in which
/// it differs from one of them, mostly the position a move before.
#[derive(Clone, Debug)]
pub(crate) struct NetworkEvaluator {
    network: Arc<Network>,
    /// By plies from the root.
    path: Vec<Sums>,
}

impl NetworkEvaluator {
    pub(crate) fn new(network: Arc<Network>) -> Self {
        let path = Vec::new();
        Self { network, path }
    }
}

/// The sums up to those of a number of plies from the root.
fn path_to<'a>(path: &'a mut Vec<Sums>, network: &Network, ply: usize) -> &'a mut [Sums] {
    if path.len() <= ply {
        let empty = Sums {
            pieces: Pieces::default(),
            mirrored: [false; 2],
            lanes: [network.bias.clone(), network.bias.clone()],
        };
        path.resize(ply + 1, empty);
    }
    &mut path[..=ply]
}

impl Evaluate for NetworkEvaluator {
    fn evaluate(&mut self, position: &Position, ply: usize) -> Score {
        let value = dispatch::run(Evaluation {
            network: &self.network,
            path: path_to(&mut self.path, &self.network, ply),
            position,
        });
        finish(position, value)
    }

    fn clear(&mut self) {
        self.path.clear();
    }
}

/// One evaluation, in centipawns for the side to move.
struct Evaluation<'a> {
    network: &'a Network,
    /// Of the positions before, and of the last one as many plies from the root.
    path: &'a mut [Sums],
    position: &'a Position,
}

impl Task for Evaluation<'_> {
    type Output = Score;

    #[inline(always)]
    fn run(self) -> Score {
        let (network, position) = (self.network, self.position);
        let lanes = network.bias.len();
        let turn = position.turn();
        let sums = update(network, self.path, position);
        let [own, other] = [turn, !turn].map(|side| &sums.lanes[side as usize]);
        let output = output_of(position.board().occupied().count());
        let (first, second) = network.outputs[2 * lanes * output..][..2 * lanes].split_at(lanes);
        let sum = weighted(own, first) + weighted(other, second);
        let logit = i64::from(sum / UNIT + network.output_bias[output]);
        (logit * i64::from(network.scale) / i64::from(UNIT * OUTPUT_UNIT)) as Score
    }
}

/// In how many pieces two positions differ.
#[inline(always)]
fn differences(a: &Pieces, b: &Pieces) -> usize {
    let mut number = 0;
    for (a, b) in a.as_flattened().iter().zip(b.as_flattened()) {
        number += (*a ^ *b).count();
    }
    number
}

/// The most pieces that a move adds and removes.
const OF_A_MOVE: usize = 4;

/// Makes the last sums of a path those of a position.
#[inline(always)]
fn update<'a>(network: &Network, path: &'a mut [Sums], position: &Position) -> &'a Sums {
    let board = position.board();
    let mut pieces = Pieces::default();
    for color in Color::ALL {
        for role in Role::ALL {
            pieces[color as usize][role as usize - 1] = board.by_color(color) & board.by_role(role);
        }
    }
    let last = path.len() - 1;
    // The position a move before, the last one as far from the root, the one two moves before.
    let mut nearest = (usize::MAX, last);
    for back in [1, 0, 2] {
        if back <= last && nearest.0 > OF_A_MOVE {
            let number = differences(&path[last - back].pieces, &pieces);
            if number < nearest.0 {
                nearest = (number, last - back);
            }
        }
    }
    let (before, sums) = path.split_at_mut(last);
    let sums = &mut sums[0];
    let near = nearest.0 <= board.occupied().count();
    let base = before.get(nearest.1).unwrap_or(sums);
    let (from, from_mirrored) = (base.pieces, base.mirrored);
    let few = Changes::between(&from, &pieces);
    for view in Color::ALL {
        let side = view as usize;
        let mirrored = board.king_of(view).is_some_and(is_mirrored);
        let lanes = &mut sums.lanes[side];
        if near && from_mirrored[side] == mirrored {
            if let Some(base) = before.get(nearest.1) {
                lanes.copy_from_slice(&base.lanes[side]);
            }
            few.make(network, lanes, view, mirrored);
        } else {
            lanes.copy_from_slice(&network.bias);
            Changes::between(&Pieces::default(), &pieces).make(network, lanes, view, mirrored);
        }
        sums.mirrored[side] = mirrored;
    }
    sums.pieces = pieces;
    sums
}

/// The inputs in which two positions differ, as White sees them on a board that is not mirrored.
struct Changes {
    added: [u16; 64],
    adds: usize,
    removed: [u16; 64],
    removes: usize,
}

impl Changes {
    #[inline(always)]
    fn between(from: &Pieces, to: &Pieces) -> Self {
        let mut found = Self {
            added: [0; 64],
            adds: 0,
            removed: [0; 64],
            removes: 0,
        };
        for color in Color::ALL {
            for role in Role::ALL {
                let before = from[color as usize][role as usize - 1];
                let now = to[color as usize][role as usize - 1];
                let piece = Piece { color, role };
                for square in now & !before {
                    found.added[found.adds & 63] = input(Color::White, false, piece, square) as u16;
                    found.adds += 1;
                }
                for square in before & !now {
                    found.removed[found.removes & 63] =
                        input(Color::White, false, piece, square) as u16;
                    found.removes += 1;
                }
            }
        }
        found
    }

    /// Makes them in the sums of a side.
    #[inline(always)]
    fn make(&self, network: &Network, sums: &mut [Lane], view: Color, mirrored: bool) {
        let lanes = network.bias.len();
        let row = |white: u16, lane: usize| {
            &network.inputs[seen_by(view, mirrored, white) % INPUTS * lanes + lane]
        };
        for (lane, values) in sums.iter_mut().enumerate() {
            let mut kept = *values;
            for &white in &self.added[..self.adds.min(64)] {
                let weights = row(white, lane);
                for i in 0..LANE {
                    kept[i] = kept[i].wrapping_add(weights[i]);
                }
            }
            for &white in &self.removed[..self.removes.min(64)] {
                let weights = row(white, lane);
                for i in 0..LANE {
                    kept[i] = kept[i].wrapping_sub(weights[i]);
                }
            }
            *values = kept;
        }
    }
}

/// The sum of squared activations times weights, in units of 1/(UNIT^2 OUTPUT_UNIT). No step
/// overflows: the weights are within the limits of [`Network`].
#[inline(always)]
fn weighted(sums: &[Lane], weights: &[Lane]) -> i32 {
    let mut total = 0;
    for (values, weights) in sums.iter().zip(weights) {
        for i in 0..LANE {
            let value = values[i].clamp(0, UNIT as i16);
            // First times the weight, in 16 bits: the product of two 16-bit numbers and the sum of
            // pairs is then one instruction.
            let product = value.wrapping_mul(weights[i]);
            total += i32::from(product) * i32::from(value);
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use everymove_kernel::rng::SplitMix64;

    use super::super::tests::random;
    use super::*;

    /// The value straight from the definition, for each position anew.
    fn simple(network: &Network, position: &Position) -> i32 {
        let hidden = network.hidden;
        let at = |list: &[Lane], i: usize| i32::from(list[i / LANE][i % LANE]);
        let output = output_of(position.board().occupied().count());
        let mut total = 0;
        for (side, view) in [position.turn(), !position.turn()].into_iter().enumerate() {
            let mirrored = is_mirrored(position.board().king_of(view).unwrap());
            for unit in 0..hidden {
                let mut sum = at(&network.bias, unit);
                for (square, piece) in position.board().clone() {
                    sum += at(
                        &network.inputs,
                        input(view, mirrored, piece, square) * hidden + unit,
                    );
                }
                let activation = sum.clamp(0, UNIT).pow(2);
                total += activation * at(&network.outputs, (2 * output + side) * hidden + unit);
            }
        }
        let logit = i64::from(total / UNIT + network.output_bias[output]);
        (logit * i64::from(network.scale) / i64::from(UNIT * OUTPUT_UNIT)) as i32
    }

    /// Kept sums, the code for newer processors and the code for all give the value of the
    /// definition.
    #[test]
    fn every_path_gives_the_value_of_the_definition() {
        for hidden in [64, 128, 256] {
            let network = Arc::new(random(hidden, 3));
            let mut fast = NetworkEvaluator::new(Arc::clone(&network));
            let mut plain = fast.clone();
            let mut rng = SplitMix64::new(hidden as u64);
            for _ in 0..20 {
                let mut position = Position::default();
                // Up and down a path, as a search goes, and sometimes to anywhere.
                let mut ply = 0;
                for _ in 0..100 {
                    ply = match rng.below(8) {
                        0 => rng.below(12) as usize,
                        1 | 2 => ply.saturating_sub(1),
                        _ => ply + 1,
                    };
                    let moves = position.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    position = position.play(moves[rng.below(moves.len() as u64) as usize]);
                    let expected = simple(&network, &position);
                    let [newer, older] = [true, false].map(|newer| {
                        let evaluator = if newer { &mut fast } else { &mut plain };
                        let task = Evaluation {
                            network: &network,
                            path: path_to(&mut evaluator.path, &network, ply),
                            position: &position,
                        };
                        if newer {
                            dispatch::run(task)
                        } else {
                            task.run()
                        }
                    });
                    assert_eq!((newer, older), (expected, expected), "{}", position.fen());
                }
            }
        }
    }

    /// A cleared evaluator, and one that saw another game before, give the same.
    #[test]
    fn values_do_not_depend_on_earlier_positions() {
        let network = Arc::new(random(64, 8));
        let mode = shakmaty::CastlingMode::Standard;
        // The second position has 64 pieces.
        let fens = [
            Position::default().fen(),
            "qqqqkqqq/qqqqqqqq/qqqqqqqq/pppppppp/PPPPPPPP/QQQQQQQQ/QQQQQQQQ/QQQQKQQQ w - - 0 1"
                .into(),
            "8/8/4k3/8/8/4K3/8/2B5 w - - 0 1".into(),
        ];
        let mut used = NetworkEvaluator::new(Arc::clone(&network));
        for fen in fens.iter().chain(fens.iter().rev()) {
            let position = Position::from_fen(fen, mode).unwrap();
            let mut new = NetworkEvaluator::new(Arc::clone(&network));
            let expected = new.evaluate(&position, 0);
            assert_eq!(used.evaluate(&position, 0), expected, "{fen}");
        }
        used.clear();
        let start = Position::default();
        let expected = NetworkEvaluator::new(network).evaluate(&start, 3);
        assert_eq!(used.evaluate(&start, 0), expected);
    }
}
