//! A match that is cut off at any moment goes on to the same end.

use std::collections::BTreeMap;

use everymove_arena::openings::{Maker, Recipe};
use everymove_arena::{
    ArenaError, CastlingMode, Format, Game, Limits, Plan, Program, Protocol, Report, play,
};
use everymove_kernel::files::Memory;
use everymove_kernel::run::Run;

fn plan(rounds: u64, mode: CastlingMode) -> Plan {
    let engine = |name: &str| Program {
        name: name.into(),
        command: env!("CARGO_BIN_EXE_mock-engine").into(),
        arguments: Vec::new(),
        folder: None,
        protocol: Protocol::Uci,
        options: Vec::new(),
        limits: None,
    };
    let recipe = Recipe {
        chess960: mode == CastlingMode::Chess960,
        ..Recipe::default()
    };
    let limits = Limits {
        nodes: Some(1),
        ..Limits::default()
    };
    let engines = vec![engine("one"), engine("two")];
    let openings = Maker::new(recipe).take(rounds as usize).collect();
    let mut plan = Plan::new(engines, Format::RoundRobin, rounds, openings, limits, mode).unwrap();
    plan.adjudication.max_moves = Some(25);
    plan
}

/// What does not depend on the clock on the wall.
fn essence(games: &BTreeMap<u64, Game>) -> Vec<(u64, String, String)> {
    let moves = |g: &Game| {
        let texts: Vec<_> = g.moves.iter().map(|m| m.text.as_str()).collect();
        texts.join(" ")
    };
    let essence = |g: &Game| (g.number, moves(g), format!("{} {:?}", g.outcome, g.ending));
    games.values().map(essence).collect()
}

fn played(plan: &Plan, storage: &Memory) -> Result<Report, ArenaError> {
    play(plan, Some(storage), &Run::serial(), &mut |_, _| ())
}

#[test]
fn a_crash_at_any_operation_loses_nothing_that_was_counted() {
    let plan = plan(3, CastlingMode::Standard);
    let whole = Memory::default();
    let expected = played(&plan, &whole).unwrap();
    assert_eq!(expected.games.len(), 6);
    let expected = essence(&expected.games);
    for operation in 0..whole.operations() {
        let storage = Memory::default();
        storage.crash_after(operation);
        let mut counted = 0;
        let crashed = play(&plan, Some(&storage), &Run::serial(), &mut |report, _| {
            counted = report.games.len() as u64;
        });
        assert!(crashed.is_err(), "operation {operation}");
        let again = played(&plan, &storage.image(operation)).unwrap();
        assert!(again.resumed >= counted, "operation {operation}");
        assert!(again.complete);
        assert_eq!(essence(&again.games), expected, "operation {operation}");
    }
}

#[test]
fn a_stopped_match_goes_on_and_may_grow() {
    let storage = Memory::default();
    let (short, long) = (
        plan(3, CastlingMode::Standard),
        plan(5, CastlingMode::Standard),
    );
    let run = Run::serial();
    let stopped = play(&short, Some(&storage), &run, &mut |report, _| {
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

/// Both sides of the pipe agree on castling and first positions.
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
