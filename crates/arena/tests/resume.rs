//! A match that is interrupted at any moment and resumed ends like one without interruption.

use std::collections::BTreeMap;

use everymove_arena::openings::{Generator, GeneratorOptions};
use everymove_arena::{
    Adjudication, ArenaError, CastlingMode, DrawRule, EngineConfig, GameRecord, Limits, MatchPlan,
    MatchReport, Protocol, ResignRule, TournamentFormat, play_match,
};
use everymove_kernel::files::{Disk, Memory};
use everymove_kernel::run::Run;

fn plan(rounds: u64, mode: CastlingMode) -> MatchPlan {
    let engine = |name: &str| EngineConfig {
        name: name.into(),
        command: env!("CARGO_BIN_EXE_mock-engine").into(),
        arguments: Vec::new(),
        directory: None,
        protocol: Protocol::Uci,
        options: Vec::new(),
        limits: None,
        ponder: false,
    };
    let recipe = GeneratorOptions {
        chess960: mode == CastlingMode::Chess960,
        ..GeneratorOptions::default()
    };
    let limits = Limits {
        nodes: Some(1),
        ..Limits::default()
    };
    let engines = vec![engine("one"), engine("two")];
    let openings = Generator::new(recipe)
        .take(rounds as usize)
        .collect::<Vec<_>>();
    let mut plan = MatchPlan::new(
        engines,
        TournamentFormat::RoundRobin,
        rounds,
        openings.into(),
        limits,
        mode,
    )
    .unwrap();
    plan.adjudication.max_moves = Some(25);
    plan
}

/// Moves and results, without times.
fn without_times(games: &BTreeMap<u64, GameRecord>) -> Vec<(u64, String, String)> {
    let moves = |g: &GameRecord| {
        let uci_moves: Vec<_> = g.moves.iter().map(|m| m.uci.as_str()).collect();
        uci_moves.join(" ")
    };
    let one = |g: &GameRecord| (g.number, moves(g), format!("{} {:?}", g.outcome, g.ending));
    games.values().map(one).collect()
}

fn played(plan: &MatchPlan, storage: &Memory) -> Result<MatchReport, ArenaError> {
    play_match(plan, Some(storage), &Run::serial(), &mut |_, _| ())
}

#[test]
fn a_crash_at_any_operation_loses_no_counted_game() {
    let plan = plan(3, CastlingMode::Standard);
    let whole = Memory::default();
    let expected = played(&plan, &whole).unwrap();
    assert_eq!(expected.games.len(), 6);
    let expected = without_times(&expected.games);
    for operation in 0..whole.operations() {
        let storage = Memory::default();
        storage.crash_after(operation);
        let mut counted = 0;
        let crashed = play_match(&plan, Some(&storage), &Run::serial(), &mut |report, _| {
            counted = report.games.len() as u64;
        });
        assert!(crashed.is_err(), "operation {operation}");
        let again = played(&plan, &storage.image(operation)).unwrap();
        assert!(again.resumed >= counted, "operation {operation}");
        assert!(again.complete);
        assert_eq!(
            without_times(&again.games),
            expected,
            "operation {operation}"
        );
    }
}

#[test]
fn a_stopped_match_resumes_and_may_have_more_games() {
    let storage = Memory::default();
    let (short, long) = (
        plan(3, CastlingMode::Standard),
        plan(5, CastlingMode::Standard),
    );
    let run = Run::serial();
    let stopped = play_match(&short, Some(&storage), &run, &mut |report, _| {
        if report.games.len() == 2 {
            run.stop.raise();
        }
    })
    .unwrap();
    assert!(!stopped.complete && stopped.games.len() >= 2);
    let finished = played(&long, &storage).unwrap();
    assert!(finished.complete);
    assert_eq!(finished.resumed, stopped.games.len() as u64);
    assert_eq!(finished.games.len(), 10);
}

#[test]
fn another_match_is_refused() {
    let storage = Memory::default();
    let mut plan = plan(1, CastlingMode::Standard);
    played(&plan, &storage).unwrap();
    plan.engines[1].name = "three".into();
    let error = played(&plan, &storage).unwrap_err().to_string();
    assert!(error.contains("its engines differ"), "{error}");
}

/// The arena and the engine agree on castling and initial positions.
#[test]
fn chess960_is_played_by_its_rules() {
    let plan = plan(20, CastlingMode::Chess960);
    let report = played(&plan, &Memory::default()).unwrap();
    let failed: Vec<_> = report
        .games
        .values()
        .filter(|g| g.ending.is_failure())
        .collect();
    assert!(failed.is_empty(), "{failed:?}");
    let castled = report.games.values().any(|game| {
        let text = plan.pgn(game, "chess960");
        assert!(text.contains("[Variant \"Chess960\"]"), "{text}");
        text.contains("O-O")
    });
    assert!(castled, "forty games without castling show nothing");
}

/// The journal in `golden/` was written by version 0.1 with these options; it is complete, so no
/// engine is started.
#[test]
fn a_journal_of_the_first_version_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let journal = include_str!("golden/match.jsonl");
    std::fs::write(directory.path().join(everymove_arena::JOURNAL), journal).unwrap();
    let engines = vec![
        "cmd=mock-engine,name=one,option.Ponder=false"
            .parse()
            .unwrap(),
        "cmd=mock-engine,name=two,tc=40/60+0.5".parse().unwrap(),
    ];
    let options = GeneratorOptions {
        plies: 4,
        ..GeneratorOptions::default()
    };
    let mut plan = MatchPlan::new(
        engines,
        TournamentFormat::RoundRobin,
        1,
        Generator::new(options).into(),
        Limits {
            nodes: Some(1),
            ..Limits::default()
        },
        CastlingMode::Standard,
    )
    .unwrap();
    plan.adjudication = Adjudication {
        resign: Some(ResignRule {
            moves: 3,
            centipawns: 900,
            both: false,
        }),
        draw: Some(DrawRule {
            from: 1,
            moves: 50,
            centipawns: 5,
        }),
        max_moves: Some(6),
    };
    let disk = Disk::exclusive(directory.path()).unwrap();
    let report = play_match(&plan, Some(&disk), &Run::serial(), &mut |_, _| ()).unwrap();
    assert!(report.complete);
    assert_eq!((report.resumed, report.games.len()), (2, 2));
    let pgn: String = report
        .games
        .values()
        .map(|g| plan.pgn(g, "everymove arena"))
        .collect();
    assert_eq!(pgn, include_str!("golden/match.pgn"));
}
