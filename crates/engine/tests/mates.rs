//! Known mates: found at their shortest, with lines that end in mate.

use everymove_engine::score::UciScore;
use everymove_engine::{Engine, Game, Limits, Line, Options, Position, Signals};
use shakmaty::CastlingMode;

fn positions() -> impl Iterator<Item = (Position, u32)> {
    let rows = include_str!("mates.tsv")
        .lines()
        .filter(|l| !l.starts_with('#'));
    rows.map(|row| {
        let mut cells = row.split('\t');
        let mut cell = || cells.next().expect("three columns");
        let position = Position::from_fen(cell(), CastlingMode::Standard).unwrap();
        (position, cell().parse().unwrap())
    })
}

/// The line is as long as its score says and ends in mate.
fn is_sound(position: &Position, line: &Line) -> bool {
    let Some(n) = UciScore::of(line.score).mate() else {
        return true;
    };
    let plies = if n > 0 { 2 * n - 1 } else { -2 * n };
    let mut now = position.clone();
    for &m in &line.pv {
        if !now.legal_moves().contains(&m) {
            return false;
        }
        now = now.play(m);
    }
    line.pv.len() == plies as usize && now.legal_moves().is_empty() && now.checkers().any()
}

/// Checks the mates in `wanted` moves, searched with `multi_pv` lines.
fn check(wanted: std::ops::RangeInclusive<u32>, multi_pv: usize) {
    let mut faults = Vec::new();
    let mut engine = Engine::new(Options {
        multi_pv,
        ..Options::default()
    })
    .unwrap();
    for (position, moves) in positions().filter(|(_, moves)| wanted.contains(moves)) {
        engine.clear();
        let limits = Limits {
            mate: Some(moves),
            nodes: Some(8_000_000),
            ..Limits::default()
        };
        let game = Game::from(position.clone());
        let answer = engine.search(&game, &limits, &Signals::new(), &mut |_| {});
        let found = UciScore::of(answer.report.lines[0].score).mate();
        let sound = answer
            .report
            .lines
            .iter()
            .all(|line| is_sound(&position, line));
        if found != Some(moves as i32) || !sound {
            faults.push(format!(
                "{}: mate in {moves}, found {found:?}, lines sound: {sound}",
                position.fen()
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_hundred_mates_are_found() {
    assert!(positions().filter(|&(_, moves)| moves <= 5).count() >= 100);
    check(2..=5, 1);
}

#[test]
fn and_with_four_lines() {
    check(2..=5, 4);
}

#[test]
#[ignore = "takes a minute: mates in 6 and 7"]
fn longer_mates_are_found_with_one_line_and_with_four() {
    assert!(positions().filter(|&(_, moves)| moves >= 6).count() >= 20);
    check(6..=7, 1);
    check(6..=7, 4);
}
