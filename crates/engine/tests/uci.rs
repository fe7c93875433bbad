//! The protocol from outside: what is said to what, and that nothing that is read does harm.

use std::io::Cursor;

use everymove_engine::{Clock, Engine, Game, Limits, Options, Signals, Strategy, bench, uci};
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Ram, Run};

fn talk(input: &[u8]) -> String {
    let mut output = Vec::new();
    let run = Run::new(1, Ram::limited(256 << 20));
    uci::serve(Cursor::new(input), &mut output, &run);
    String::from_utf8(output).expect("the engine speaks UTF-8")
}

fn last_line(input: &str) -> String {
    talk(input.as_bytes())
        .lines()
        .last()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn it_introduces_itself() {
    let text = talk(b"uci\nisready\n");
    assert!(text.starts_with("id name everymove "));
    assert!(text.contains("\nuciok\nreadyok\n"));
    for option in [
        "Hash",
        "Threads",
        "MultiPV",
        "Move Overhead",
        "UCI_Chess960",
        "SyzygyPath",
        "Strategy",
    ] {
        assert!(
            text.contains(&format!("option name {option} type ")),
            "{option}"
        );
    }
}

#[test]
fn every_kind_of_search_gives_a_move() {
    for go in [
        "depth 4",
        "nodes 1000",
        "movetime 20",
        "wtime 100",
        "btime 100",
        "wtime 0 btime 0",
        "wtime -50 btime 1000 winc 10",
        "wtime 1000 btime 1000 movestogo 1",
        "mate 1 nodes 2000",
        "searchmoves e2e4 depth 3",
        "infinite",
        "",
        "ponder wtime 1000 btime 1000",
    ] {
        let answer = last_line(&format!("position startpos\ngo {go}\n"));
        assert!(
            answer.starts_with("bestmove ") && answer != "bestmove 0000",
            "{go}: {answer}"
        );
    }
    assert_eq!(
        last_line("go searchmoves e2e4 depth 3\n").split(' ').nth(1),
        Some("e2e4")
    );
}

#[test]
fn no_legal_move_is_said_so() {
    let mated = "position startpos moves f2f3 e7e5 g2g4 d8h4\ngo depth 3\n";
    assert_eq!(last_line(mated), "bestmove 0000");
}

#[test]
fn pondering_ends_with_its_hit() {
    let answer = last_line("go ponder depth 2\nponderhit\n");
    assert!(answer.starts_with("bestmove "));
}

/// A count that would take years is ended by `stop`, and one that is not stopped is waited for.
#[test]
fn counts_run_beside_the_conversation() {
    let text = talk(b"perft 15\nisready\nstop\nbench 40\nisready\nstop\nperft 3\nquit\n");
    assert_eq!(text.matches("readyok").count(), 2, "{text}");
    assert!(text.ends_with("\nNodes searched: 8902\n"), "{text}");
    assert!(!text.contains("nps"), "{text}");
}

#[test]
fn castling_is_written_as_asked() {
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let standard = last_line(&format!(
        "position fen {fen}\ngo searchmoves e1g1 depth 2\n"
    ));
    assert!(standard.starts_with("bestmove e1g1"), "{standard}");
    let chess960 = last_line(&format!(
        "setoption name UCI_Chess960 value true\nposition fen {fen}\ngo searchmoves e1h1 depth 2\n"
    ));
    assert!(chess960.starts_with("bestmove e1h1"), "{chess960}");
}

#[test]
fn faults_cost_a_line_each() {
    for (line, fault) in [
        ("position startpos moves e2e5", "'e2e5' is not a legal move"),
        (
            "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
            "not a legal position",
        ),
        ("setoption name Hash value lots", "option Hash"),
        (
            "setoption name SyzygyPath value /nowhere/at/all",
            "cannot read endgame tables",
        ),
        ("go depth soon", "go depth: expected a number"),
        ("checkmate!", "unknown command"),
    ] {
        let text = talk(format!("{line}\n").as_bytes());
        assert!(
            text.starts_with("info string ") && text.contains(fault),
            "{line}: {text}"
        );
        assert_eq!(text.lines().count(), 1);
    }
}

#[test]
fn several_lines_differ_in_their_first_move() {
    let text = talk(b"setoption name MultiPV value 3\ngo depth 5\n");
    let last: Vec<_> = text
        .lines()
        .filter(|l| l.starts_with("info depth 5 "))
        .collect();
    let mut first: Vec<_> = last
        .iter()
        .filter_map(|l| l.split(" pv ").nth(1)?.split(' ').next())
        .collect();
    first.sort_unstable();
    first.dedup();
    assert_eq!((last.len(), first.len()), (3, 3), "{text}");
}

#[test]
fn weaker_players_move_too() {
    let text = "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 900\ngo depth 9\n";
    assert!(last_line(text).starts_with("bestmove "));
}

/// One thread, no clock: the same words give the same nodes, also in an engine that was cleared as `ucinewgame` does.
#[test]
fn searches_repeat() {
    let once = "position startpos moves e2e4\ngo depth 9\n";
    let spoken = || {
        let text = talk(once.as_bytes());
        let last = text.lines().find(|l| l.starts_with("info depth 9 "));
        let nodes = last.and_then(|l| l.split(" nodes ").nth(1)?.split(' ').next());
        nodes
            .and_then(|n| n.parse::<u64>().ok())
            .expect("a last line with nodes")
    };
    assert_eq!(spoken(), spoken());
    let mut engine = Engine::new(Options::default());
    let limits = Limits {
        depth: Some(9),
        ..Limits::default()
    };
    let mut search = |game: &Game| {
        let answer = engine.search(game, &limits, &Signals::new(), &mut |_| {});
        engine.clear();
        answer.report.nodes
    };
    let first = search(&Game::default());
    assert_eq!(search(&Game::default()), first);
}

#[test]
fn every_strategy_answers_on_two_threads() {
    for strategy in ["Sequential", "RootSplitting", "YBWC", "ABDADA", "LazySMP"] {
        let set =
            format!("setoption name Threads value 2\nsetoption name Strategy value {strategy}\n");
        let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let mate = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
        let text = talk(
            format!("{set}position fen {kiwipete}\ngo depth 9\nposition fen {mate}\ngo depth 6\n")
                .as_bytes(),
        );
        let moves: Vec<_> = text
            .lines()
            .filter(|l| l.starts_with("bestmove "))
            .collect();
        assert_eq!(moves.len(), 2, "{strategy}: {text}");
        assert!(moves[1].starts_with("bestmove a1a8"), "{strategy}: {text}");
    }
}

/// The search takes its time from the limits alone: it ends although nothing else ends it.
#[test]
fn a_clock_in_the_limits_ends_the_search() {
    let mut engine = Engine::new(Options::default());
    let limits = Limits {
        clock: Some(Clock::PerMove(std::time::Duration::from_millis(30))),
        ..Limits::default()
    };
    let answer = engine.search(&Game::default(), &limits, &Signals::new(), &mut |_| {});
    assert!(answer.best.is_some() && answer.report.depth < everymove_engine::MAX_DEPTH);
}

/// A clock on two threads: what one thread counts of another's work must not confuse the time for a move.
#[test]
fn every_strategy_keeps_its_clock_on_two_threads() {
    let ms = std::time::Duration::from_millis;
    for strategy in Strategy::ALL {
        let mut engine = Engine::new(Options {
            threads: 2,
            strategy,
            ..Options::default()
        });
        for (position, left) in bench::positions().take(24).zip(100u64..) {
            let clock = Clock::Game {
                left: ms(10 * left),
                increment: ms(5),
                moves_to_go: None,
            };
            let limits = Limits {
                clock: Some(clock),
                ..Limits::default()
            };
            let signals = Signals::new();
            let game = Game::from(position);
            let answer = engine.search(&game, &limits, &signals, &mut |_| {});
            assert!(answer.best.is_some(), "{strategy}");
        }
    }
}

/// Sense and nonsense. Numbers after depth, nodes and perft are small, so that the test ends.
fn random_line(rng: &mut SplitMix64) -> Vec<u8> {
    const WORDS: [&str; 60] = [
        "uci",
        "isready",
        "ucinewgame",
        "stop",
        "ponderhit",
        "position",
        "startpos",
        "fen",
        "moves",
        "go",
        "depth",
        "nodes",
        "mate",
        "movetime",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "infinite",
        "ponder",
        "searchmoves",
        "e2e4",
        "e7e5",
        "g1f3",
        "a7a8q",
        "0000",
        "e1g1",
        "setoption",
        "name",
        "value",
        "Hash",
        "Threads",
        "MultiPV",
        "Clear",
        "Strategy",
        "YBWC",
        "ABDADA",
        "LazySMP",
        "RootSplitting",
        "UCI_Chess960",
        "UCI_LimitStrength",
        "UCI_Elo",
        "true",
        "false",
        "d",
        "eval",
        "-1",
        "0",
        "1",
        "2",
        "7",
        "64",
        "99999999999999999999",
        "w",
        "KQkq",
        "8/8/4k3/8/8/3QK3/8/8",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "\u{2654}",
        "debug",
    ];
    const LINES: [&str; 14] = [
        "go depth 2",
        "go nodes 50",
        "go movetime 1",
        "go infinite",
        "go ponder",
        "stop",
        "ponderhit",
        "position startpos moves e2e4 e7e5",
        "setoption name Threads value 2",
        "setoption name Threads value 1",
        "setoption name Hash value 1",
        "setoption name MultiPV value 3",
        "go wtime 20 btime 20",
        "position fen 8/8/8/3k4/8/8/1Q6/K7 w - - 0 1",
    ];
    match rng.below(10) {
        0..4 => LINES[rng.below(LINES.len() as u64) as usize].into(),
        4..9 => {
            let words = (0..1 + rng.below(7)).map(|_| WORDS[rng.below(60) as usize]);
            words.collect::<Vec<_>>().join(" ").into_bytes()
        }
        _ => (0..rng.below(60))
            .map(|_| rng.next_u64() as u8)
            .filter(|&b| b != b'\n')
            .collect(),
    }
}

fn survives(lines: u64, seed: u64) {
    let mut rng = SplitMix64::new(seed);
    for chunk in 0..lines.div_ceil(1000) {
        let mut input = Vec::new();
        for _ in 0..1000.min(lines - 1000 * chunk) {
            let line = random_line(&mut rng);
            // Words that mean minutes of work by themselves.
            let heavy = [&b"bench"[..], b"perft"];
            if heavy
                .iter()
                .any(|w| line.windows(w.len()).any(|part| part == *w))
            {
                continue;
            }
            input.extend(line);
            input.push(b'\n');
        }
        input.extend(b"stop\nisready\n");
        let text = talk(&input);
        assert!(text.contains("readyok"), "chunk {chunk} of seed {seed}");
    }
}

#[test]
fn random_input_does_no_harm() {
    survives(3000, 1);
}

#[test]
#[ignore = "takes minutes: a million lines"]
fn a_million_random_lines_do_no_harm() {
    survives(1_000_000, 2);
}
