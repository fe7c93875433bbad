//! UCI commands: what separates their words, what does not end a search, and searches of positions
//! without moves.

use crate::session::{WAIT, run_session};

#[test]
fn without_a_legal_move_the_score_is_that_of_the_end() {
    let (mate, stalemate) = ("mate 0", "cp 0");
    for (position, score) in [
        ("startpos moves f2f3 e7e5 g2g4 d8h4", mate),
        ("startpos moves e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7", mate),
        ("fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", mate),
        ("fen 6rk/6pp/7N/8/8/8/8/K7 w - - 0 1 moves h6f7", mate),
        ("fen 8/8/8/8/8/1k6/1q6/K7 w - - 99 80", mate),
        ("fen k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", stalemate),
        ("fen 8/8/8/8/8/5k2/5p2/5K2 w - - 12 70", stalemate),
        ("fen 7k/8/6K1/8/8/8/8/5Q2 w - - 0 1 moves f1f7", stalemate),
        ("fen 8/8/8/8/8/1k6/2b5/K7 w - - 0 1", stalemate),
    ] {
        for go in [
            "depth 3",
            "infinite",
            "movetime 20",
            "wtime 100 btime 100",
            "nodes 9",
        ] {
            let stop = if go == "infinite" { "stop\n" } else { "" };
            let text =
                run_session(format!("position {position}\ngo {go}\n{stop}quit\n").as_bytes());
            let expected = format!("info depth 0 score {score}\nbestmove (none)\n");
            assert_eq!(text, expected, "{position}, go {go}");
        }
    }
}

/// Tabs and other white space separate words as blanks do, in every command.
#[test]
fn any_white_space_separates_words() {
    let script = "setoption name MultiPV value 2|setoption name Clear Hash|\
        setoption name UCI_Chess960 value true|\
        position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 3 7 moves e1d1 e8d8|\
        d|go depth 3 searchmoves e2e4 e2e3|position startpos moves e2e4|d|perft 2|go perft 1|eval";
    let lines = |separator: &str| {
        let line = |line: &str| format!("{}{separator}\n", line.replace(' ', separator));
        let text: String = script.split('|').map(line).collect();
        let timeless = |line: &str| match line.split_once(" nps ") {
            Some((before, after)) => {
                format!("{before} {}", after.split_once(" pv ").unwrap().1)
            }
            None => line.to_owned(),
        };
        // A search is waited for by the next command.
        let split = text.split_inclusive('\n');
        let with_wait = split.map(|line| {
            let wait = if line.contains("depth") { WAIT } else { "" };
            format!("{line}{wait}\n")
        });
        let text = run_session((with_wait.collect::<String>() + "quit\n").as_bytes());
        text.lines().map(timeless).collect::<Vec<_>>()
    };
    let expected = lines(" ");
    assert!(
        expected.iter().any(|line| line == "Nodes searched: 600"),
        "{expected:?}"
    );
    assert!(
        !expected.iter().any(|line| line.contains("string")),
        "{expected:?}"
    );
    for separator in ["\t", "  ", " \t ", "\t\t", "\u{b}", "\u{c}", "\r"] {
        assert_eq!(lines(separator), expected, "{separator:?}");
    }
}

/// A value keeps the blanks inside it, and a word that begins with a keyword is none.
#[test]
fn values_keep_their_blanks() {
    let fault = |line: &str| run_session(format!("{line}\n").as_bytes());
    let text = fault("setoption name EvalFile value /no  such\tvalue file");
    assert!(
        text.contains("/no  such") && text.contains("value file"),
        "{text}"
    );
    for line in [
        "setoption named Hash value 1",
        "setoption Hash value 1",
        "setoption",
    ] {
        assert_eq!(
            fault(line),
            "info string setoption: expected 'name'\n",
            "{line}"
        );
    }
    for line in [
        "position",
        "position fenced 8/8",
        "position startposition",
        "position moves e2e4",
    ] {
        let text = fault(line);
        assert_eq!(
            text, "info string position: expected startpos or fen\n",
            "{line}"
        );
    }
}

/// What is not understood, and questions, do not end a search.
#[test]
fn questions_and_unknown_words_leave_a_search_running() {
    for line in [
        "d",
        "eval",
        "joho",
        "GO",
        "stopp",
        "xboard",
        "uci",
        "isready",
        "",
        "info depth 1",
        "?",
    ] {
        let text = run_session(format!("go infinite\n{line}\nisready\nstop\nquit\n").as_bytes());
        let ready = text.rfind("readyok\n").unwrap();
        let best = text.find("bestmove ").unwrap();
        assert!(ready < best, "'{line}' ended the search: {text}");
        assert_eq!(text.matches("bestmove ").count(), 1, "{line}");
        let reports = text
            .lines()
            .filter(|line| line.starts_with("info string"))
            .count();
        let understood = ["d", "uci", "isready", ""].contains(&line);
        assert_eq!(reports, usize::from(!understood), "{line}: {text}");
    }
}
