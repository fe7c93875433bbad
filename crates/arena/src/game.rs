//! One game between two engines.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use everymove_kernel::run::Stop;
use shakmaty::{CastlingMode, Color};

use crate::limits::Limits;
use crate::line::{Line, Opening, RuleEnd};
use crate::program::Program;
use crate::record::{Ending, Game, Outcome, Played};
use crate::referee::{Adjudication, Oracle, Referee};
use crate::talk::{self, Ask, Choice, Fault, Patience, StartError, Talk};

/// What holds for every game of a match.
pub(crate) struct Rules<'a> {
    pub(crate) limits: Limits,
    /// How far past its flag an engine may answer.
    pub(crate) margin: Duration,
    pub(crate) adjudication: &'a Adjudication,
    pub(crate) oracle: Option<&'a dyn Oracle>,
    pub(crate) patience: Patience,
    pub(crate) mode: CastlingMode,
    pub(crate) stop: &'a Stop,
}

impl Rules<'_> {
    fn limits_of(&self, program: &Program) -> Limits {
        program.limits.unwrap_or(self.limits)
    }
}

/// A player's chair: its program, and its process while that runs.
pub(crate) struct Seat<'a> {
    program: &'a Program,
    talk: Option<Box<dyn Talk>>,
}

impl<'a> Seat<'a> {
    pub(crate) fn new(program: &'a Program) -> Self {
        Self {
            program,
            talk: None,
        }
    }

    /// The engine, started if it does not run.
    pub(crate) fn talk(&mut self, rules: &Rules<'_>) -> Result<&mut dyn Talk, StartError> {
        let chess960 = rules.mode == CastlingMode::Chess960;
        match &mut self.talk {
            Some(talk) => Ok(talk.as_mut()),
            empty => {
                let talk = talk::start(self.program, chess960, rules.patience, rules.stop)?;
                Ok(empty.insert(talk).as_mut())
            }
        }
    }

    /// Ends the process; the next game starts it anew.
    fn dismiss(&mut self) {
        self.talk = None;
    }
}

/// A game that was given up because the match is being stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interrupted;

/// A clock with its time control.
struct Clock {
    limits: Limits,
    left: Duration,
    moves: u32,
}

impl Clock {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            left: limits.clock.map_or(Duration::ZERO, |c| c.base),
            moves: 0,
        }
    }

    fn left(&self) -> Option<Duration> {
        self.limits.clock.map(|_| self.left)
    }

    fn increment(&self) -> Duration {
        self.limits.clock.map_or(Duration::ZERO, |c| c.increment)
    }

    fn moves_to_go(&self) -> Option<u32> {
        let moves = self.limits.clock?.moves?;
        Some(moves - self.moves % moves)
    }

    fn flag(&self) -> Option<Duration> {
        self.left().or(self.limits.move_time)
    }

    /// Takes the time of a move off the clock and adds what comes after it.
    fn press(&mut self, spent: Duration) {
        let Some(control) = self.limits.clock else {
            return;
        };
        self.left = self.left.saturating_sub(spent) + control.increment;
        self.moves += 1;
        if control
            .moves
            .is_some_and(|moves| self.moves.is_multiple_of(moves))
        {
            self.left += control.base;
        }
    }
}

