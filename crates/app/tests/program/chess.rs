//! Analysis, games in the terminal and the arena, run as a person runs them.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use everymove_kernel::rng::SplitMix64;
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

use crate::pegs::fed;
use crate::run_in;

fn text(dir: &Path, words: &[&str]) -> String {
    let output = run_in(dir, words);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(dir: &Path, words: &[&str]) -> String {
    let output = run_in(dir, words);
    assert_eq!(output.status.code(), Some(2), "{words:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// The same position with colours exchanged and ranks reflected.
fn mirrored(fen: &str) -> String {
    let fen: Fen = fen.parse().unwrap();
    let mirrored = fen.into_setup().into_mirrored();
    Fen::try_from_setup(mirrored).unwrap().to_string()
}

/// Positions after 6 to 60 random plies of games, with castling rights and en passant squares.
fn middle_games(n: usize) -> Vec<String> {
    let mut rng = SplitMix64::new(6);
    let mut fens = Vec::new();
    while fens.len() < n {
        let mut position = Chess::default();
        for _ in 0..6 + rng.below(55) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play_unchecked(moves[rng.below(moves.len() as u64) as usize]);
        }
        if !position.is_game_over() {
            fens.push(Fen::from_position(&position, shakmaty::EnPassantMode::Legal).to_string());
        }
    }
    fens
}

/// Positions of a king and a queen or rook against a king, with either side to move, in which the
/// game is not over after any move.
fn endings(n: usize) -> Vec<String> {
    let mut rng = SplitMix64::new(15);
    let mut found = HashSet::new();
    let mut fens = Vec::new();
    while fens.len() < n {
        let [king, piece, other] = [0; 3].map(|_: i32| rng.below(64) as usize);
        let mut board = ['1'; 64];
        board[king] = 'K';
        board[piece] = ['Q', 'R'][rng.below(2) as usize];
        board[other] = 'k';
        let rows: Vec<String> = board.chunks(8).map(|row| row.iter().collect()).collect();
        let turn = ["w", "b"][rng.below(2) as usize];
        let fen = format!("{} {turn} - - 0 1", rows.join("/"));
        let setup: Result<Fen, _> = fen.parse();
        let position = setup
            .ok()
            .and_then(|fen| fen.into_position::<Chess>(CastlingMode::Standard).ok());
        let Some(position) = position else { continue };
        let goes_on = |position: &Chess| !position.is_game_over();
        let all_go_on = position
            .legal_moves()
            .iter()
            .all(|&m| goes_on(&position.clone().play(m).unwrap()));
        if goes_on(&position) && all_go_on {
            let fen = Fen::from_position(&position, shakmaty::EnPassantMode::Legal).to_string();
            if found.insert(fen.clone()) {
                fens.push(fen);
            }
        }
    }
    fens
}

fn negative(score: &str) -> String {
    match score.strip_prefix('#') {
        Some(moves) => format!("#{}", -moves.parse::<i32>().unwrap()),
        None if score == "+0.00" => score.to_owned(),
        None => match score.strip_prefix('+') {
            Some(value) => format!("-{value}"),
            None => format!("+{}", &score[1..]),
        },
    }
}

/// The scores of positions and of the same positions with colours exchanged are exact negatives: in
/// the text, in JSON and in PGN.
#[test]
fn scores_of_200_positions_with_colours_exchanged_are_negatives() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for ending in ["KQvK", "KRvK"] {
        text(
            dir,
            &["tables", "build", ending, "--no-stats", "--out", "t"],
        );
    }
    let mates = are_negatives(dir, &endings(200), &["--nodes", "200", "--tables", "t"]);
    assert!(mates >= 300, "only {mates} mates");
    are_negatives(dir, &middle_games(200), &["--nodes", "2000"]);
}

/// Compares the scores of all positions, and after a move in each, with those of the mirror images;
/// returns the number of mates among the scores of the positions.
fn are_negatives(dir: &Path, fens: &[String], options: &[&str]) -> usize {
    let (mut mates, mut columns) = (0, Vec::new());
    for (name, fens) in [
        ("a", fens.to_vec()),
        ("b", fens.iter().map(|fen| mirrored(fen)).collect()),
    ] {
        let epd: String = fens.iter().map(|fen| format!("{fen}\n")).collect();
        fs::write(dir.join(format!("{name}.epd")), epd).unwrap();
        let file = format!("{name}.epd");
        let words = [&["analyse", &file, "--threads", "1"], options].concat();
        let shown = text(dir, &words);
        let shown: Vec<_> = shown
            .lines()
            .map(|line| line.split_whitespace().nth(1).unwrap().to_owned())
            .collect();
        let json: Value =
            serde_json::from_str(&text(dir, &[&words[..], &["--json"]].concat())).unwrap();
        let json = json["positions"].as_array().unwrap();
        let json: Vec<_> = json
            .iter()
            .map(|row| row["score"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(shown, json);
        assert_eq!(shown.len(), 200);
        mates += shown.iter().filter(|score| score.starts_with('#')).count();
        columns.push(shown);
    }
    for (fen, (a, b)) in fens.iter().zip(columns[0].iter().zip(&columns[1])) {
        assert_eq!(&negative(a), b, "{fen}");
    }
    // In PGN the score follows a move: any legal one, the same in both games.
    let mut evals = Vec::new();
    for mirror in [false, true] {
        let mut pgn = String::new();
        for fen in fens {
            let fen = if mirror { mirrored(fen) } else { fen.clone() };
            let setup: Fen = fen.parse().unwrap();
            let position: Chess = setup.into_position(CastlingMode::Standard).unwrap();
            let moves = position.legal_moves();
            // The smallest square on the board as White sees it from its own side.
            let own = |square: shakmaty::Square| {
                if mirror {
                    square.flip_vertical()
                } else {
                    square
                }
            };
            let m = moves
                .iter()
                .min_by_key(|m| (own(m.from().unwrap()) as u32, own(m.to()) as u32));
            let san = shakmaty::san::San::from_move(&position, *m.unwrap());
            pgn += &format!("[FEN \"{fen}\"]\n\n1. {san} *\n\n");
        }
        let file = if mirror { "b.pgn" } else { "a.pgn" };
        fs::write(dir.join(file), pgn).unwrap();
        let shown = text(
            dir,
            &[&["analyse", file, "--threads", "1"], options].concat(),
        );
        // Lines are wrapped at blanks, those inside a comment too.
        let words: Vec<_> = shown.split_whitespace().collect();
        let found: Vec<String> = (words.join(" "))
            .split("[%eval ")
            .skip(1)
            .map(|rest| rest.split(']').next().unwrap().to_owned())
            .collect();
        evals.push(found);
    }
    let [a, b] = [0, 1].map(|i| evals[i].len());
    assert!(a >= 100 && a == b, "{a} and {b} scores in PGN");
    for (a, b) in evals[0].iter().zip(&evals[1]) {
        let signed = |e: &str| {
            if e.starts_with(['#', '-']) {
                e.to_owned()
            } else {
                format!("+{e}")
            }
        };
        assert_eq!(negative(&signed(a)), signed(b));
    }
    mates
}

#[test]
fn the_mate_of_black_is_one_move_long() {
    let dir = tempfile::tempdir().unwrap();
    let fen = "r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1";
    for words in [vec!["analyse", fen], vec!["analyze", "--fen", fen]] {
        let shown = text(dir.path(), &[&words[..], &["--depth", "3"]].concat());
        assert!(shown.contains("#-1  1... Ra1#"), "{shown}");
    }
}

#[test]
fn games_are_reviewed() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(
        dir.join("game.pgn"),
        "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n",
    )
    .unwrap();
    let words = ["analyse", "game.pgn", "--nodes", "3000", "--threads", "1"];
    let pgn = text(dir, &words);
    assert!(
        pgn.contains("3... Nf6??") && pgn.contains("4. Qxf7# 1-0"),
        "{pgn}"
    );
    let summary = text(
        dir,
        &[&words[..], &["--out", "r.pgn", "--svg", "r.svg"]].concat(),
    );
    assert!(summary.contains("Black (B): accuracy"), "{summary}");
    assert!(
        summary.contains("3... Nf6?? (#1), better 3... "),
        "{summary}"
    );
    assert!(
        fs::read_to_string(dir.join("r.pgn"))
            .unwrap()
            .contains("{White: accuracy")
    );
    assert!(
        fs::read_to_string(dir.join("r.svg"))
            .unwrap()
            .starts_with("<svg")
    );
}

#[test]
fn errors_of_files_name_the_file_and_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("bad.epd"), "# positions\n8/8/8/8/8/8/8/8 w - -\n").unwrap();
    fs::write(dir.join("bad.pgn"), "1. e4 e5 2. Ke3 *\n").unwrap();
    fs::write(dir.join("empty.pgn"), "").unwrap();
    fs::write(dir.join("wide.pgn"), b"\xff\xfe1\0.\0 \0e\x004\0").unwrap();
    for (file, expected) in [
        (
            "bad.epd",
            "bad.epd, line 2: '8/8/8/8/8/8/8/8 w - - 0 1' is not",
        ),
        (
            "bad.pgn",
            "bad.pgn, game 1: move 2: 'Ke3' is not a legal move in",
        ),
        ("empty.pgn", "there is no game with moves in empty.pgn"),
        ("wide.pgn", "wide.pgn is text in UTF-16: expected UTF-8"),
        ("none.pgn", "cannot read none.pgn: there is no such file"),
    ] {
        let found = refusal(dir, &["analyse", file]);
        assert!(found.contains(expected), "{found}");
    }
}

