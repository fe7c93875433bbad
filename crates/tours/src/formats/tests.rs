use everymove_kernel::grid::Grid;
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Ram, Run};
use proptest::prelude::*;

use super::*;
use crate::tour::Tour;

fn read(bytes: &[u8], hints: Hints) -> Result<Vec<Tour>, ReadError> {
    Reader::new(bytes, hints, &limited(64 << 20))?.collect()
}

fn limited(ram: u64) -> Run {
    Run::new(1, Ram::limited(ram))
}

fn error(text: &str) -> String {
    read(text.as_bytes(), Hints::default())
        .unwrap_err()
        .to_string()
}

fn write(tours: &[Tour], format: Format) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), format);
    for tour in tours {
        writer.write(tour).unwrap();
    }
    writer.finish().unwrap()
}

fn three_by_four() -> Tour {
    let board = Board::knight(3, 4).unwrap();
    Tour::from_steps(
        board,
        Kind::Open,
        vec![0, 3, 6, 9, 7, 10, 1, 4, 2, 5, 8, 11],
    )
}

#[test]
fn formats_look_as_documented() {
    let tour = three_by_four();
    let text = |format| String::from_utf8(write(&[tour.clone(), tour.clone()], format)).unwrap();
    let grid = " 3  6  9 12\n 8 11  2  5\n 1  4  7 10\n";
    assert_eq!(text(Format::Grid), format!("{grid}\n{grid}"));
    let csv = "3,6,9,12\n8,11,2,5\n1,4,7,10\n";
    assert_eq!(text(Format::Csv), format!("{csv}\n{csv}"));
    let squares = "a1-c2-a3-b1-d2-b3-c1-a2-c3-d1-b2-d3\n";
    assert_eq!(text(Format::Squares), squares.repeat(2));
    let json = r#"{"board":"3x4","leaper":"1,2","kind":"open","holes":[],"start":"a1","end":"d3","#
        .to_owned()
        + r#""steps":[[3,6,9,12],[8,11,2,5],[1,4,7,10]]}"#
        + "\n";
    assert_eq!(text(Format::Json), json.repeat(2));
    let bin = write(&[tour], Format::Bin);
    assert_eq!(bin.len(), 48 + 4 * 12 + 32);
    assert_eq!(
        bin[..32],
        *b"\x89EMT\r\n\x1a\n\x02\0\0\0\x03\0\0\0\x04\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0"
    );
    assert_eq!(bin[48..56], [0, 0, 0, 0, 3, 0, 0, 0]);
}

