//! Adjudication: ending games that are decided before the rules end them. Off by default.

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color};

use crate::protocol::search_info::Score;
use crate::record::{Ending, Outcome};

/// A side loses if its own evaluation was at or below a threshold for some consecutive moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResignRule {
    /// The number of consecutive moves of that side.
    pub moves: u32,
    /// The threshold is minus this many hundredths of a pawn.
    pub centipawns: i32,
    /// Whether the opponent's evaluations must have been at or above `centipawns` for as many
    /// moves.
    pub both: bool,
}

/// A game is drawn if the evaluations of both sides were near zero for some consecutive moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRule {
    /// The number of moves of the game, by each side, after which the rule applies.
    pub from: u32,
    /// The number of consecutive moves of each side.
    pub moves: u32,
    /// The largest absolute evaluation in hundredths of a pawn.
    pub centipawns: i32,
}

/// When a game is ended before the rules of chess end it.
///
/// Moves of a game are those after its first position, the moves of its opening included, whatever
/// move number the FEN of that position has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// Loss by evaluation.
    pub resign: Option<ResignRule>,
    /// Draw by evaluation.
    pub draw: Option<DrawRule>,
    /// Draw after this many moves of the game by each side.
    pub max_moves: Option<u32>,
}

impl Adjudication {
    /// The rule that ended a game, with its numbers; `None` for endings that have none.
    pub(crate) fn rule(&self, ending: Ending) -> Option<String> {
        match ending {
            Ending::AdjudicatedLoss => self.resign.map(|rule| {
                let ResignRule {
                    moves,
                    centipawns,
                    both,
                } = rule;
                let both = if both { " by both scores" } else { "" };
                format!("{centipawns} centipawns below zero for {moves} moves{both}")
            }),
            Ending::AdjudicatedDraw => self.draw.map(|rule| {
                let DrawRule {
                    from,
                    moves,
                    centipawns,
                } = rule;
                format!("within {centipawns} centipawns for {moves} moves, from move {from} on")
            }),
            Ending::MoveLimit => self.max_moves.map(|moves| format!("{moves} moves")),
            _ => None,
        }
    }
}

/// Endgame tables: the outcome of positions with few pieces.
pub trait Tablebase: Send + Sync {
    /// Returns the outcome under best play and the fifty-move rule; `None` if the position is not
    /// in the tables.
    fn outcome(&self, position: &Chess) -> Option<Outcome>;
}

/// Applies the rules to the evaluations of one game, move by move.
#[derive(Debug)]
pub(crate) struct Adjudicator<'a> {
    rules: &'a Adjudication,
    /// For each side: the current number of consecutive moves with an evaluation at or below the
    /// resign threshold.
    losing: [u32; 2],
    /// For each side: the current number of consecutive moves with an evaluation at or above it
    /// for the winner.
    winning: [u32; 2],
    /// The current number of consecutive moves, of both sides, with an evaluation within the draw
    /// threshold.
    level: u32,
}

impl<'a> Adjudicator<'a> {
    pub(crate) fn new(rules: &'a Adjudication) -> Self {
        Self {
            rules,
            losing: [0; 2],
            winning: [0; 2],
            level: 0,
        }
    }

    /// Adds a move of `side` with its evaluation `score`, the `plies`-th of the game; `after` is
    /// the position after it. Returns the end of the game if a rule applies.
    pub(crate) fn add_move(
        &mut self,
        side: Color,
        score: Option<Score>,
        plies: usize,
        after: &Chess,
        tables: Option<&dyn Tablebase>,
    ) -> Option<(Outcome, Ending)> {
        let value = score.map(Score::centipawns);
        if let Some(outcome) = tables.and_then(|t| t.outcome(after)) {
            return Some((outcome, Ending::Tablebase));
        }
        self.resign(side, value)
            .or_else(|| self.draw(value, plies))
            .or_else(|| {
                let most = self.rules.max_moves?;
                played(plies, most).then_some((Outcome::Draw, Ending::MoveLimit))
            })
    }