/// Castling rights that no king and rook can have are left out, and standard error says so.
#[test]
fn castling_rights_of_positions_are_repaired() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let no_rook = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq - 0 1";
    fs::write(dir.join("p.epd"), format!("# one\n{no_rook} id \"x\";\n")).unwrap();
    let engine = format!("cmd={}", env!("CARGO_BIN_EXE_everymove-uci"));
    let (a, b) = (format!("{engine},name=a"), format!("{engine},name=b"));
    let arena = format!(
        "arena play --engine {a} --engine {b} --nodes 50 --max-moves 3 --number 2 --openings p.epd"
    );
    let rights = "the castling rights KQkq are not possible: read as Kkq\n";
    for (line, place) in [
        ("analyse p.epd --nodes 100", "p.epd, line 2"),
        (&*arena, "openings, line 2"),
    ] {
        let words: Vec<_> = line.split(' ').collect();
        let output = run_in(dir, &words);
        assert!(output.status.success(), "{output:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(&format!("{place}: {rights}")), "{errors}");
    }
    let answer = text(dir, &["analyse", "p.epd", "--nodes", "100", "--json"]);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["notes"].as_array().unwrap().len(), 1, "{answer}");
    let fen = answer["positions"][0]["fen"].as_str().unwrap();
    assert!(fen.ends_with(" w Kkq - 0 1"), "{fen}");
}

