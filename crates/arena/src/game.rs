//! One game between two engines.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use everymove_kernel::run::Stop;
use shakmaty::{CastlingMode, Color, Position as _};

use crate::adjudication::{Adjudication, Adjudicator, Tablebase};
use crate::engine_config::EngineConfig;
use crate::game_state::{GameState, Opening, RuleEnd};
use crate::limits::Limits;
use crate::protocol::{
    self, Choice, Connection, EngineLog, Fault, SearchRequest, StartError, Timeouts,
};
use crate::record::{Ending, GameRecord, MoveRecord, Outcome};

/// The settings that all games of a match share.
pub(crate) struct GameSettings<'a> {
    pub(crate) limits: Limits,
    /// How long after its flag has fallen an engine may still move.
    pub(crate) margin: Duration,
    pub(crate) adjudication: &'a Adjudication,
    pub(crate) tables: Option<&'a dyn Tablebase>,
    pub(crate) timeouts: Timeouts,
    pub(crate) mode: CastlingMode,
    /// The processors that engines are bound to; any if empty.
    pub(crate) processors: &'a [usize],
    /// Where all that engines are sent and write goes.
    pub(crate) log: Option<&'a EngineLog>,
    pub(crate) stop: &'a Stop,
}

impl GameSettings<'_> {
    fn limits_of(&self, config: &EngineConfig) -> Limits {
        config.limits.unwrap_or(self.limits)
    }
}

/// An engine of the match, and its process while that runs.
pub(crate) struct Player<'a> {
    config: &'a EngineConfig,
    connection: Option<Box<dyn Connection>>,
}

impl<'a> Player<'a> {
    pub(crate) fn new(config: &'a EngineConfig) -> Self {
        Self {
            config,
            connection: None,
        }
    }

    /// Returns the connection to the engine, which is started if it does not run.
    pub(crate) fn connection(
        &mut self,
        settings: &GameSettings<'_>,
    ) -> Result<&mut dyn Connection, StartError> {
        let chess960 = settings.mode == CastlingMode::Chess960;
        match &mut self.connection {
            Some(connection) => Ok(connection.as_mut()),
            empty => {
                let GameSettings {
                    processors,
                    timeouts,
                    log,
                    stop,
                    ..
                } = *settings;
                let connection =
                    protocol::start(self.config, chess960, processors, timeouts, log, stop)?;
                Ok(empty.insert(connection).as_mut())
            }
        }
    }

    /// Ends the process; the next game starts it again.
    fn terminate(&mut self) {
        self.connection = None;
    }
}

/// The match was stopped during a game, which is not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatchStopped;

/// The clock of one side.
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

    /// Subtracts the time of a move; adds the increment and, at a time control, the base time.
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

