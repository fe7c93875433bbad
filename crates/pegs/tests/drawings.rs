//! Boards and positions as people draw them.

use everymove_pegs::{Board, DrawnBoard, Lattice, Position};

fn read(text: &str) -> DrawnBoard {
    DrawnBoard::read(text, None).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn crosses_without_trailing_blanks() {
    for text in [
        "  ooo\n  ooo\nooooooo\nooo.ooo\nooooooo\n  ooo\n  ooo\n",
        "__xxx/__xxx/xxxxxxx/xxx.xxx/xxxxxxx/__xxx/__xxx",
        "    1 1 1\n    1 1 1\n1 1 1 1 1 1 1\n1 1 1 0 1 1 1\n1 1 1 1 1 1 1\n    1 1 1\n    1 1 1",
        "   a b c d e f g\n1      ● ● ●\n2      ● ● ●\n3  ● ● ● ● ● ● ●\n4  ● ● ● · ● ● ●\n5  ● ● ● ● ● ● ●\n6      ● ● ●\n7      ● ● ●\n",
        "  ***\r\n  ***\r\n*******\r\n***.***\r\n*******\r\n  ***\r\n  ***\r\n",
    ] {
        let drawn = read(text);
        assert_eq!(drawn.board.name(), "english", "{text}");
        let start = drawn.board.vacate(drawn.board.hole("d4").unwrap());
        assert_eq!(drawn.position, Some(start), "{text}");
        assert_eq!(drawn.board.position(text), Ok(start), "{text}");
    }
}

#[test]
fn triangles_as_pyramids_and_stairs() {
    for text in [
        "    .\n   o o\n  o o o\n o o o o\no o o o o",
        "        .\n       x x\n      x x x\n     x x x x\n    x x x x x\n",
        "./oo/ooo/oooo/ooooo",
        "0/1 1/1 1 1/1 1 1 1/1 1 1 1 1",
        "1      ·      a\n2     ● ●     a-b\n3    ● ● ●    a-c\n4   ● ● ● ●   a-d\n5  ● ● ● ● ●  a-e\n",
    ] {
        let drawn = read(text);
        assert_eq!(drawn.board.name(), "triangle5", "{text}");
        assert_eq!(drawn.position, Some(drawn.board.vacate(0)), "{text}");
        assert_eq!(
            drawn.board.position(text),
            Ok(drawn.board.vacate(0)),
            "{text}"
        );
    }
    // A triangle that points down.
    let down = read("o o o\n o o\n  o");
    assert_eq!(
        (down.board.lattice(), down.board.jumps().len()),
        (Lattice::Triangular, 6)
    );
}

#[test]
fn what_is_square_stays_square() {
    for (text, rows) in [
        ("oo/oo", "oo/oo"),
        ("o o\no o", "oo/oo"),
        ("o_o/___/o_o", "o_o/___/o_o"),
        ("o/o/o", "o/o/o"),
        ("oo/ooo/o", "oo_/ooo/o__"),
        ("o o o", "ooo"),
        ("oo.o", "oo.o"),
    ] {
        let drawn = read(text);
        assert_eq!(drawn.board.lattice(), Lattice::Square, "{text}");
        let position = drawn.position.unwrap_or(drawn.board.full());
        assert_eq!(drawn.board.line(position), rows, "{text}");
    }
    let forced = DrawnBoard::read("o/oo/ooo", Some(Lattice::Square)).unwrap();
    assert_eq!(forced.board.line(forced.board.full()), "o__/oo_/ooo");
}

#[test]
fn boards_have_several_names_and_misspelt_ones_are_corrected() {
    for (name, usual) in [
        ("cracker-barrel", "triangle5"),
        ("triangle15", "triangle5"),
        ("triangle55", "triangle10"),
        ("triangle10", "triangle10"),
        ("French", "european"),
        ("ENGLISH", "english"),
        ("square06x6", "square6x6"),
    ] {
        assert_eq!(Board::named(name).unwrap().name(), usual);
    }
    for named in everymove_pegs::NAMED {
        for at in 0..named.name.len() {
            let mut wrong = named.name.to_owned();
            wrong.replace_range(at..=at, "");
            let error = Board::named(&wrong).unwrap_err().to_string();
            let meant = format!("did you mean {}?", named.name);
            let other = "did you mean diamond";
            assert!(
                error.contains(&meant) || error.contains(other),
                "{wrong}: {error}"
            );
        }
    }
}

#[test]
fn holes_are_not_taken_for_positions() {
    let board = Board::named("square1x16").unwrap();
    assert_eq!(board.read_start("o1"), Ok(board.vacate(14)));
    assert_eq!(
        board.read_start("o..............."),
        Ok(Position::single(0))
    );
}

#[test]
fn every_board_of_at_most_64_holes_is_laid_out() {
    for name in [
        "triangle9",
        "triangle10",
        "square8x8",
        "square4x16",
        "square3x21",
        "square2x26",
    ] {
        assert!(Board::named(name).unwrap().jumps().len() > 20, "{name}");
    }
    // Scattered holes: no jump, but a board.
    let row = |r: usize| {
        if r.is_multiple_of(13) {
            "o".repeat(14)
        } else {
            "_".repeat(14)
        }
    };
    let rows: Vec<String> = (0..40).map(row).collect();
    assert_eq!(read(&rows.join("/")).board.holes(), 56);
}
