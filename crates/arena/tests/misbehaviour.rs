//! Engines that crash, stall, play illegal moves, flood or exceed their time lose their games for
//! that reason; the match continues.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use everymove_arena::openings::{Generator, GeneratorOptions};
use everymove_arena::{
    Adjudication, ArenaError, CastlingMode, Ending, EngineConfig, EngineLog, Limits, MatchPlan,
    MatchReport, Opening, Outcome, TimeControl, Timeouts, TournamentFormat, play_match,
};
use everymove_kernel::run::Run;

const MOCK: &str = env!("CARGO_BIN_EXE_mock-engine");
const GAMES: u64 = 4;

fn mock(name: &str, behaviour: &str, after: u32) -> EngineConfig {
    EngineConfig {
        name: name.into(),
        command: MOCK.into(),
        arguments: vec![behaviour.into(), after.to_string()],
        directory: None,
        protocol: everymove_arena::Protocol::Uci,
        options: Vec::new(),
        limits: None,
        ponder: false,
    }
}

/// A correct engine against one that misbehaves from its move `after` + 1 on.
fn plan(behaviour: &str, after: u32, limits: Limits) -> MatchPlan {
    let engines = vec![
        mock("correct", "correct", 0),
        mock("faulty", behaviour, after),
    ];
    let rounds = GAMES / 2;
    let openings = Generator::new(GeneratorOptions::default()).take(rounds as usize);
    let mut plan = MatchPlan::new(
        engines,
        TournamentFormat::RoundRobin,
        rounds,
        openings.collect::<Vec<_>>().into(),
        limits,
        CastlingMode::Standard,
    )
    .unwrap();
    plan.adjudication = Adjudication {
        max_moves: Some(30),
        ..Adjudication::default()
    };
    plan.timeouts = Timeouts {
        search: Duration::from_millis(400),
        response: Duration::from_millis(400),
        quit: Duration::from_millis(50),
        ..Timeouts::default()
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

fn played(plan: &MatchPlan) -> MatchReport {
    let report = play_match(plan, None, &Run::serial(), &mut |_, _| ()).unwrap();
    assert!(report.complete);
    assert_eq!(report.games.len() as u64, GAMES);
    report
}

/// Checks that the misbehaving engine loses every game with this ending and a detail that contains
/// `detail`.
fn loses_by(behaviour: &str, limits: Limits, ending: Ending, detail: &str) {
    let report = played(&plan(behaviour, 2, limits));
    for game in report.games.values() {
        let other_wins = Outcome::win(if game.white == 0 {
            everymove_arena::Color::White
        } else {
            everymove_arena::Color::Black
        });
        let found = game.detail.as_deref().unwrap_or_default();
        assert_eq!(
            (game.ending, game.outcome),
            (ending, other_wins),
            "{behaviour}: {found}"
        );
        assert!(
            found.contains(detail),
            "{behaviour}: '{found}' lacks '{detail}'"
        );
        // Its first two answers are correct.
        let own = game.moves.len() / 2;
        assert!(own >= 1, "{behaviour}: {} moves", game.moves.len());
    }
    assert_eq!(report.standings.failures(1), [(ending, GAMES)]);
    assert_eq!(report.standings.failures(0), []);
}

#[test]
fn crashes_are_reported_with_the_exit_status() {
    loses_by("crash", nodes(), Ending::Crash, "exit code 3");
    #[cfg(unix)]
    loses_by("abort", nodes(), Ending::Crash, "signal");
}

#[test]
fn a_stalling_engine_loses_on_time_if_a_clock_runs() {
    for behaviour in ["stall", "deaf", "flood", "endless-line"] {
        loses_by(behaviour, nodes(), Ending::Stall, "no move within");
        loses_by(behaviour, clock(300), Ending::TimeForfeit, "no move within");
    }
}

/// The two games of each position, first that in which the faulty engine is White.
fn from_openings(mut plan: MatchPlan, fens: &[&str]) -> Vec<[everymove_arena::GameRecord; 2]> {
    let opening = |fen: &&str| Opening {
        fen: Some((*fen).to_owned()),
        moves: Vec::new(),
    };
    plan.openings = fens.iter().map(opening).collect::<Vec<_>>().into();
    plan.rounds = fens.len() as u64;
    plan.concurrency = 4;
    let mut report = play_match(&plan, None, &Run::serial(), &mut |_, _| ()).unwrap();
    let numbers = 0..plan.rounds;
    let pairs = numbers.map(|n| [2 * n, 2 * n + 1].map(|n| report.games.remove(&n).unwrap()));
    // The faulty engine is White first.
    let ordered = pairs.map(|[first, second]| match first.white {
        1 => [first, second],
        _ => [second, first],
    });
    ordered.collect()
}

/// A flag that falls against pieces that can never mate is a draw.
#[test]
fn time_is_not_lost_against_pieces_that_cannot_mate() {
    let positions = [
        // Whether the result is a draw if White's flag falls, and if Black's falls.
        ("8/1k6/8/8/8/8/8/5RK1 w - - 0 1", true, false),
        ("8/1k6/8/8/8/8/6P1/6K1 w - - 0 1", true, false),
        ("8/1k6/1r6/8/8/8/8/6K1 w - - 0 1", false, true),
        ("8/1k6/8/1n6/8/8/7Q/6K1 w - - 0 1", true, false),
        ("8/1k6/8/1n6/8/8/6R1/6K1 w - - 0 1", false, false),
        ("8/1k6/8/1b6/8/8/6R1/6K1 w - - 0 1", true, false),
        ("8/1k6/8/1b6/8/8/6P1/6K1 w - - 0 1", false, false),
        ("8/1k6/8/8/8/8/6NN/6K1 w - - 0 1", true, false),
    ];
    let mut plan = plan("stall", 0, clock(100));
    plan.timeouts.response = Duration::from_millis(50);
    // Only the faulty engine has a clock.
    plan.engines[0].limits = Some(nodes());
    let games = from_openings(plan, &positions.map(|(fen, ..)| fen));
    for ((fen, white, black), games) in positions.into_iter().zip(games) {
        let lost = [Outcome::BlackWins, Outcome::WhiteWins];
        for ((game, drawn), lost) in games.iter().zip([white, black]).zip(lost) {
            let expected = match drawn {
                true => (Ending::DrawnTimeForfeit, Outcome::Draw),
                false => (Ending::TimeForfeit, lost),
            };
            assert_eq!((game.ending, game.outcome), expected, "{fen}");
            assert!(game.detail.is_some(), "{fen}");
        }
    }
}

/// A claim of a draw before a move counts if some move makes it a draw by rule; otherwise the move
/// is waited for.
#[test]
fn claims_of_draws_are_judged() {
    let fifty = |clock| format!("k7/8/8/p7/P7/8/8/K7 w - - {clock} 90");
    let played = |behaviour, fens: &[&str]| {
        let limits = Limits {
            depth: Some(1),
            ..Limits::default()
        };
        let mut plan = plan(behaviour, 0, limits);
        plan.engines[1].protocol = everymove_arena::Protocol::Xboard;
        plan.adjudication.max_moves = Some(4);
        from_openings(plan, fens)
    };
    let fens = [0, 91, 97, 98, 99].map(fifty);
    let fens = fens.each_ref().map(String::as_str);
    for behaviour in ["claim", "offer"] {
        // The plies until the game ends, with the faulty engine as White, as Black.
        let plies = match behaviour {
            "claim" => [[8, 8], [8, 8], [2, 3], [2, 1], [0, 1]],
            _ => [[8, 8], [8, 8], [3, 3], [2, 2], [1, 1]],
        };
        for ((games, plies), fen) in played(behaviour, &fens).iter().zip(plies).zip(fens) {
            for (game, plies) in games.iter().zip(plies) {
                let ending = match plies {
                    8 => Ending::MoveLimit,
                    _ => Ending::FiftyMoves,
                };
                assert_eq!(game.ending, ending, "{behaviour} {fen}: {:?}", game.detail);
                assert_eq!(game.outcome, Outcome::Draw, "{behaviour} {fen}");
                assert_eq!(game.moves.len(), plies, "{behaviour} {fen}");
            }
        }
    }
    // Without a move after a claim that is not valid it has stalled.
    let [[white, black]] = &played("claim-only", &fens[3..4])[..] else {
        panic!("one pair of games");
    };
    assert_eq!(
        (white.ending, white.outcome),
        (Ending::Stall, Outcome::BlackWins)
    );
    assert_eq!(
        (black.ending, black.outcome),
        (Ending::FiftyMoves, Outcome::Draw)
    );
}

/// A program is looked for in the engine's directory, then where its command says.
#[cfg(unix)]
#[test]
fn programs_are_found_in_their_directory() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin dir");
    std::fs::create_dir(&bin).unwrap();
    symlink(MOCK, bin.join("local mock")).unwrap();
    symlink(MOCK, folder.path().join("mock-link")).unwrap();
    let directory = |path: &std::path::Path| path.display().to_string();
    let (bin, folder) = (directory(&bin), directory(folder.path()));
    let error = |engine: &str| {
        let mut plan = plan("correct", 0, nodes());
        plan.engines[1] = engine.parse().unwrap();
        plan.engines[1].name = "tried".into();
        plan.rounds = 1;
        plan.adjudication.max_moves = Some(1);
        match play_match(&plan, None, &Run::serial(), &mut |_, _| ()) {
            Ok(report) => {
                assert_eq!(report.standings.failures(1), [], "{engine}");
                None
            }
            Err(error) => Some(error.to_string()),
        }
    };
    for engine in [
        format!("cmd=local mock,dir={bin}"),
        format!("dir={bin},cmd='local mock' correct"),
        format!("cmd=./local mock,dir={bin}"),
        format!("cmd=mock-link correct 0,dir={folder}"),
        format!("cmd=../mock-link,dir={bin}"),
        format!("cmd='bin dir/local mock',dir={folder}"),
        format!("cmd={MOCK},dir={folder}"),
    ] {
        assert_eq!(error(&engine), None, "{engine}");
    }
    for (engine, reason) in [
        (
            format!("cmd=mock-link,dir={folder}/none"),
            "there is no directory",
        ),
        (
            format!("cmd=/bin/cat,dir={folder}/mock-link"),
            "there is no directory",
        ),
        (
            format!("cmd=no-such-engine,dir={bin}"),
            "there is no such program, nor one in",
        ),
        (format!("cmd={folder}/none"), "there is no such program"),
    ] {
        let found = error(&engine).unwrap_or_default();
        assert!(found.contains(reason), "{engine}: {found}");
    }
}

#[test]
fn illegal_moves_are_quoted() {
    for (behaviour, quoted) in [
        ("cheat", "answered 'a1h8'"),
        ("null", "answered '0000'"),
        // Control characters are escaped before they reach a terminal.
        ("nonsense", "answered '\\u{1b}[31m{}\\u{0}' in"),
        ("silent-move", "answered ''"),
    ] {
        loses_by(behaviour, nodes(), Ending::IllegalMove, quoted);
    }
}

#[test]
fn a_late_move_loses_on_time() {
    loses_by("late", clock(300), Ending::TimeForfeit, "too late");
    // A limit of nodes has no time limit.
    let mut slow = plan("late", 60, nodes());
    slow.timeouts.search = Duration::from_secs(60);
    assert_eq!(played(&slow).standings.failures(1), []);
}

/// Binary output, wrong reports about the search and a process that ignores `quit` are tolerated.
#[test]
fn harmless_misbehaviour_is_tolerated() {
    for behaviour in ["bytes", "lies", "stays"] {
        let mut plan = plan(behaviour, 0, nodes());
        plan.timeouts.search = Duration::from_secs(60);
        plan.timeouts.response = Duration::from_secs(60);
        let report = played(&plan);
        assert_eq!(report.standings.failures(1), [], "{behaviour}");
        for game in report.games.values() {
            assert!(!game.ending.is_failure());
            let text = plan.pgn(game, "test");
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
        plan.timeouts.start = Duration::from_millis(500);
        let error = play_match(&plan, None, &Run::serial(), &mut |_, _| ()).unwrap_err();
        let ArenaError::Engine { name, reason } = &error else {
            panic!("{behaviour}: {error}");
        };
        assert_eq!(name, "faulty");
        assert!(reason.contains(words), "{behaviour}: {reason}");
    }
    let mut plan = plan("correct", 0, nodes());
    plan.engines[1].command = "/nowhere/engine".into();
    let error = play_match(&plan, None, &Run::serial(), &mut |_, _| ()).unwrap_err();
    assert!(error.to_string().contains("there is no such program"));
}

/// Two misbehaving engines, several games at once: each game has its own ending.
#[test]
fn misbehaviour_stays_in_its_own_game() {
    let engines = vec![
        mock("correct", "correct", 0),
        mock("crasher", "crash", 5),
        mock("cheat", "cheat", 3),
    ];
    let openings = Generator::new(GeneratorOptions::default());
    let mut plan = MatchPlan::new(
        engines,
        TournamentFormat::RoundRobin,
        4,
        openings.into(),
        nodes(),
        CastlingMode::Standard,
    )
    .unwrap();
    plan.adjudication.max_moves = Some(30);
    plan.concurrency = 3;
    let report = play_match(&plan, None, &Run::serial(), &mut |_, _| ()).unwrap();
    assert!(report.complete);
    assert_eq!(report.games.len(), 24);
    assert_eq!(report.standings.failures(0), []);
    for game in report.games.values() {
        assert!(game.ending.is_failure(), "{:?}", game.ending);
        if game.white * game.black == 2 {
            // The illegal move comes before the sixth move of the engine that crashes.
            assert_eq!(game.ending, Ending::IllegalMove);
        }
    }
}

/// The log has every line of both directions, also those of an engine that then crashes.
#[test]
fn what_engines_say_is_logged() {
    let mut plan = plan("crash", 2, nodes());
    let (sender, lines) = std::sync::mpsc::channel();
    plan.log = Some(EngineLog::new(move |line| {
        let _ = sender.send(line.to_owned());
    }));
    let report = play_match(&plan, None, &Run::serial(), &mut |_, _| ()).unwrap();
    drop(plan);
    let lines: Vec<String> = lines.try_iter().collect();
    let count = |name: &str, part: &str| {
        let of = |line: &&String| line.split(' ').nth(1).is_some_and(|w| w.starts_with(name));
        lines
            .iter()
            .filter(of)
            .filter(|line| line.contains(part))
            .count()
    };
    let moves: usize = report.games.values().map(|game| game.moves.len()).sum();
    let said = count("correct[", " -> bestmove ") + count("faulty[", " -> bestmove ");
    assert!(moves > 0 && said == moves, "{said} of {moves}");
    assert!(count("correct[", " <- go ") > 0 && count("faulty[", " <- uci") > 0);
}

/// An engine that thinks on the opponent's time plays the same games, whether its guesses are right
/// or wrong; one that does not stop thinking has stalled.
#[test]
fn engines_think_on_the_time_of_the_opponent() {
    let moves = |report: &MatchReport| -> Vec<Vec<String>> {
        let games = report.games.values();
        let texts = games.map(|game| game.moves.iter().map(|m| m.uci.clone()).collect());
        texts.collect()
    };
    let expected = moves(&played(&plan("correct", 0, clock(60_000))));
    for (behaviour, ponder, [pondered, hit, stopped]) in [
        ("ponders", true, [true, true, false]),
        ("ponders-wrong", true, [true, false, true]),
        ("ponders-early", true, [true, true, false]),
        ("ponders", false, [false; 3]),
    ] {
        let mut plan = plan(behaviour, 0, clock(60_000));
        plan.engines[1].ponder = ponder;
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines);
        plan.log = Some(EngineLog::new(move |line| {
            kept.lock().unwrap().push(line.to_owned());
        }));
        assert_eq!(moves(&played(&plan)), expected, "{behaviour}");
        let lines = lines.lock().unwrap();
        let count = |text: &str| {
            let sent = lines.iter().filter(|line| line.contains("<- "));
            sent.filter(|line| line.contains(text)).count()
        };
        let began = count("<- go ponder wtime ");
        let (hits, stops) = (count("<- ponderhit"), count("<- stop"));
        assert_eq!(began > 0, pondered, "{behaviour}");
        assert_eq!(hits > 0, hit, "{behaviour}");
        // The last search of a game is stopped in any case.
        assert_eq!(stops > GAMES as usize, stopped, "{behaviour}");
        assert_eq!(hits + stops, began, "{behaviour}");
        let value = if ponder { "true" } else { "false" };
        assert!(count(&format!("setoption name Ponder value {value}")) > 0);
    }
    let mut deaf = plan("ponders-on", 0, clock(60_000));
    deaf.engines[1].ponder = true;
    for game in played(&deaf).games.values() {
        let detail = game.detail.as_deref().unwrap_or_default();
        assert_eq!(game.ending, Ending::Stall, "{detail}");
        assert!(detail.contains("no move after 'stop'"), "{detail}");
    }
    let mut old = plan("correct", 0, clock(60_000));
    old.engines[1].ponder = true;
    old.engines[1].protocol = everymove_arena::Protocol::Xboard;
    let error = play_match(&old, None, &Run::serial(), &mut |_, _| ()).unwrap_err();
    assert!(
        error.to_string().contains("only UCI engines think"),
        "{error}"
    );
}

/// The engines of a game have the processors of that game, and the arena keeps its own.
#[cfg(target_os = "linux")]
#[test]
fn engines_are_bound_to_processors() {
    let all = everymove_kernel::machine::processors();
    let allowed = |id: &str| {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("Cpus_allowed_list:"));
        line.unwrap().split_whitespace().last().unwrap().to_owned()
    };
    let before = allowed("self");
    let mut plan = plan("correct", 0, nodes());
    plan.affinity = true;
    plan.concurrency = all.len().min(2);
    let seen = Arc::new(Mutex::new(std::collections::BTreeSet::new()));
    let kept = Arc::clone(&seen);
    plan.log = Some(EngineLog::new(move |line| {
        // The process of a name in brackets searches while this line is written.
        if let (true, Some((_, rest))) = (line.contains("<- go"), line.split_once('[')) {
            let id = rest.split_once(']').unwrap().0;
            kept.lock().unwrap().insert(allowed(id));
        }
    }));
    played(&plan);
    let expected: Vec<_> = all.iter().take(2).map(usize::to_string).collect();
    let seen = seen.lock().unwrap();
    assert!(
        !seen.is_empty() && seen.iter().all(|set| expected.contains(set)),
        "{seen:?}"
    );
    assert_eq!(allowed("self"), before);
    plan.log = None;
    plan.concurrency = all.len() + 1;
    plan.rounds = 2 * all.len() as u64 + 2;
    let error = play_match(&plan, None, &Run::serial(), &mut |_, _| ()).unwrap_err();
    assert!(matches!(error, ArenaError::Processors { .. }), "{error}");
}