/// Games and positions in the forms of other programs: byte order marks, ISO 8859-1, German
/// letters, Chess960, counters.
#[test]
fn files_of_other_programs_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let analyse = |file: &str, bytes: &[u8]| {
        fs::write(dir.join(file), bytes).unwrap();
        text(dir, &["analyse", file, "--nodes", "300", "--threads", "1"])
    };
    let german = analyse(
        "g.pgn",
        b"[White \"M\xfcller\"]\n\n1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 *\n",
    );
    assert!(
        german.contains("[White \"Müller\"]") && german.contains("3. Bb5"),
        "{german}"
    );
    let start = "nbrkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NBRKQRBN w KQkq - 0 1";
    let shuffled = format!("\u{feff}[Variant \"Chess960\"]\n[FEN \"{start}\"]\n\n1. g3 g6 *\n");
    let shuffled = analyse("s.pgn", shuffled.as_bytes());
    assert!(shuffled.contains("1... g6"), "{shuffled}");
    let drawn = "\u{feff}8/8/8/4k3/8/8/3r4/K7 b - - hmvc 99; id \"bm Rd3;\";\n";
    let drawn = analyse("c.epd", drawn.as_bytes());
    // The search scores a draw as a hundredth of a pawn around zero.
    assert!(drawn.contains("0.0") && !drawn.contains("right"), "{drawn}");
}