/// Plays game `number` to its end, whatever the engines do. `players` and `engines` (indices of
/// engines) are in the order White, Black.
///
/// # Panics
/// If the opening cannot be played: openings are checked when they are read.
pub(crate) fn play(
    number: u64,
    players: [&mut Player<'_>; 2],
    engines: [usize; 2],
    opening: &Opening,
    settings: &GameSettings<'_>,
) -> Result<GameRecord, MatchStopped> {
    let began = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    let state = GameState::new(opening, settings.mode).expect("openings are checked when read");
    let clocks = [0, 1].map(|side| Clock::new(settings.limits_of(players[side].config)));
    let mut game = RunningGame {
        players,
        state,
        clocks,
        moves: Vec::new(),
        adjudicator: Adjudicator::new(settings.adjudication),
        settings,
    };
    let end = game.play()?;
    Ok(GameRecord {
        number,
        white: engines[0],
        black: engines[1],
        opening: opening.clone(),
        moves: game.moves,
        outcome: end.outcome,
        ending: end.ending,
        detail: end.detail,
        began,
    })
}

struct GameEnd {
    outcome: Outcome,
    ending: Ending,
    detail: Option<String>,
}

impl GameEnd {
    fn regular(outcome: Outcome, ending: Ending) -> Self {
        Self {
            outcome,
            ending,
            detail: None,
        }
    }

    /// `side` loses by a failure.
    fn failure(side: Color, ending: Ending, detail: String) -> Self {
        Self {
            outcome: Outcome::win(!side),
            ending,
            detail: Some(detail),
        }
    }
}

struct RunningGame<'a, 'b> {
    players: [&'a mut Player<'b>; 2],
    state: GameState,
    clocks: [Clock; 2],
    moves: Vec<MoveRecord>,
    adjudicator: Adjudicator<'a>,
    settings: &'a GameSettings<'a>,
}

/// The index of a side in arrays in the order White, Black.
fn index(side: Color) -> usize {
    side.fold_wb(0, 1)
}

impl RunningGame<'_, '_> {
    fn play(&mut self) -> Result<GameEnd, MatchStopped> {
        for side in Color::ALL {
            if let Some(end) = self.prepare(side)? {
                return Ok(end);
            }
        }
        loop {
            if let Some(end) = self.play_move()? {
                for player in &mut self.players {
                    if let Some(connection) = &mut player.connection {
                        connection.game_over();
                    }
                }
                return Ok(end);
            }
        }
    }

    /// Prepares an engine for the game; it loses if that fails.
    fn prepare(&mut self, side: Color) -> Result<Option<GameEnd>, MatchStopped> {
        let ready = match self.players[index(side)].connection(self.settings) {
            Ok(connection) => connection.new_game(&self.state).map_err(Into::into),
            Err(error) => Err(error),
        };
        match ready {
            Ok(()) => Ok(None),
            Err(error) => self.lose_by(side, error).map(Some),
        }
    }

    fn lose_by(&mut self, side: Color, error: StartError) -> Result<GameEnd, MatchStopped> {
        self.players[index(side)].terminate();
        let (ending, detail) = match error {
            StartError::Fault(Fault::Stopped) => return Err(MatchStopped),
            StartError::Fault(Fault::OutOfTime(detail)) => {
                return Ok(self.time_forfeit(side, detail));
            }
            StartError::Fault(Fault::Stall(detail)) => (Ending::Stall, detail),
            StartError::Fault(Fault::Crash(detail)) | StartError::Configuration(detail) => {
                (Ending::Crash, detail)
            }
        };
        Ok(GameEnd::failure(side, ending, detail))
    }

    /// The flag of `side` has fallen: it loses, unless the other side can never mate.
    fn time_forfeit(&self, side: Color, detail: String) -> GameEnd {
        if self.state.position().has_insufficient_material(!side) {
            return GameEnd {
                outcome: Outcome::Draw,
                ending: Ending::DrawnTimeForfeit,
                detail: Some(detail),
            };
        }
        GameEnd::failure(side, Ending::TimeForfeit, detail)
    }

    /// Lets the engine of `side`, which has moved, think on the opponent's time if it may: in the
    /// game after the reply that it expects.
    fn ponder(&mut self, side: Color, reply: &str) {
        let player = &mut self.players[index(side)];
        let Some(connection) = player.connection.as_mut().filter(|_| player.config.ponder) else {
            return;
        };
        let mut game = self.state.clone();
        let Some(m) = game.parse_uci(reply) else {
            return;
        };
        game.play(m);
        if game.end().is_none() {
            let request = request(&game, side, &self.clocks, self.settings.margin);
            // A fault is found by the engine's next search.
            let _ = connection.ponder(&request);
        }
    }

    /// Plays one move; returns the end of the game if it ended.
    fn play_move(&mut self) -> Result<Option<GameEnd>, MatchStopped> {
        let side = self.state.turn();
        let request = request(&self.state, side, &self.clocks, self.settings.margin);
        let asked = Instant::now();
        let result = match self.players[index(side)].connection(self.settings) {
            Ok(connection) => connection.search(&request).map_err(Into::into),
            Err(error) => Err(error),
        };
        let result = match result {
            Ok(result) => result,
            Err(error) => return self.lose_by(side, error).map(Some),
        };
        debug_assert!(result.spent <= asked.elapsed());
        let late = request.flag.filter(|&flag| result.spent > flag);
        let text = match (result.choice, late) {
            (Choice::Resign, _) => {
                let outcome = Outcome::win(!side);
                return Ok(Some(GameEnd::regular(outcome, Ending::Resignation)));
            }
            (_, Some(flag)) => {
                let late = (result.spent - flag).as_secs_f64();
                let detail = format!("{late:.3} s too late");
                return Ok(Some(self.time_forfeit(side, detail)));
            }
            (Choice::Draw(end), None) => return Ok(Some(by_rule(end, side))),
            (Choice::Move(text), None) => text,
        };
        let Some(m) = self.state.parse_uci(&text) else {
            let shown: String = text.chars().take(40).collect();
            let detail = format!("answered '{shown}' in {}", self.state.fen());
            return Ok(Some(GameEnd::failure(side, Ending::IllegalMove, detail)));
        };
        self.state.play(m);
        let clock = &mut self.clocks[index(side)];
        clock.press(result.spent);
        self.moves.push(MoveRecord {
            uci: self.state.uci_moves().last().cloned().unwrap_or(text),
            micros: result.spent.as_micros() as u64,
            clock_millis: clock.left().map(|left| left.as_millis() as u64),
            info: result.info,
        });
        if let Some(end) = self.state.end() {
            return Ok(Some(by_rule(end, side)));
        }
        let (score, position) = (result.info.score, self.state.position());
        let (plies, tables) = (self.state.moves().len(), self.settings.tables);
        let adjudicated = (self.adjudicator).add_move(side, score, plies, position, tables);
        if let (None, Some(reply)) = (adjudicated, &result.reply) {
            self.ponder(side, reply);
        }
        Ok(adjudicated.map(|(outcome, ending)| GameEnd {
            outcome,
            ending,
            detail: self.settings.adjudication.rule(ending),
        }))
    }
}

/// The search that is asked of a side in a game.
fn request<'a>(
    game: &'a GameState,
    side: Color,
    clocks: &'a [Clock; 2],
    margin: Duration,
) -> SearchRequest<'a> {
    let (own, other) = (&clocks[index(side)], &clocks[index(!side)]);
    SearchRequest {
        game,
        limits: &own.limits,
        // For an opponent without a clock the engine's own time is sent: UCI has no word for
        // "unlimited".
        left: own.left().map(|left| (left, other.left().unwrap_or(left))),
        increments: (own.increment(), other.increment()),
        moves_to_go: own.moves_to_go(),
        flag: own.flag().map(|flag| flag + margin),
    }
}

fn by_rule(end: RuleEnd, mover: Color) -> GameEnd {
    let outcome = match end {
        RuleEnd::Checkmate => Outcome::win(mover),
        _ => Outcome::Draw,
    };
    GameEnd::regular(outcome, end.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limits::TimeControl;

    proptest! {
        /// The time left is the base of each time control plus the increments minus the time spent.
        #[test]
        fn clocks_add_up(
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
