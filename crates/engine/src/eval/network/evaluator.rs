//! The evaluation by a network.

use std::sync::Arc;

use everymove_kernel::dispatch::{self, Task};
use shakmaty::{Bitboard, Color, Piece, Role};

use super::features::{INPUTS, input, is_mirrored, output_of};
use super::{LANE, Lane, Network, OUTPUT_UNIT, UNIT};
use crate::eval::{Evaluate, finish};
use crate::position::Position;
use crate::score::Score;

/// The sums of the hidden layer for the last position that one side saw in one orientation.
#[derive(Clone, Debug)]
struct Sums {
    /// Its pieces by colour and role.
    pieces: [[Bitboard; 6]; 2],
    lanes: Vec<Lane>,
}

/// The evaluation by a network. For each side and each of its two orientations the sums of the
/// hidden layer are kept; for the next position those pieces are added and removed in which the two
/// differ, by the exclusive or of their bitboards. Successive positions of a search differ in few
/// pieces.
#[derive(Clone, Debug)]
pub(crate) struct NetworkEvaluator {
    network: Arc<Network>,
    /// By side and orientation.
    sums: [[Sums; 2]; 2],
}

impl NetworkEvaluator {
    pub(crate) fn new(network: Arc<Network>) -> Self {
        let empty = || Sums {
            pieces: [[Bitboard::EMPTY; 6]; 2],
            lanes: network.bias.clone(),
        };
        Self {
            sums: [[empty(), empty()], [empty(), empty()]],
            network,
        }
    }
}

impl Evaluate for NetworkEvaluator {
    fn evaluate(&mut self, position: &Position) -> Score {
        let value = dispatch::run(Evaluation {
            network: &self.network,
            sums: &mut self.sums,
            position,
        });
        finish(position, value)
    }

    fn clear(&mut self) {
        *self = Self::new(Arc::clone(&self.network));
    }
}

/// One evaluation, in centipawns for the side to move.
struct Evaluation<'a> {
    network: &'a Network,
    sums: &'a mut [[Sums; 2]; 2],
    position: &'a Position,
}

impl Task for Evaluation<'_> {
    type Output = Score;

    #[inline(always)]
    fn run(self) -> Score {
        let (network, position) = (self.network, self.position);
        let lanes = network.bias.len();
        let turn = position.turn();
        // No closure: it would be compiled for all processors, apart from the code around it.
        let [black, white] = self.sums;
        let white = update(network, white, position, Color::White);
        let black = update(network, black, position, Color::Black);
        let (own, other) = match turn {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        let output = output_of(position.board().occupied().count());
        let (first, second) = network.outputs[2 * lanes * output..][..2 * lanes].split_at(lanes);
        let sum = weighted(own, first) + weighted(other, second);
        let logit = i64::from(sum / UNIT + network.output_bias[output]);
        (logit * i64::from(network.scale) / i64::from(UNIT * OUTPUT_UNIT)) as Score
    }
}

/// Brings the sums of a side, in the orientation that its king asks for, up to date with a
/// position.
#[inline(always)]
fn update<'a>(
    network: &Network,
    sums: &'a mut [Sums; 2],
    position: &Position,
    view: Color,
) -> &'a [Lane] {
    let board = position.board();
    let mirrored = board.king_of(view).is_some_and(is_mirrored);
    let sums = &mut sums[usize::from(mirrored)];
    let mut added = [0u16; 64];
    let mut removed = [0u16; 64];
    let (mut adds, mut removes) = (0, 0);
    for color in Color::ALL {
        for role in Role::ALL {
            let now = board.by_color(color) & board.by_role(role);
            let before = &mut sums.pieces[color as usize][role as usize - 1];
            let piece = Piece { color, role };
            for square in now & !*before {
                added[adds & 63] = input(view, mirrored, piece, square) as u16;
                adds += 1;
            }
            for square in *before & !now {
                removed[removes & 63] = input(view, mirrored, piece, square) as u16;
                removes += 1;
            }
            *before = now;
        }
    }
    let lanes = network.bias.len();
    let row = |input: u16, lane: usize| &network.inputs[usize::from(input) % INPUTS * lanes + lane];
    for (lane, values) in sums.lanes.iter_mut().enumerate() {
        let mut kept = *values;
        for &input in &added[..adds.min(64)] {
            let weights = row(input, lane);
            for i in 0..LANE {
                kept[i] = kept[i].wrapping_add(weights[i]);
            }
        }
        for &input in &removed[..removes.min(64)] {
            let weights = row(input, lane);
            for i in 0..LANE {
                kept[i] = kept[i].wrapping_sub(weights[i]);
            }
        }
        *values = kept;
    }
    &sums.lanes
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
                for _ in 0..100 {
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
                            sums: &mut evaluator.sums,
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
            let expected = new.evaluate(&position);
            assert_eq!(used.evaluate(&position), expected, "{fen}");
        }
        used.clear();
        let start = Position::default();
        let expected = NetworkEvaluator::new(network).evaluate(&start);
        assert_eq!(used.evaluate(&start), expected);
    }
}