/// A tour of a sum of leapers contains its piece where a tour of one leaper contains that.
#[test]
fn tours_of_other_pieces_are_written_and_read() {
    let king = Board::new(Grid::new(2, 3).unwrap(), Leaper::piece("K").unwrap());
    let tour = Tour::from_order(king, Kind::Closed, &[0, 4, 2, 5, 1, 3]);
    let json = r#"{"board":"2x3","piece":"WF","kind":"closed","holes":[],"start":"a1","end":"a2","#
        .to_owned()
        + r#""steps":[[6,2,4],[1,5,3]]}"#
        + "\n";
    let tours = [tour.clone(), tour.clone()];
    assert_eq!(
        String::from_utf8(write(&tours, Format::Json)).unwrap(),
        json.repeat(2)
    );
    let bin = write(&tours, Format::Bin);
    assert_eq!(bin.len(), 2 * (56 + 4 * 6) + 32);
    assert_eq!(bin[8..12], [3, 0, 1, 1]);
    assert_eq!(
        bin[20..40],
        *b"\0\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0"
    );
    for bytes in [json.repeat(2).into_bytes(), bin] {
        assert_eq!(read(&bytes, Hints::default()).unwrap(), tours);
    }
    let hints = |piece| Hints {
        leaper: Some(Leaper::piece(piece).unwrap()),
        ..Hints::default()
    };
    let text = b"a1-b2-c1-c2-b1-a2";
    assert_eq!(read(text, hints("king")).unwrap(), [tour]);
    let other = Hints {
        board: Some(Board::new(
            Grid::new(2, 3).unwrap(),
            Leaper::piece("CW").unwrap(),
        )),
        ..Hints::default()
    };
    assert_eq!(
        read(json.as_bytes(), other).unwrap_err().to_string(),
        "tour 1: the tour is of a 2x3 board with a king, but a 2x3 board with a WC piece was asked for"
    );
    assert!(error(r#"{"piece":"rook","steps":[[1]]}"#).contains("'rook' has no tours: it rides"));
}

#[test]
fn errors_name_the_line() {
    assert!(error("").starts_with("there is no tour"));
    assert!(error("# only this\n\n").starts_with("there is no tour"));
    assert!(error("\n  hello world, this is no tour").contains("line 2: 'hello' is not a square"));
    assert!(error("?!").starts_with("line 1: '?!' begins no tour"));
    assert_eq!(
        error("1 2\n3 x"),
        "line 2: 'x' is not a step number: expected a number from 0 or 1 up, or . for a hole"
    );
    assert!(
        error("1 2\n3 99999999999999999999999").starts_with("line 2: '99999999999999999999...")
    );
    assert!(error("1 4294967296").contains("is not a step number"));
    assert_eq!(
        error("1,2,3\n4,5"),
        "line 2: a row of 2 squares, but the rows above have 3"
    );
    assert_eq!(
        error("1 2\n3 4\n\n1 2\n3"),
        "line 5: a row of 1 squares, but the rows above have 2"
    );
    assert!(error("a1-b3-5c").contains("line 1: '5c' is not a square"));
    assert_eq!(error("a1-c2-a1"), "line 1: b1 is not visited");
    assert_eq!(
        error("a1-b1-a1"),
        "line 1: a1 is visited twice, at steps 1 and 3"
    );
    assert_eq!(error("a1-zz60000"), "line 1: b1 is not visited");
    assert!(error("a1-a70000").contains("outside the 65535x65535 board"));
    assert!(error(". .\n. .").contains("every square of the 2x2 board is a hole"));
    assert!(error("{\"board\": 7}").contains("not JSON of tours"));
    assert!(error("{}").contains("no tour"));
    assert!(error(r#"{"steps":[[1,2],[3]]}"#).contains("tour 1: a row of 1 squares"));
    assert!(error(r#"{"steps":[[1,2],[-1,3]]}"#).contains("tour 1: -1 is not a step number"));
    assert!(error(r#"{"steps":[[1,2],[1.5,3]]}"#).contains("1.5 is not a step number"));
    assert!(error(r#"{"kind":"loop","steps":[[1]]}"#).contains("'loop' is no kind"));
    assert!(error(r#"{"board":"8y8","steps":[[1]]}"#).contains("'8y8' is not a board"));
    assert!(
        error(r#"{"board":"1x2","steps":[[1]]}"#)
            .contains("of a 1x1 board, but the field board is 1x2")
    );
}

/// What others write is read as the same tour, and written anew it is equal byte by byte.
#[test]
fn forms_of_others_are_read() {
    let rows = [
        // Floats, as numpy and tables of numbers print them.
        " 3.  6.  9. 12.\n 8. 11.  2.  5.\n 1.  4.  7. 10.",
        "3.0 6.0 9.0 12.0\n8.0 11.0 2.0 5.0\n1.0 4.0 7.0 10.0",
        "3.00e+00 6.00e+00 9.00e+00 1.20e+01\n8 1.1e1 2 5\n1 4 7 1E1",
        "3.000000,6.000000,9.000000,12.000000\n8,11,2,5\n1,4,7,10.0",
        "[[ 3.  6.  9. 12.]\n [ 8. 11.  2.  5.]\n [ 1.  4.  7. 10.]]",
        // Steps from 0.
        "2 5 8 11\n7 10 1 4\n0 3 6 9",
        "2,5,8,11\n7,10,1,4\n0,3,6,9",
        "[[2, 5, 8, 11], [7, 10, 1, 4], [0, 3, 6, 9]]",
        "02 05 08 11\n07 10 01 04\n00 03 06 09",
        "2. 5. 8. 11.\n7. 10. 1. 4.\n0. 3. 6. 9.",
        r#"{"steps": [[2, 5, 8, 11], [7, 10, 1, 4], [0, 3, 6, 9]]}"#,
        // Rows in brackets.
        "[\n  [3, 6, 9, 12],\n  [8, 11, 2, 5],\n  [1, 4, 7, 10]\n]\n",
        "array([[ 3,  6,  9, 12],\n       [ 8, 11,  2,  5],\n       [ 1,  4,  7, 10]], dtype=int8)",
        "int tour[3][4] = {\n  {3, 6, 9, 12}, {8, 11, 2, 5},\n  {1, 4, 7, 10}};",
        "tour = ((3, 6, 9, 12),\n        (8, 11, 2, 5),\n        (1, 4, 7, 10))",
        "{{3,6,9,12},{8,11,2,5},{1,4,7,10}}",
        "let a = [[\n3 6 9\n 12], [8 11 2 5], [1 4 7 10]]",
        r#"{"steps": [[3.0, 6.0, 9.0, 12.0], [8.0, 11.0, 2.0, 5.0], [1.0, 4.0, 7.0, 10.0]]}"#,
        // Quotes and other separators.
        "\"3\",\"6\",\"9\",\"12\"\n\"8\",\"11\",\"2\",\"5\"\n\"1\",\"4\",\"7\",\"10\"\n",
        "'3';'6';'9';'12'\n'8';'11';'2';'5'\n'1';'4';'7';'10'",
        "\"3\"\t\"6\"\t\"9\"\t\"12\"\n8\t11\t2\t5\n1\t4\t7\t10",
        "\"3\", \"6\", \"9\", \"12\"\r\n8, 11, 2, 5\r\n1, 4, 7, 10\r\n",
        "[[\"3\", \"6\", \"9\", \"12\"], [\"8\", \"11\", \"2\", \"5\"], [\"1\", \"4\", \"7\", \"10\"]]",
        // Pictures of boards.
        "+----+----+----+----+\n|  3 |  6 |  9 | 12 |\n+----+----+----+----+\n|  8 | 11 |  2 |  5 |\n\
         |----|----|----|----|\n|  1 |  4 |  7 | 10 |\n+----+----+----+----+\n",
        "3 | 3 | 6 | 9 | 12 |\n2 | 8 | 11 | 2 | 5 |\n1 | 1 | 4 | 7 | 10 |\n    a   b   c    d\n",
        "3 | 6 | 9 | 12\n--+---+---+---\n8 | 11 | 2 | 5\n--+---+---+---\n1 | 4 | 7 | 10",
        "   A  B  C  D\n┃ 3┃ 6┃ 9┃12┃\n┃ 8┃11┃ 2┃ 5┃\n┃ 1┃ 4┃ 7┃10┃\nopen tour of the 3x4 board from a1 to d3\n",
        "╔══╦══╦══╦══╗\n║ 3║ 6║ 9║12║\n╠══╬══╬══╬══╣\n║ 8║11║ 2║ 5║\n║ 1║ 4║ 7║10║\n╚══╩══╩══╩══╝\n",
        "| 3 | 6 | 9 | 12 |\n|:-:|:-:|:-:|---:|\n| 8 | 11 | 2 | 5 |\n| 1 | 4 | 7 | 10 |",
        "| 3 | 6 | 9 | 12 | 3\n| 8 | 11 | 2 | 5 | 2\n| 1 | 4 | 7 | 10 | 1",
    ];
    let squares = [
        "Na1 Nc2 Na3 Nb1 Nd2 Nb3 Nc1 Na2 Nc3 Nd1 Nb2 Nd3",
        "Sa1-Sc2-Sa3-Sb1-Sd2-Sb3-Sc1-Sa2-Sc3-Sd1-Sb2-Sd3",
        "♘a1 ♘c2 ♘a3 ♘b1 ♘d2 ♘b3 ♘c1 ♘a2 ♘c3 ♘d1 ♘b2 ♘d3",
        "1. Na1 Nc2 2. Na3 Nb1 3. Nd2 Nb3 4. Nc1 Na2 5. Nc3 Nd1 6. Nb2 Nd3",
        "1.a1 c2 2.a3 b1 3.d2 b3 4.c1 a2 5.c3 d1 6.b2 d3",
        "a1 -> c2 -> a3 -> b1 -> d2 -> b3 -> c1 -> a2 -> c3 -> d1 -> b2 -> d3",
        "A1→C2→A3→B1→D2→B3→C1→A2→C3→D1→B2→D3",
        "a1–c2–a3–b1–d2–b3–c1–a2–c3–d1–b2–d3",
        "a1 => c2 => a3 => b1 => d2 => b3 => c1 => a2 => c3 => d1 => b2 => d3",
        r#"["a1", "c2", "a3", "b1", "d2", "b3", "c1", "a2", "c3", "d1", "b2", "d3"]"#,
        "[a1, c2, a3, b1, d2, b3, c1, a2, c3, d1, b2, d3]",
        "'a1','c2','a3','b1','d2','b3','c1','a2','c3','d1','b2','d3'",
        "a1\nc2\na3\nb1\nd2\nb3\nc1\na2\nc3\nd1\nb2\nd3\n",
        "1. Na1\n2. Nc2\n3. Na3\n4. Nb1\n5. Nd2\n6. Nb3\n7. Nc1\n8. Na2\n9. Nc3\n10. Nd1\n11. Nb2\n12. Nd3",
        r#"{"order": ["Na1", "Nc2", "Na3", "Nb1", "Nd2", "Nb3", "Nc1", "Na2", "Nc3", "Nd1", "Nb2", "Nd3"]}"#,
    ];
    for text in rows.into_iter().chain(squares) {
        let tours = read(text.as_bytes(), Hints::default());
        let tours = tours.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(tours, [three_by_four()], "{text}");
    }
}

/// Several tours of one file, and holes, in the forms of others.
#[test]
fn several_tours_and_holes_of_others() {
    let count = |text: &str| read(text.as_bytes(), Hints::default()).unwrap().len();
    assert_eq!(count("[[[1, 2]], [[2, 1]], [[1, 2], [4, 3]]]"), 3);
    assert_eq!(count("[[1 2]\n [4 3]]\n[[2 1]]\n"), 2);
    assert_eq!(count("[[\"a1\", \"b1\"], [\"b1\", \"a1\"]]"), 2);
    assert_eq!(count("│ 1 │ 2 │\n  a   b\n│ 2 │ 1 │\n  a   b\n"), 2);
    assert_eq!(count("a1\nb1\n\nb1\na1\n"), 2);
    for text in [
        "1 nan 2",
        "1,NaN,2",
        "[[1, null, 2]]",
        "[[1, None, 2]]",
        "│ 1 │▒▒▒│ 2 │",
        "| 1 |   | 2 |",
        "1;;2",
    ] {
        let tours = read(text.as_bytes(), Hints::default()).unwrap();
        assert_eq!(tours[0].board().holes(), [1], "{text}");
        assert_eq!(tours[0].steps(), [0, Tour::HOLE, 1], "{text}");
    }
}

/// What might be read as another tour than was meant is refused.
#[test]
fn what_is_not_a_board_is_refused() {
    for text in [
        "(3,0) (1,1) (0,3)",
        "[(3, 0), (1, 1), (0, 3), (2, 2)]",
        "[[3, 0], [1, 1], [0, 3], [2, 2]]",
        "3 1\n1 2\n2 4\n4 3\n",
        "3,1\n1,2\n2,4\n4,3\n",
        "[12, 1, 5, 7]",
    ] {
        let line = "line 1: coordinates and lists of numbers are not read: expected squares such as a1-b3-c5, \
                    or rows of step numbers";
        assert_eq!(error(text), line, "{text}");
    }
    assert_eq!(
        error("1 0 3\n0 2 4"),
        "line 1: 2 squares have the step 0: expected steps from 0 or from 1, and . for a hole"
    );
    for text in [&b"\xFF\xFE1\0 \x002\0"[..], b"\xFE\xFF\x001\0 \x002"] {
        let refusal = read(text, Hints::default()).unwrap_err();
        assert_eq!(refusal.to_string(), "the text is UTF-16: save it as UTF-8");
    }
    assert_eq!(
        error("[[1, 2],\n [3, 4"),
        "line 1: the brackets of this tour are not closed"
    );
    assert_eq!(
        error("x = [[1, 2],\n [3, ...]]"),
        "line 2: '...' is not a step number: expected a number from 0 or 1 up, or . for a hole"
    );
    assert_eq!(
        error("[[1, 2],\n [3]]"),
        "line 2: a row of 1 squares, but the rows above have 2"
    );
    for (text, cell) in [
        ("1.5 2\n3 4", "1.5"),
        ("1 2\n-1 4", "-1"),
        ("| 1 | 2 |\n| 3 | q |", "q"),
        ("1 inf", "inf"),
        ("1, 2 3", "2 3"),
    ] {
        assert!(
            error(text).contains(&format!("'{cell}' is not a step number")),
            "{text}"
        );
    }
    assert!(error("a1 ? b3").contains("'?' is not a square"));
    assert!(error("a1 3 b3").contains("'3' is not a square"));
    assert!(error("⡇⠉⠒⠤").contains("begins no tour"));
}

#[test]
fn hints_complete_and_refuse() {
    let seven = Hints {
        board: Some(Board::knight(7, 7).unwrap()),
        ..Hints::default()
    };
    let tour = three_by_four();
    for format in Format::ALL {
        let result = read(&write(std::slice::from_ref(&tour), format), seven.clone());
        match format {
            // Names say nothing of a board: the checker will miss squares.
            Format::Squares | Format::CsvRow => {
                assert_eq!(result.unwrap()[0].board().grid(), Grid::new(7, 7).unwrap())
            }
            _ => {
                let text = result.unwrap_err().to_string();
                assert!(
                    text.ends_with("1: the tour is of a 3x4 board, but a 7x7 board was asked for"),
                    "{text}"
                );
            }
        }
        let closed = Hints {
            kind: Some(Kind::Closed),
            ..Hints::default()
        };
        let claimed = read(&write(std::slice::from_ref(&tour), format), closed).unwrap();
        assert_eq!(claimed[0].kind(), Kind::Closed);
    }
    let holed = Board::knight(3, 4).unwrap().with_holes(&[5]).unwrap();
    let hints = Hints {
        board: Some(holed),
        ..Hints::default()
    };
    let text = r#"{"board":"3x4","holes":[],"steps":[[3,6,9,12],[8,11,2,5],[1,4,7,10]]}"#;
    assert!(
        read(text.as_bytes(), hints)
            .unwrap_err()
            .to_string()
            .contains("with 1 hole(s) was asked for")
    );
}

#[test]
fn kind_is_seen_from_the_ends() {
    let kind = |text: &str, leaper: &str| {
        let hints = Hints {
            leaper: Some(leaper.parse().unwrap()),
            ..Hints::default()
        };
        read(text.as_bytes(), hints).unwrap()[0].kind()
    };
    assert_eq!(kind("1 2\n4 3", "0,1"), Kind::Closed);
    assert_eq!(kind("1 2\n4 3", "1,2"), Kind::Open);
    assert_eq!(kind("1 2", "0,1"), Kind::Open);
    assert_eq!(kind("a1", "0,1"), Kind::Open);
}

#[test]
fn objects_may_hold_tours() {
    let inner = r#"{"board":"1x1","steps":[[1]],"more":{"steps":3}}"#;
    for text in [
        format!(r#"{{"command":"find","tour":{inner}}}"#),
        format!(r#"{{"tours":[{inner}]}}"#),
        format!("  [{inner}]"),
        r#"{"order":["a1"]}"#.to_owned(),
    ] {
        assert_eq!(
            read(text.as_bytes(), Hints::default()).unwrap().len(),
            1,
            "{text}"
        );
    }
}

#[test]
fn damage_is_noticed() {
    let sound = write(&[three_by_four(), three_by_four()], Format::Bin);
    assert_eq!(read(&sound, Hints::default()).unwrap().len(), 2);
    for at in 1..sound.len() {
        let mut damaged = sound.clone();
        damaged[at] ^= 4;
        let text = read(&damaged, Hints::default()).unwrap_err().to_string();
        assert!(
            text.starts_with("binary tour") || text.contains("memory"),
            "{at}: {text}"
        );
    }
    for length in 1..sound.len() {
        assert!(
            read(&sound[..length], Hints::default()).is_err(),
            "{length}"
        );
    }
    let between = read(&sound[..96], Hints::default()).unwrap_err();
    assert_eq!(
        between.to_string(),
        "binary tour 2: the list is cut off after 1 tours"
    );
    let twice = [&sound[..], &sound[..]].concat();
    assert_eq!(read(&twice, Hints::default()).unwrap().len(), 4);
    let lacking = [&sound[..96], &sound[192..]].concat();
    let error = read(&lacking, Hints::default()).unwrap_err().to_string();
    assert!(
        error.ends_with("the list has 1 tours, but its end says 2"),
        "{error}"
    );
}

#[test]
fn a_budget_is_obeyed() {
    let grid = "1 2 3 4 5 6 7 8\n".repeat(1000);
    let order = vec!["a1"; 4000].join("-");
    let mut bin = write(&[three_by_four()], Format::Bin);
    bin[12..16].copy_from_slice(&60_000u32.to_le_bytes());
    bin[16..20].copy_from_slice(&60_000u32.to_le_bytes());
    for bytes in [grid.as_bytes(), order.as_bytes(), &bin] {
        let tours = Reader::new(bytes, Hints::default(), &limited(9000))
            .and_then(|tours| tours.collect::<Result<Vec<_>, _>>());
        let error = tours.unwrap_err();
        assert!(matches!(error, ReadError::OverBudget(_)), "{error}");
    }
    let claims = [
        r#"{"board":"60000x60000","order":["a1"]}"#,
        r#"{"board":"60000x60000","steps":[[1]]}"#,
        r#"[{"board":"20000x20000","holes":["a1"],"order":["b1"]}]"#,
    ];
    for text in claims {
        let run = limited(64 << 20);
        let tours = Reader::new(text.as_bytes(), Hints::default(), &run)
            .and_then(|tours| tours.collect::<Result<Vec<_>, _>>());
        assert!(tours.is_err(), "{text}");
        assert!(run.ram.peak() <= 64 << 20);
    }
}

/// Inputs without an end, or without an end of line, cost no more than the budget.
#[test]
fn endless_inputs_end_at_the_budget() {
    use std::io::{BufReader, Read, repeat};
    for start in ["", "a1-", "1 2 ", "1,2,", "{", "\n", "#"] {
        for endless in [b'x', b'1', b' ', 0] {
            let input = BufReader::new(start.as_bytes().chain(repeat(endless)));
            let run = limited(1 << 20);
            let tours = Reader::new(input, Hints::default(), &run)
                .and_then(|tours| tours.collect::<Result<Vec<_>, _>>());
            assert!(tours.is_err(), "{start} {endless}");
        }
    }
}

#[test]
fn a_stopped_reader_reports_it() {
    let run = limited(1 << 20);
    run.stop.raise();
    for text in ["1 2\n4 3\n", "a1-b3", "{\"order\":[\"a1\"]}"] {
        let tours = Reader::new(text.as_bytes(), Hints::default(), &run)
            .and_then(|tours| tours.collect::<Result<Vec<_>, _>>());
        assert!(matches!(tours, Err(ReadError::Stopped(_))), "{text}");
    }
}

/// Step numbers in random order: the formats need no sound tour.
fn shuffled(rows: u32, cols: u32, holes: f64, seed: u64) -> Tour {
    let grid = Grid::new(rows, cols).unwrap();
    let mut rng = SplitMix64::new(seed);
    let mut squares: Vec<usize> = (0..grid.len()).collect();
    rng.shuffle(&mut squares);
    let keep = ((grid.len() as f64 * (1.0 - holes)) as usize).max(1);
    let board = Board::new(grid, Leaper::new(0, 1).unwrap());
    let board = board.with_holes(&squares[keep..]).unwrap();
    Tour::from_order(board, Kind::Open, &squares[..keep])
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        rows in 1u32..9, cols in 1u32..40, holes in 0.0f64..0.9, seeds in prop::collection::vec(any::<u64>(), 1..4),
    ) {
        let tours: Vec<Tour> = seeds.iter().map(|&seed| shuffled(rows, cols, holes, seed)).collect();
        for format in Format::ALL {
            let whole = tours.iter().all(|tour| tour.board().holes().is_empty());
            let same_board = tours.iter().all(|tour| tour.board() == tours[0].board());
            let is_names = matches!(format, Format::Squares | Format::CsvRow);
            if is_names && !whole && !same_board {
                continue;
            }
            let hints = Hints {
                board: is_names.then(|| tours[0].board().clone()),
                leaper: Leaper::new(0, 1).ok(),
                kind: Some(Kind::Open),
            };
            let bytes = write(&tours, format);
            prop_assert_eq!(&read(&bytes, hints).unwrap(), &tours, "{}", format);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), start in 0usize..8) {
        let starts: [&[u8]; 8] = [b"", &bin::MAGIC, b"{", b"[{\"steps\":", b"1 2\n", b"1,2\n", b"a1-", b"{\"board\":\"3x3\",\"order\":["];
        let _ = read(&[starts[start], &bytes].concat(), Hints::default());
    }

    #[test]
    fn no_text_makes_it_panic(text in r#"[a-cN0-4,.\-\n \[\]{}()|│▒♘─":;]{0,80}"#) {
        let _ = read(text.as_bytes(), Hints::default());
        let board = Board::knight(3, 3).unwrap().with_holes(&[4]).unwrap();
        let _ = read(text.as_bytes(), Hints { board: Some(board), ..Hints::default() });
    }

    #[test]
    fn damaged_bytes_make_no_panic(edits in prop::collection::vec((0usize..96, any::<u8>()), 0..6)) {
        let mut bytes = write(&[three_by_four()], Format::Bin);
        for (at, byte) in edits {
            bytes[at] = byte;
        }
        let _ = read(&bytes, Hints::default());
    }
}