/// The games of an earlier match stay in the file, and a match that is repeated from its checkpoint
/// adds none again.
#[test]
fn games_are_added_to_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let engine = env!("CARGO_BIN_EXE_everymove-uci");
    let [one, two] = ["a", "b"].map(|name| format!("cmd={engine},name={name}"));
    let openings = text(
        dir,
        &[
            "arena", "openings", "--number", "2", "--plies", "2", "--format", "moves",
        ],
    );
    fs::write(dir.join("lines"), openings).unwrap();
    let mut words = vec![
        "arena", "play", "--engine", &one, "--engine", &two, "--depth", "1",
    ];
    words.extend([
        "--openings",
        "lines",
        "--number",
        "2",
        "--max-moves",
        "4",
        "--pgn",
        "all.pgn",
    ]);
    fs::write(dir.join("all.pgn"), "[White \"earlier\"]\n\n1. e4 *").unwrap();
    let games = |n: usize| {
        let found = fs::read_to_string(dir.join("all.pgn")).unwrap();
        assert!(
            found.starts_with("[White \"earlier\"]\n\n1. e4 *\n\n[Event"),
            "{found}"
        );
        assert_eq!(found.matches("[Event ").count(), n, "{found}");
    };
    text(dir, &words);
    games(2);
    words.extend(["--checkpoint", "ck"]);
    text(dir, &words);
    games(4);
    text(dir, &words);
    games(4);
}

#[test]
fn a_game_in_the_terminal_has_undo_and_several_notations() {
    let moves = "e2-e4\nundo\n0-0\ne4\nresign\n";
    let shown = fed(&["play", "--level", "1", "--quiet"], moves);
    assert!(
        shown.contains("engine plays") && shown.contains("score for White"),
        "{shown}"
    );
    assert!(shown.contains("'0-0' is not a legal move here"), "{shown}");
    assert!(shown.contains("white resigns"), "{shown}");
    let dir = tempfile::tempdir().unwrap();
    let refused = refusal(dir.path(), &["play", "--json"]);
    assert!(refused.contains("no JSON"), "{refused}");
}

#[test]
fn the_arena_says_which_option_is_missing_and_what_elo_is_worth() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let refused = refusal(
        dir,
        &[
            "arena",
            "play",
            "--engine",
            "cmd=a,name=a",
            "--engine",
            "cmd=b,name=b",
        ],
    );
    assert!(
        refused.contains("add --tc 2+0.02, --nodes or --depth"),
        "{refused}"
    );
    let even = text(dir, &["arena", "stats", "--wdl", "1,0,1"]);
    assert!(even.contains("Elo +0.0 ±"), "{even}");
    let game = |white: &str, black: &str| {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"1\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n"
        )
    };
    fs::write(dir.join("g.pgn"), game("a", "b") + &game("b", "a")).unwrap();
    let even = text(dir, &["arena", "stats", "g.pgn"]);
    assert!(even.contains("Elo +0.0 ± -"), "{even}");
}

#[test]
fn options_are_tuned_and_a_run_resumes() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(
        dir.join("good"),
        "# name start least most step\nBeamPercent 60 20 100 9\n",
    )
    .unwrap();
    let engine = format!("cmd={}", env!("CARGO_BIN_EXE_everymove-uci"));
    let words = |file: &'static str, pairs: &'static str| {
        let mut words = vec!["arena", "spsa", "--engine", &engine, "--nodes", "60"];
        words.extend(["--parameters", file, "--pairs", pairs, "--checkpoint", "ck"]);
        words
    };
    let tuned = text(dir, &words("good", "3"));
    assert!(tuned.contains("after 3 pairs of games"), "{tuned}");
    let journal = fs::read_to_string(dir.join("ck/tuning.jsonl")).unwrap();
    assert_eq!(journal.lines().count(), 4, "{journal}");
    assert_eq!(text(dir, &words("good", "3")), tuned);
    // The last line was cut off: its pair is played again.
    let lines: Vec<_> = journal.lines().collect();
    let cut = lines[..3].join("\n") + "\n" + &lines[3][..9];
    fs::write(dir.join("ck/tuning.jsonl"), cut).unwrap();
    assert_eq!(text(dir, &words("good", "3")), tuned);
    let other = refusal(dir, &words("good", "4"));
    assert!(other.contains("another tuning run"), "{other}");
    for (name, content, expected) in [
        ("empty", "\n", "no parameters"),
        ("bad", "BeamPercent 60 70 100\n", "line 1: 'BeamPercent"),
        ("twice", "A 1 0 2\nA 1 0 2\n", "line 2: A is there twice"),
        ("unknown", "Nothing 1 0 2\n", "has no option 'Nothing'"),
    ] {
        fs::write(dir.join(name), content).unwrap();
        let mut words = words(name, "2");
        words.truncate(words.len() - 2);
        let refused = refusal(dir, &words);
        assert!(refused.contains(expected), "{refused}");
    }
}