/// Plays a game to its end, whatever the players do.
///
/// # Panics
/// If the opening cannot be played: openings are checked when they are read.
pub(crate) fn play(
    number: u64,
    seats: [&mut Seat<'_>; 2],
    players: [usize; 2],
    opening: &Opening,
    rules: &Rules<'_>,
) -> Result<Game, Interrupted> {
    let began = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    let line = Line::new(opening, rules.mode).expect("openings are checked when they are read");
    let clocks = [0, 1].map(|side| Clock::new(rules.limits_of(seats[side].program)));
    let mut table = Table {
        seats,
        line,
        clocks,
        moves: Vec::new(),
        referee: Referee::new(rules.adjudication),
        rules,
    };
    let end = table.play()?;
    let moves = table.moves;
    Ok(Game {
        number,
        white: players[0],
        black: players[1],
        opening: opening.clone(),
        moves,
        outcome: end.outcome,
        ending: end.ending,
        detail: end.detail,
        began,
    })
}

struct End {
    outcome: Outcome,
    ending: Ending,
    detail: Option<String>,
}

impl End {
    fn plain(outcome: Outcome, ending: Ending) -> Self {
        Self {
            outcome,
            ending,
            detail: None,
        }
    }

    fn failure(side: Color, ending: Ending, detail: String) -> Self {
        Self {
            outcome: Outcome::win(!side),
            ending,
            detail: Some(detail),
        }
    }
}

/// A game going on.
struct Table<'a, 'b> {
    seats: [&'a mut Seat<'b>; 2],
    line: Line,
    clocks: [Clock; 2],
    moves: Vec<Played>,
    referee: Referee<'a>,
    rules: &'a Rules<'a>,
}

fn place(side: Color) -> usize {
    side.fold_wb(0, 1)
}

impl Table<'_, '_> {
    fn play(&mut self) -> Result<End, Interrupted> {
        for side in Color::ALL {
            if let Some(end) = self.prepare(side)? {
                return Ok(end);
            }
        }
        loop {
            if let Some(end) = self.turn()? {
                for seat in &mut self.seats {
                    if let Some(talk) = &mut seat.talk {
                        talk.game_over();
                    }
                }
                return Ok(end);
            }
        }
    }

    /// Makes a player ready; who cannot be made ready loses.
    fn prepare(&mut self, side: Color) -> Result<Option<End>, Interrupted> {
        let seat = &mut *self.seats[place(side)];
        let ready = match seat.talk(self.rules) {
            Ok(talk) => talk.new_game(&self.line),
            Err(StartError::Behaves(fault)) => Err(fault),
            Err(StartError::Described(what)) => Err(Fault::Crash(what)),
        };
        match ready {
            Ok(()) => Ok(None),
            Err(fault) => self.fail(side, fault).map(Some),
        }
    }

    fn fail(&mut self, side: Color, fault: Fault) -> Result<End, Interrupted> {
        self.seats[place(side)].dismiss();
        match fault {
            Fault::Stopped => Err(Interrupted),
            Fault::Crash(what) => Ok(End::failure(side, Ending::Crash, what)),
            Fault::Stall(what) => Ok(End::failure(side, Ending::Stall, what)),
        }
    }

    /// One move; the end of the game if it ended it.
    fn turn(&mut self) -> Result<Option<End>, Interrupted> {
        let side = self.line.turn();
        let (own, other) = (&self.clocks[place(side)], &self.clocks[place(!side)]);
        let flag = own.flag();
        let ask = Ask {
            line: &self.line,
            limits: &own.limits,
            // An opponent without a clock never runs out of time: it is shown the same as one's own.
            left: own.left().map(|left| (left, other.left().unwrap_or(left))),
            increments: (own.increment(), other.increment()),
            moves_to_go: own.moves_to_go(),
            flag: flag.map(|f| f + self.rules.margin),
        };
        let asked = Instant::now();
        let answer = match self.seats[place(side)].talk(self.rules) {
            Ok(talk) => talk.think(&ask),
            Err(StartError::Behaves(fault)) => Err(fault),
            Err(StartError::Described(what)) => Err(Fault::Crash(what)),
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(fault) => return self.fail(side, fault).map(Some),
        };
        debug_assert!(answer.spent <= asked.elapsed());
        let text = match answer.choice {
            Choice::Move(text) => text,
            Choice::Resign => {
                let outcome = Outcome::win(!side);
                return Ok(Some(End::plain(outcome, Ending::Resignation)));
            }
        };
        if let Some(flag) = ask.flag.filter(|&flag| answer.spent > flag) {
            return Ok(Some(late(side, answer.spent, flag)));
        }
        let Some(m) = self.line.read(&text) else {
            let shown: String = text.chars().take(40).collect();
            let what = format!("answered '{shown}' in {}", self.line.fen());
            return Ok(Some(End::failure(side, Ending::IllegalMove, what)));
        };
        self.line.play(m);
        let clock = &mut self.clocks[place(side)];
        clock.press(answer.spent);
        self.moves.push(Played {
            text: self.line.texts().last().cloned().unwrap_or(text),
            micros: answer.spent.as_micros() as u64,
            left_millis: clock.left().map(|left| left.as_millis() as u64),
            thought: answer.thought,
        });
        if let Some(end) = self.line.end() {
            return Ok(Some(by_rule(end, side)));
        }
        let score = answer.thought.score;
        let verdict = (self.referee).look(side, score, self.line.position(), self.rules.oracle);
        Ok(verdict.map(|(outcome, ending)| End::plain(outcome, ending)))
    }
}

fn by_rule(end: RuleEnd, mover: Color) -> End {
    let outcome = match end {
        RuleEnd::Checkmate => Outcome::win(mover),
        _ => Outcome::Draw,
    };
    End::plain(outcome, end.into())
}

fn late(side: Color, spent: Duration, flag: Duration) -> End {
    let over = (spent - flag).as_secs_f64();
    End::failure(side, Ending::TimeForfeit, format!("{over:.3} s too late"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limits::TimeControl;

    proptest! {
        /// Time is neither made nor lost: base for each control, increments, less what was spent.
        #[test]
        fn clocks_keep_the_time(
            spent in prop::collection::vec(0u64..900, 1..100),
            moves in prop::option::of(1u32..50),
            increment in 0u64..50,
        ) {
            let control = TimeControl {
                moves,
                base: Duration::from_secs(100),
                increment: Duration::from_millis(increment),
            };
            let mut clock = Clock::new(Limits { clock: Some(control), ..Limits::default() });
            for &millis in &spent {
                prop_assert!(clock.moves_to_go().is_none_or(|m| m >= 1 && Some(m) <= moves));
                clock.press(Duration::from_millis(millis));
            }
            let played = spent.len() as u64;
            let controls = 1 + moves.map_or(0, |m| played / u64::from(m));
            let expected = controls * 100_000 + played * increment - spent.iter().sum::<u64>();
            prop_assert_eq!(clock.left(), Some(Duration::from_millis(expected)));
        }
    }
}
