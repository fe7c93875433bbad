//! Ending games that are decided, where the match allows it. Everything here is off unless asked for.

use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color, Position};

use crate::record::{Ending, Outcome};
use crate::talk::thought::Score;

/// A side loses whose own evaluation has been hopeless for some moves in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResignRule {
    /// How many of its moves in a row.
    pub moves: u32,
    /// At or below minus so many hundredths of a pawn.
    pub centipawns: i32,
    /// Whether the opponent must see it likewise.
    pub both: bool,
}

/// A game is drawn in which both evaluations have been near zero for some moves in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRule {
    /// Not before this move of the game.
    pub from: u32,
    /// How many moves of each side in a row.
    pub moves: u32,
    /// Within so many hundredths of a pawn.
    pub centipawns: i32,
}

/// When a game is ended before the rules of chess end it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// Losing by evaluation.
    pub resign: Option<ResignRule>,
    /// Drawing by evaluation.
    pub draw: Option<DrawRule>,
    /// Drawn after so many moves.
    pub max_moves: Option<u32>,
}

/// Tells the outcome of positions with few pieces; `None` where it does not know.
pub trait Oracle: Send + Sync {
    /// The outcome under best play and the fifty-move rule.
    fn outcome(&self, position: &Chess) -> Option<Outcome>;
}

/// Watches one game.
#[derive(Debug)]
pub(crate) struct Referee<'a> {
    rules: &'a Adjudication,
    /// For each side: moves in a row that were hopeless, and that were won.
    hopeless: [u32; 2],
    winning: [u32; 2],
    /// Moves of either side in a row that were level.
    level: u32,
}

impl<'a> Referee<'a> {
    pub(crate) fn new(rules: &'a Adjudication) -> Self {
        Self {
            rules,
            hopeless: [0; 2],
            winning: [0; 2],
            level: 0,
        }
    }

    /// Looks at a move of `side`, valued `score` by it; `after` is the position then.
    pub(crate) fn look(
        &mut self,
        side: Color,
        score: Option<Score>,
        after: &Chess,
        oracle: Option<&dyn Oracle>,
    ) -> Option<(Outcome, Ending)> {
        let value = score.map(Score::centipawns);
        if let Some(outcome) = oracle.and_then(|o| o.outcome(after)) {
            return Some((outcome, Ending::Tablebase));
        }
        self.resign(side, value)
            .or_else(|| self.draw(value, after))
            .or_else(|| {
                // The count of moves goes up when Black has moved.
                let over = self
                    .rules
                    .max_moves
                    .is_some_and(|max| after.fullmoves().get() > max);
                over.then_some((Outcome::Draw, Ending::MoveLimit))
            })
    }

    fn resign(&mut self, side: Color, value: Option<i32>) -> Option<(Outcome, Ending)> {
        let rule = self.rules.resign?;
        let count =
            |counter: &mut u32, holds: bool| *counter = if holds { *counter + 1 } else { 0 };
        let own = side as usize;
        count(
            &mut self.hopeless[own],
            value.is_some_and(|v| v <= -rule.centipawns),
        );
        count(
            &mut self.winning[own],
            value.is_some_and(|v| v >= rule.centipawns),
        );
        for loser in Color::ALL {
            let agreed = !rule.both || self.winning[!loser as usize] >= rule.moves;
            if agreed && self.hopeless[loser as usize] >= rule.moves {
                return Some((Outcome::win(!loser), Ending::AdjudicatedLoss));
            }
        }
        None
    }

    fn draw(&mut self, value: Option<i32>, after: &Chess) -> Option<(Outcome, Ending)> {
        let rule = self.rules.draw?;
        let level = value.is_some_and(|v| v.abs() <= rule.centipawns);
        self.level = if level { self.level + 1 } else { 0 };
        let late = after.fullmoves().get() > rule.from;
        (late && self.level >= 2 * rule.moves).then_some((Outcome::Draw, Ending::AdjudicatedDraw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(rules: &Adjudication, scores: &[i32]) -> Option<(usize, Outcome, Ending)> {
        let mut referee = Referee::new(rules);
        let position = Chess::default();
        scores.iter().enumerate().find_map(|(i, &cp)| {
            let side = if i % 2 == 0 {
                Color::White
            } else {
                Color::Black
            };
            let found = referee.look(side, Some(Score::Cp(cp)), &position, None);
            found.map(|(outcome, ending)| (i, outcome, ending))
        })
    }

    #[test]
    fn nothing_is_adjudicated_unless_asked() {
        assert_eq!(verdict(&Adjudication::default(), &[-9999; 400]), None);
    }

    #[test]
    fn hopeless_sides_resign() {
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
            verdict(&rule(false), &scores),
            Some((10, Outcome::BlackWins, Ending::AdjudicatedLoss))
        );
        assert_eq!(
            verdict(&rule(true), &scores),
            Some((13, Outcome::BlackWins, Ending::AdjudicatedLoss))
        );
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
            verdict(&rules, &scores),
            Some((7, Outcome::Draw, Ending::AdjudicatedDraw))
        );
    }
}
