//! The UCI protocol from outside: what is sent for which commands, and that no input ends or blocks
//! the session.

mod session;

use everymove_engine::{Clock, Engine, Game, Limits, Options, Signals, Strategy, bench};
use everymove_kernel::rng::SplitMix64;
use session::{WAIT, run_session};

/// What the engine sends when all searches are waited for.
fn run_to_the_end(input: &str) -> String {
    run_session(format!("{input}{WAIT}\n").as_bytes())
}

fn last_line(input: &str) -> String {
    run_session(input.as_bytes())
        .lines()
        .last()
        .unwrap_or_default()
        .to_owned()
}

fn best_moves(text: &str) -> usize {
    text.lines().filter(|l| l.starts_with("bestmove ")).count()
}

#[test]
fn uci_lists_name_and_options() {
    let text = run_session(b"uci\nisready\n");
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
fn pondering_ends_with_its_hit() {
    let answer = last_line("go ponder depth 2\nponderhit\n");
    assert!(answer.starts_with("bestmove "));
}

/// A count that would take years is ended by `stop`, and one that is not stopped is waited for.
#[test]
fn counts_run_beside_the_reading_of_commands() {
    let text = run_session(b"perft 15\nisready\nstop\nbench 40\nisready\nstop\nperft 3\nquit\n");
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

/// Castling rights that are not possible are left out, also in a game of Chess960.
#[test]
fn castling_rights_of_a_position_are_repaired() {
    let no_rook = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq - 0 1";
    let shuffled = "nbrkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NBRKQRBN w";
    let off = "setoption name UCI_Chess960 value";
    for (chess960, fen, note, read) in [
        (
            false,
            no_rook.to_owned(),
            Some("the castling rights KQkq are not possible: read as Kkq"),
            " w Kkq - 0 1",
        ),
        (
            true,
            no_rook.to_owned(),
            Some("the castling rights KQkq are not possible: read as Hha"),
            " w Hha - 0 1",
        ),
        (false, no_rook.replace("KQ", "K"), None, " w Kkq - 0 1"),
        (
            false,
            format!("{shuffled} KQkq - 0 1"),
            Some("the castling rights KQkq are those of Chess960: read as FCfc"),
            " w FCfc - 0 1",
        ),
        (
            true,
            format!("{shuffled} KQkq - 0 1"),
            None,
            " w FCfc - 0 1",
        ),
        (
            true,
            format!("{shuffled} FCfc - 0 1"),
            None,
            " w FCfc - 0 1",
        ),
        (
            true,
            format!("{shuffled} FAfc - 0 1"),
            Some("the castling rights FAfc are not possible: read as Ffc"),
            " w Ffc - 0 1",
        ),
    ] {
        let input =
            format!("{off} {chess960}\nposition fen {fen} moves g2g3\nposition fen {fen}\nd\n");
        let text = run_session(input.as_bytes());
        let notes: Vec<_> = (text.lines())
            .filter_map(|line| line.strip_prefix("info string "))
            .collect();
        assert_eq!(
            notes,
            vec![note; 2].into_iter().flatten().collect::<Vec<_>>(),
            "{fen}"
        );
        let shown = text.lines().find(|line| line.starts_with("Fen: "));
        assert!(shown.unwrap().ends_with(read), "{text}");
    }
}

#[test]
fn each_fault_is_reported_in_one_line() {
    for (line, fault) in [
        ("position startpos moves e2e5", "'e2e5' is not a legal move"),
        (
            "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
            "not a legal position",
        ),
        ("setoption name Hash value lots", "option Hash"),
        (
            "setoption name SyzygyPath value /nowhere/at/all",
            "/nowhere/at/all",
        ),
        (
            "setoption name Hash value 1048576",
            "the memory budget allows 256 MiB: it stays at 16 MiB",
        ),
        ("checkmate!", "unknown command"),
    ] {
        let text = run_session(format!("{line}\n").as_bytes());
        assert!(
            text.starts_with("info string ") && text.contains(fault),
            "{line}: {text}"
        );
        assert_eq!(text.lines().count(), 1);
    }
}

#[test]
fn several_lines_differ_in_their_first_move() {
    let text = run_to_the_end("setoption name MultiPV value 3\ngo depth 5\n");
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
fn limited_strength_answers_with_a_move() {
    let text = "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 900\ngo depth 9\n";
    assert!(last_line(text).starts_with("bestmove "));
}

/// One thread, no clock: the same words give the same nodes, also in an engine that was cleared as
/// `ucinewgame` does.
#[test]
fn searches_repeat() {
    let once = "position startpos moves e2e4\ngo depth 9\n";
    let nodes_of_session = || {
        let text = run_to_the_end(once);
        let last = text.lines().find(|l| l.starts_with("info depth 9 "));
        let nodes = last.and_then(|l| l.split(" nodes ").nth(1)?.split(' ').next());
        nodes
            .and_then(|n| n.parse::<u64>().ok())
            .expect("a last line with nodes")
    };
    assert_eq!(nodes_of_session(), nodes_of_session());
    let mut engine = Engine::new(Options::default()).unwrap();
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
        let text = run_to_the_end(&format!(
            "{set}position fen {kiwipete}\ngo depth 9\n{WAIT}\nposition fen {mate}\ngo depth 6\n"
        ));
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
    let mut engine = Engine::new(Options::default()).unwrap();
    let limits = Limits {
        clock: Some(Clock::PerMove(std::time::Duration::from_millis(30))),
        ..Limits::default()
    };
    let answer = engine.search(&Game::default(), &limits, &Signals::new(), &mut |_| {});
    assert!(answer.best.is_some() && answer.report.depth < everymove_engine::MAX_DEPTH);
}

/// A clock on two threads: what one thread counts of another's work must not confuse the time for a
/// move.
#[test]
fn every_strategy_keeps_its_clock_on_two_threads() {
    let ms = std::time::Duration::from_millis;
    for strategy in Strategy::ALL {
        let mut engine = Engine::new(Options {
            threads: 2,
            strategy,
            ..Options::default()
        })
        .unwrap();
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

/// Programs that set a limit wait for a move, whatever else is wrong with the command.
#[test]
fn every_go_is_answered() {
    for go in [
        "depth 3 searchmoves e2e5",
        "nodes 10 searchmoves a1a1",
        "depth x",
        "depth",
        "wtime 18446744073709551616 btime 1",
        "movetime",
        "perft 99",
        "searchmoves",
        "mate 0 nodes 100",
        "fast depth 2",
    ] {
        let end = if go == "searchmoves" { "stop\n" } else { "" };
        let text = run_to_the_end(&format!("go {go}\n{end}"));
        assert_eq!(best_moves(&text), 1, "{go}: {text}");
        assert!(!text.contains("bestmove 0000"), "{go}: {text}");
    }
    let text = run_to_the_end("go depth 3 searchmoves e2e5\n");
    assert!(
        text.starts_with("info string go: ignored 'e2e5' (not a legal move)\n"),
        "{text}"
    );
}

/// One `bestmove` each, for any words after `go`.
#[test]
fn random_go_lines_are_answered() {
    const WORDS: [&str; 16] = [
        "searchmoves",
        "ponder",
        "wtime",
        "btime",
        "winc",
        "binc",
        "movestogo",
        "depth",
        "nodes",
        "mate",
        "movetime",
        "infinite",
        "e2e4",
        "a1a1",
        "perft",
        "soon",
    ];
    let mut rng = SplitMix64::new(14);
    let mut input = String::new();
    for _ in 0..1000 {
        input += "go";
        for _ in 0..rng.below(7) {
            match rng.below(3) {
                // Never a valid count: that has no move for an answer.
                0 => {
                    let bits = rng.below(63);
                    input += &format!(" {}", 16 + rng.below(1 << bits));
                }
                1 => input += [" -1", " 0", " x", " 99999999999999999999"][rng.below(4) as usize],
                _ => input += &format!(" {}", WORDS[rng.below(16) as usize]),
            }
        }
        input += "\nstop\n";
    }
    let text = run_session(input.as_bytes());
    assert_eq!(best_moves(&text), 1000);
}

/// Without an end of the input these would run for days.
#[test]
fn the_end_of_the_input_ends_what_runs() {
    for command in [
        "go infinite",
        "go ponder depth 100",
        "go depth 100",
        "go mate 40",
        "go wtime 900000000",
        "bench 40",
        "perft 15",
        "go perft 15",
    ] {
        let text = run_session(format!("{command}\n").as_bytes());
        let count = usize::from(command.starts_with("go") && !command.contains("perft"));
        assert_eq!(best_moves(&text), count, "{command}: {text}");
    }
}

#[test]
fn a_position_with_an_illegal_move_is_the_one_before_it() {
    let text =
        run_session(b"position startpos moves e2e4 e7e5 e1e8 g1f3\nd\nposition fen 8/8\nd\n");
    let fen = "Fen: rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    assert_eq!(text.matches(fen).count(), 2, "{text}");
    assert!(
        text.starts_with("info string 'e1e8' is not a legal move in "),
        "{text}"
    );
    assert!(
        text.contains("the position stays rnbqkbnr/pppp1ppp/"),
        "{text}"
    );
}

/// A move of the position before would be taken for a move of the refused one. (The space keeps the
/// script from waiting for the perft.)
#[test]
fn after_a_refused_position_no_move_is_given() {
    for bad in [
        "position startpos moves e2e4 e2e4",
        "position fen 8/8",
        "position",
    ] {
        let script = format!(
            "position startpos moves d2d4\n{bad}\ngo depth 2\n go perft 2\n#wait\nposition startpos\ngo depth 2\n#wait\n"
        );
        let text = run_session(script.as_bytes());
        let answers: Vec<&str> = text.lines().filter(|l| l.starts_with("bestmove")).collect();
        assert_eq!(answers.len(), 2, "{text}");
        assert!(
            answers[0] == "bestmove 0000" && answers[1] != "bestmove 0000",
            "{text}"
        );
        assert!(!text.contains("Nodes searched"), "{text}");
    }
}

/// The line before `bestmove` begins with that move and has the nodes of the whole search, however
/// it ended.
#[test]
fn the_last_info_line_begins_with_the_move_played() {
    let nodes_of = |line: &str| -> Option<u64> {
        let mut words = line.split(' ').skip_while(|&w| w != "nodes");
        words.nth(1)?.parse().ok()
    };
    for (setting, go) in [
        ("name MultiPV value 1", "go nodes 3000"),
        ("name MultiPV value 3", "go nodes 5000"),
        ("name UCI_LimitStrength value true", "go depth 9"),
        ("name Threads value 2", "go movetime 30"),
    ] {
        let elo = "setoption name UCI_Elo value 900";
        let script =
            format!("setoption {setting}\n{elo}\nposition startpos moves e2e4 c7c5\n{go}\n#wait\n");
        let text = run_session(script.as_bytes());
        let lines: Vec<&str> = text.lines().collect();
        let best = lines
            .iter()
            .rposition(|l| l.starts_with("bestmove "))
            .unwrap();
        let played = lines[best].split(' ').nth(1).unwrap();
        let shown = lines[..best]
            .iter()
            .rposition(|l| l.contains(&format!(" pv {played}")));
        let shown = shown.unwrap_or_else(|| panic!("{text}"));
        let last = nodes_of(lines[best - 1]).unwrap();
        assert_eq!(nodes_of(lines[shown]), Some(last), "{text}");
        let earlier = lines[..shown].iter().filter_map(|l| nodes_of(l)).max();
        assert!(earlier.is_none_or(|n| n <= last), "{text}");
        if go == "go nodes 3000" {
            assert_eq!((shown, last), (best - 1, 3000), "{text}");
        }
    }
}

/// However a search is interrupted, no score is called exact that is not one of a complete
/// iteration: the lines of several are those of the last one, and another best move found since has
/// a bound.
#[test]
fn scores_of_interrupted_searches_are_bounds() {
    let score = |line: &str| -> Option<(String, String)> {
        let (before, pv) = line.split_once(" pv ")?;
        let (_, score) = before.split_once(" score ")?;
        let (score, _) = score.split_once(" nodes ")?;
        Some((pv.to_owned(), score.to_owned()))
    };
    let mut bounds = 0;
    for lines in [1, 3] {
        for (fen, nodes) in [
            ("8/P6k/8/8/8/8/8/K7 w - - 0 1", 10_000),
            (
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                4_000,
            ),
        ] {
            for number in 0..25 {
                let nodes = nodes * number / 5 + 1;
                let script = format!(
                    "setoption name MultiPV value {lines}\nposition fen {fen}\ngo nodes {nodes}\n#wait\n"
                );
                let text = run_session(script.as_bytes());
                let infos: Vec<&str> = text
                    .lines()
                    .filter(|l| l.starts_with("info depth "))
                    .collect();
                let (complete, last) = infos.split_at(infos.len().saturating_sub(lines));
                let depth = |line: &str| line.split(' ').nth(2).map(str::to_owned);
                for line in last {
                    let Some((pv, said)) = score(line) else {
                        assert!(line.starts_with("info depth 0 "), "{text}");
                        continue;
                    };
                    let is_bound = said.ends_with("bound");
                    bounds += usize::from(is_bound);
                    let before = complete.iter().filter(|l| depth(l) == depth(line));
                    let same = before
                        .filter_map(|l| score(l))
                        .any(|s| s == (pv.clone(), said.clone()));
                    let first = depth(line).as_deref() == Some("0");
                    assert!(is_bound || same || first, "{line}\n{text}");
                    assert!(!is_bound || lines == 1 || first, "{text}");
                }
            }
        }
    }
    assert!(bounds > 0);
}

#[test]
fn a_line_that_is_too_long_is_ignored() {
    let mut input = b"position startpos moves".to_vec();
    for _ in 0..20_000 {
        input.extend(b" g1f3 g8f6 f3g1 f6g8");
    }
    input.extend(b"\nisready\n");
    assert_eq!(
        run_session(&input),
        "info string a line of more than 65536 bytes was ignored\nreadyok\n"
    );
}

/// Valid and invalid commands. Numbers after depth, nodes and perft are small, so that the test
/// ends.
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
        let text = run_session(&input);
        assert!(text.contains("readyok"), "chunk {chunk} of seed {seed}");
    }
}

#[test]
fn random_input_keeps_the_session_working() {
    survives(3000, 1);
}

#[test]
#[ignore = "takes minutes: a million lines"]
fn a_million_random_lines_keep_the_session_working() {
    survives(1_000_000, 2);
}
