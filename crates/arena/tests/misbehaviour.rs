//! Engines that crash, stall, cheat, flood and come late lose their games, each for its own reason; the match goes on.

use std::time::Duration;

use everymove_arena::openings::{Maker, Recipe};
use everymove_arena::{
    Adjudication, ArenaError, CastlingMode, Ending, Format, Limits, Outcome, Patience, Plan,
    Program, Report, TimeControl, play,
};
use everymove_kernel::run::Run;

const MOCK: &str = env!("CARGO_BIN_EXE_mock-engine");
const GAMES: u64 = 4;

fn mock(name: &str, behaviour: &str, after: u32) -> Program {
    Program {
        name: name.into(),
        command: MOCK.into(),
        arguments: vec![behaviour.into(), after.to_string()],
        folder: None,
        protocol: everymove_arena::Protocol::Uci,
        options: Vec::new(),
        limits: None,
    }
}

/// An honest engine against one that is not.
fn plan(behaviour: &str, after: u32, limits: Limits) -> Plan {
    let engines = vec![
        mock("honest", "honest", 0),
        mock("culprit", behaviour, after),
    ];
    let rounds = GAMES / 2;
    let openings = Maker::new(Recipe::default()).take(rounds as usize);
    let mut plan = Plan::new(
        engines,
        Format::RoundRobin,
        rounds,
        openings.collect(),
        limits,
        CastlingMode::Standard,
    )
    .unwrap();
    plan.adjudication = Adjudication {
        max_moves: Some(30),
        ..Adjudication::default()
    };
    plan.patience = Patience {
        think: Duration::from_millis(400),
        answer: Duration::from_millis(400),
        quit: Duration::from_millis(50),
        ..Patience::default()
    };
    plan
}

fn nodes() -> Limits {
    Limits {
        nodes: Some(1),
        ..Limits::default()
    }
}

fn clock(millis: u64) -> Limits {
    Limits {
        clock: Some(TimeControl {
            moves: None,
            base: Duration::from_millis(millis),
            increment: Duration::ZERO,
        }),
        ..Limits::default()
    }
}

fn played(plan: &Plan) -> Report {
    let report = play(plan, None, &Run::serial(), &mut |_, _| ()).unwrap();
    assert!(report.complete);
    assert_eq!(report.games.len() as u64, GAMES);
    report
}

/// Every game is lost by the culprit, for this reason, with words that contain `detail`.
fn convicts(behaviour: &str, limits: Limits, ending: Ending, detail: &str) {
    let report = played(&plan(behaviour, 2, limits));
    for game in report.games.values() {
        let honest_wins = Outcome::win(if game.white == 0 {
            everymove_arena::Color::White
        } else {
            everymove_arena::Color::Black
        });
        let found = game.detail.as_deref().unwrap_or_default();
        assert_eq!(
            (game.ending, game.outcome),
            (ending, honest_wins),
            "{behaviour}: {found}"
        );
        assert!(
            found.contains(detail),
            "{behaviour}: '{found}' lacks '{detail}'"
        );
        // Two answers of the culprit were fine.
        let own = game.moves.len() / 2;
        assert!(own >= 1, "{behaviour}: {} moves", game.moves.len());
    }
    assert_eq!(report.standings.failures(1), [(ending, GAMES)]);
    assert_eq!(report.standings.failures(0), []);
}

#[test]
fn crashes_are_told_with_how_the_process_ended() {
    convicts("crash", nodes(), Ending::Crash, "exit code 3");
    #[cfg(unix)]
    convicts("abort", nodes(), Ending::Crash, "signal");
}

#[test]
fn stalls_are_waited_for_with_patience_and_no_longer() {
    for behaviour in ["stall", "deaf", "flood", "endless-line"] {
        convicts(behaviour, nodes(), Ending::Stall, "no move within");
        convicts(behaviour, clock(300), Ending::Stall, "no move within");
    }
}

#[test]
fn illegal_moves_are_quoted() {
    for (behaviour, quoted) in [
        ("cheat", "answered 'a1h8'"),
        ("null", "answered '0000'"),
        ("nonsense", "answered '"),
        ("silent-move", "answered ''"),
    ] {
        convicts(behaviour, nodes(), Ending::IllegalMove, quoted);
    }
}

#[test]
fn who_comes_late_loses_on_time() {
    convicts("late", clock(300), Ending::TimeForfeit, "too late");
    // Under a limit of nodes nobody comes too late.
    let mut patient = plan("late", 60, nodes());
    patient.patience.think = Duration::from_secs(60);
    assert_eq!(played(&patient).standings.failures(1), []);
}

/// What is only unpleasant costs nothing: noise, nonsense about the search, a process that does not go away.
#[test]
fn bad_manners_are_no_crime() {
    for behaviour in ["bytes", "lies", "stays"] {
        let mut plan = plan(behaviour, 0, nodes());
        plan.patience.think = Duration::from_secs(60);
        plan.patience.answer = Duration::from_secs(60);
        let report = played(&plan);
        assert_eq!(report.standings.failures(1), [], "{behaviour}");
        for game in report.games.values() {
            assert!(!game.ending.is_failure());
            let text = plan.pgn(game, "manners");
            assert!(text.contains("[PlyCount"), "{text}");
        }
    }
}

#[test]
fn an_engine_that_never_starts_is_an_error_before_the_first_game() {
    for (behaviour, words) in [
        ("dies-at-start", "it does not start: exit code 7"),
        ("mute", "no uciok within"),
        ("never-ready", "no readyok within"),
    ] {
        let mut plan = plan(behaviour, 0, nodes());
        plan.patience.start = Duration::from_millis(500);
        let error = play(&plan, None, &Run::serial(), &mut |_, _| ()).unwrap_err();
        let ArenaError::Engine { name, what } = &error else {
            panic!("{behaviour}: {error}");
        };
        assert_eq!(name, "culprit");
        assert!(what.contains(words), "{behaviour}: {what}");
    }
    let mut plan = plan("honest", 0, nodes());
    plan.engines[1].command = "/nowhere/engine".into();
    let error = play(&plan, None, &Run::serial(), &mut |_, _| ()).unwrap_err();
    assert!(error.to_string().contains("there is no such program"));
}

/// Two culprits, several games at once: each game has its own verdict.
#[test]
fn misbehaviour_stays_in_its_own_game() {
    let engines = vec![
        mock("honest", "honest", 0),
        mock("crasher", "crash", 5),
        mock("cheat", "cheat", 3),
    ];
    let openings = Maker::new(Recipe::default()).take(4).collect();
    let mut plan = Plan::new(
        engines,
        Format::RoundRobin,
        4,
        openings,
        nodes(),
        CastlingMode::Standard,
    )
    .unwrap();
    plan.adjudication.max_moves = Some(30);
    plan.concurrency = 3;
    let report = play(&plan, None, &Run::serial(), &mut |_, _| ()).unwrap();
    assert!(report.complete);
    assert_eq!(report.games.len(), 24);
    assert_eq!(report.standings.failures(0), []);
    for game in report.games.values() {
        assert!(game.ending.is_failure(), "{:?}", game.ending);
        if game.white * game.black == 2 {
            // The cheat is caught before the crasher has moved six times.
            assert_eq!(game.ending, Ending::IllegalMove);
        }
    }
}