    fn resign(&mut self, side: Color, value: Option<i32>) -> Option<(Outcome, Ending)> {
        let rule = self.rules.resign?;
        let count =
            |counter: &mut u32, holds: bool| *counter = if holds { *counter + 1 } else { 0 };
        let own = side as usize;
        count(
            &mut self.losing[own],
            value.is_some_and(|v| v <= -rule.centipawns),
        );
        count(
            &mut self.winning[own],
            value.is_some_and(|v| v >= rule.centipawns),
        );
        for loser in Color::ALL {
            let agreed = !rule.both || self.winning[!loser as usize] >= rule.moves;
            if agreed && self.losing[loser as usize] >= rule.moves {
                return Some((Outcome::win(!loser), Ending::AdjudicatedLoss));
            }
        }
        None
    }

    fn draw(&mut self, value: Option<i32>, plies: usize) -> Option<(Outcome, Ending)> {
        let rule = self.rules.draw?;
        let level = value.is_some_and(|v| v.abs() <= rule.centipawns);
        self.level = if level { self.level + 1 } else { 0 };
        (played(plies, rule.from) && self.level >= 2 * rule.moves)
            .then_some((Outcome::Draw, Ending::AdjudicatedDraw))
    }
}

/// Whether each side has made this many moves.
fn played(plies: usize, moves: u32) -> bool {
    plies as u64 >= 2 * u64::from(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_decision(rules: &Adjudication, scores: &[i32]) -> Option<(usize, Outcome, Ending)> {
        let mut adjudicator = Adjudicator::new(rules);
        let position = Chess::default();
        scores.iter().enumerate().find_map(|(i, &cp)| {
            let side = if i % 2 == 0 {
                Color::White
            } else {
                Color::Black
            };
            let found = adjudicator.add_move(side, Some(Score::Cp(cp)), i + 1, &position, None);
            found.map(|(outcome, ending)| (i, outcome, ending))
        })
    }

    #[test]
    fn nothing_is_adjudicated_unless_asked() {
        assert_eq!(
            first_decision(&Adjudication::default(), &[-9999; 400]),
            None
        );
    }

    #[test]
    fn a_losing_side_resigns() {
        let rule = |both| Adjudication {
            resign: Some(ResignRule {
                moves: 3,
                centipawns: 500,
                both,
            }),
            ..Adjudication::default()
        };
        // White: -600 three times in a row from ply 4 on; Black agrees only later.
        let scores = [
            -600, 0, -600, 0, 0, 0, -600, 0, -500, 600, -600, 600, -700, 600,
        ];
        assert_eq!(
            first_decision(&rule(false), &scores),
            Some((10, Outcome::BlackWins, Ending::AdjudicatedLoss))
        );
        assert_eq!(
            first_decision(&rule(true), &scores),
            Some((13, Outcome::BlackWins, Ending::AdjudicatedLoss))
        );
    }

    #[test]
    fn rules_count_the_moves_of_the_game() {
        let draw = |from| Adjudication {
            draw: Some(DrawRule {
                from,
                moves: 1,
                centipawns: 10,
            }),
            ..Adjudication::default()
        };
        let most = |max| Adjudication {
            max_moves: Some(max),
            ..Adjudication::default()
        };
        let ply = |rules| first_decision(&rules, &[0; 200]).map(|(i, ..)| i + 1);
        for (from, plies) in [(0, 2), (1, 2), (2, 4), (5, 10), (50, 100), (100, 200)] {
            assert_eq!(ply(draw(from)), Some(plies), "{from}");
        }
        assert_eq!(ply(draw(101)), None);
        for max in [1, 2, 3, 40, 100] {
            assert_eq!(ply(most(max)), Some(2 * max as usize), "{max}");
        }
        assert_eq!(ply(most(101)), None);
    }

    #[test]
    fn level_games_are_drawn() {
        let rules = Adjudication {
            draw: Some(DrawRule {
                from: 0,
                moves: 2,
                centipawns: 10,
            }),
            ..Adjudication::default()
        };
        let scores = [0, 5, -10, 11, 0, 0, 0, 0];
        assert_eq!(
            first_decision(&rules, &scores),
            Some((7, Outcome::Draw, Ending::AdjudicatedDraw))
        );
    }
}
