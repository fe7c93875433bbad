//! Bad input: one clear line each.

use everymove_kernel::run::{Ram, Run};
use everymove_pegs::{
    Board, DrawnBoard, Lattice, Position, Problem, Search, WinningSet, count_games, parse_game,
    reach, replay, search,
};

fn board_error(text: &str) -> String {
    let error = DrawnBoard::read(text, None).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn boards() {
    assert_eq!(
        board_error("oo/o#"),
        "row 2, column 2: '#' is not a place: expected 'o' (peg), '.' (empty hole), space or '_' (no place)"
    );
    assert_eq!(
        board_error("oo/ox"),
        "row 2, column 2: 'x' and 'o' in one drawing, which of them is a peg? write 'o' for pegs and '.' for empty holes"
    );
    assert_eq!(
        board_error("__/__"),
        "the board has no holes: write 'o' or '.' for each"
    );
    assert_eq!(
        board_error("square5x13"),
        "the board has 65 holes, but at most 64 fit"
    );
    assert_eq!(
        board_error(&"o".repeat(27)),
        "the board has 27 columns, but at most 26 have letters"
    );
    assert!(board_error("englisch").starts_with(
        "'englisch' is not a board: did you mean english? expected a name (english, european, "
    ));
    assert!(board_error("chess").starts_with("'chess' is not a board: expected a name"));
    assert!(board_error("triangle0").contains("is not a board"));
}

#[test]
fn positions_and_holes() {
    let board = Board::named("english").unwrap();
    let position = |text: &str| board.position(text).unwrap_err().to_string();
    let empty = board.line(Position::EMPTY);
    assert_eq!(
        position(&empty),
        "the position has no pegs: write 'o' for each"
    );
    assert!(
        position("ooo/ooo").starts_with(
            "the position has another shape than the english board: expected '__ooo__/"
        )
    );
    let hole = |name: &str| board.hole(name).unwrap_err().to_string();
    assert_eq!(
        hole("dd4"),
        "'dd4' is not a hole: expected one letter for the column and a number for the row, for example d4"
    );
    assert_eq!(
        hole("a1"),
        "the english board has no hole a1: its holes are c1-e1 c2-e2 a3-g3 a4-g4 a5-g5 c6-e6 c7-e7"
    );
    for bad in ["", "4", "d", "d-4", "d4x", "é4"] {
        assert!(hole(bad).contains("is not a hole"), "{bad}");
    }
    for outside in ["d0", "d8", "h4", "d99999999999999999999999"] {
        assert!(hole(outside).contains("has no hole"), "{outside}");
    }
    assert_eq!(board.hole("D4"), board.hole("d4"));
    assert!(Problem::vacate(&board, "d4", Some("z1")).is_err());
}

#[test]
fn drawings_read_back() {
    for name in [
        "english",
        "european",
        "wiegleb",
        "asymmetric",
        "diamond41",
        "diamond32",
        "square6x6",
        "triangle8",
    ] {
        let board = Board::named(name).unwrap();
        let start = board.vacate(board.holes() / 2);
        for text in [
            board.line(start),
            board.drawing(start),
            format!("\n{}\n", board.drawing(start)),
        ] {
            assert_eq!(board.position(&text), Ok(start), "{name}");
            assert_eq!(
                Board::parse(&text, board.lattice()),
                Ok(board.clone()),
                "{name}"
            );
        }
        for hole in 0..board.holes() {
            assert_eq!(board.hole(&board.name_of(hole)), Ok(hole));
        }
    }
}

#[test]
fn games() {
    let board = Board::named("english").unwrap();
    let start = board.vacate(board.hole("d4").unwrap());
    let game = |text: &str| parse_game(&board, start, text).unwrap_err().to_string();
    assert_eq!(
        game("d2-d4 d2-d4"),
        "move 2 ('d2-d4'): there is no peg in d2"
    );
    assert_eq!(
        game("d3-d5"),
        "move 1 ('d3-d5'): there is no peg to jump over in d4"
    );
    assert_eq!(game("1. d1-d3"), "move 1 ('d1-d3'): d3 is not empty");
    assert_eq!(
        game("d2-d5"),
        "move 1 ('d2-d5'): no jump leads from d2 to d5 on the english board"
    );
    assert_eq!(
        game("d2"),
        "move 1 ('d2') leads nowhere: expected at least two holes, for example d2-d4"
    );
    assert!(game("d2-x9").contains("has no hole x9"));
    let drawing = board.line(start);
    let replayed = |text: &str| {
        replay(&drawing, Lattice::Square, text)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(replayed("d2-d4 d2-d4"), "jump 2 (d2-d4): d2 holds no peg");
    assert_eq!(replayed("d1-d3"), "jump 1 (d1-d3): d3 is not empty");
    assert_eq!(
        replayed("d2-e3"),
        "jump 1: d2 and e3 are not two apart in a line"
    );
    assert_eq!(replayed("d2-a1"), "jump 1: the board has no hole a1");
    assert!(replay("ox", Lattice::Square, "").is_err());
}

#[test]
fn a_budget_refuses_before_work() {
    let run = Run::new(1, Ram::limited(20 << 20));
    let board = Board::named("wiegleb").unwrap();
    let problem = Problem::vacate(&board, "e5", Some("e5")).unwrap();
    for error in [
        reach(&board, problem.start(), &run).unwrap_err(),
        WinningSet::new(&problem, &run).err().unwrap(),
        count_games(&problem, &run).unwrap_err(),
        search(
            &problem,
            &Search {
                memory: 1 << 30,
                ..Search::default()
            },
            &run,
        )
        .unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(text.contains("the budget is 20M"), "{text}");
    }
    let largest = Board::named("square8x8").unwrap();
    for run in [&run, &Run::serial()] {
        let text = reach(&largest, largest.vacate(0), run)
            .unwrap_err()
            .to_string();
        assert!(
            text.starts_with("the square8x8 board, layer by layer, needs at least"),
            "{text}"
        );
    }
    assert_eq!(run.progress.snapshot().work, 0);
    assert_eq!(run.ram.used(), 0);
}
