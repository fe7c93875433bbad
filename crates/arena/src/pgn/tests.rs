//! Move text in many forms, and random games with what may be written around them.

use everymove_kernel::input::{Input, InputError};
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Ram, Run};
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Position};

use super::*;
use crate::fen::{self, Epd};
use crate::openings::chess960;

fn input(bytes: impl AsRef<[u8]>) -> Input {
    Input::new(
        "test",
        std::io::Cursor::new(bytes.as_ref().to_vec()),
        &Run::serial(),
    )
}

fn games(text: impl AsRef<[u8]>) -> Result<Vec<Game>, String> {
    let mut games = Vec::new();
    let read = read_games(input(text), Scope::Tree, |game| {
        games.push(game);
        Ok::<_, PgnError>(())
    });
    read.map(|()| games).map_err(|e| e.to_string())
}

fn uci(game: &Game) -> String {
    let moves = game
        .main_line()
        .into_iter()
        .map(|m| m.to_uci(game.mode).to_string());
    moves.collect::<Vec<_>>().join(" ")
}

fn fault(text: &str) -> String {
    games(text).unwrap_err()
}

/// Games in a form each, with the moves that python-chess 1.11 reads in the standard form; or
/// refused, with a part of the message after a `!`.
#[test]
fn forms_of_move_text_are_read_or_refused() {
    let table = include_str!("forms.tsv");
    let mut wrong = Vec::new();
    for line in table.lines() {
        let (expected, text) = line.split_once('\t').unwrap();
        match (games(text), expected.strip_prefix('!')) {
            (Ok(found), None) if found.len() == 1 && uci(&found[0]) == expected => {}
            (Err(error), Some(part)) if error.contains(part) => {}
            (found, _) => {
                let found = found.map(|games| games.iter().map(uci).collect::<Vec<_>>());
                wrong.push(format!(
                    "{text}\n  expected {expected}\n  found    {found:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(table.lines().count() >= 100);
}

#[test]
fn what_is_no_move_or_no_pgn_is_refused_with_its_place() {
    for (text, line) in [
        (
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 x6",
            "game 1: move 3...: 'x6' is not a move",
        ),
        (
            "1. e4 *\n\n1. d4 d5 2. c5 *",
            "game 2: move 2: 'c5' is not a legal move in rnbqkbnr/",
        ),
        (
            "1. Nf3 Nf6 2. d3 d6 3. Nd2",
            "game 1: move 3: 'Nd2' is ambiguous in rnbqkb1r/ppp1pppp/3p1n2/8/8/3P1N2/PPP1PPPP/RNBQKB1R w KQkq - 0 3: \
             Nbd2 and Nfd2 fit",
        ),
        ("1. e4 0000", "game 1: move 1...: '0000' is a null move"),
        ("1. e4 (1. d4 d5", "line 1: a variation is not closed"),
        (
            "1. e4 {a\nb",
            "line 1: a comment begins here and is not closed",
        ),
        ("1. e4 } e5", "line 1: a } without a {"),
        ("1. e4) e5", "line 1: a ) without a ("),
        ("1. e4 $x e5", "line 1: '$x e5' is no glyph"),
        (
            "1. e4 (1. d4)\n[Event \"x\"]\n1. e4 (1. d4\n[White \"x\"] *",
            "line 4: a variation of the game before",
        ),
        ("[Event x]\n1. e4", "line 1: '[Event x]' is not a tag"),
        (
            "[Variant \"Atomic\"]\n1. e4",
            "game 1: the variant Atomic is not chess",
        ),
        (
            "[Variant \"King of the Hill\"]\n1. e4",
            "game 1: the variant King of the Hill is not chess",
        ),
        (
            "[FEN \"8/8/8/8 w\"]\n1. e4",
            "game 1: '8/8/8/8 w' is not a position",
        ),
        ("1. e4 e5 2. Lb5 Sc6 3. Dd5", "with these letters"),
        (
            "1. e4 e5 2. Sf3 Nc6",
            "'Sf3' is not a move: the letter S is that of a piece in German",
        ),
        (
            "1. e4 e5 2. Nf3 (2. Bd4) Nc6",
            "game 1: move 2: 'Bd4' is not a legal move",
        ),
        (
            "1. e4 e5 2. d4 exd4 3. c3 dxc3 4. Bd3 cxb2 5. Ke2 bxa1",
            "'bxa1' does not name the piece",
        ),
    ] {
        let error = fault(text);
        assert!(error.contains(line), "{text}\n{error}");
    }
    let nested = format!("1. e4 {}", "(1. d4 ".repeat(2000));
    assert!(fault(&nested).contains("nested deeper than 1000"));
}

#[test]
fn the_variant_and_the_position_give_the_rules() {
    let mode = |tags: &str| games(format!("{tags}\n1. a3 *")).map(|games| games[0].mode);
    let shuffled = "[FEN \"nbrkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NBRKQRBN w KQkq - 0 1\"]";
    for name in [
        "Standard",
        "chess",
        "From Position",
        "normal",
        "",
        "Classical",
    ] {
        assert_eq!(
            mode(&format!("[Variant \"{name}\"]")),
            Ok(CastlingMode::Standard)
        );
    }
    for name in [
        "Chess960",
        "chess 960",
        "Fischerandom",
        "Fischer Random",
        "freestyle",
    ] {
        let tags = format!("[Variant \"{name}\"]\n{shuffled}");
        assert_eq!(mode(&tags), Ok(CastlingMode::Chess960));
    }
    let shredder = shuffled.replace("KQkq", "FCfc");
    assert_eq!(mode(&shredder), Ok(CastlingMode::Chess960));
    // Without a variant, a king off its square says so.
    assert_eq!(mode(shuffled), Ok(CastlingMode::Chess960));
    let read = games(shuffled).unwrap();
    assert!(
        read[0]
            .note
            .as_deref()
            .is_some_and(|note| note.contains("Chess960"))
    );
    assert!(read[0].pgn().contains(" w FCfc - "));
    let castled = "[Variant \"Chess960\"]\n[FEN \"2rk1r2/pppppppp/8/8/8/8/PPPPPPPP/2RK1R2 w FCfc - 0 1\"]\n1. O-O 0-0-0 *";
    assert_eq!(uci(&games(castled).unwrap()[0]), "d1f1 d8c8");
}

#[test]
fn games_without_tags_or_results_are_told_apart() {
    let count = |text: &str| games(text).unwrap().len();
    assert_eq!(count("1. e4 e5\n\n1. d4 d5\n\n1. c4"), 3);
    assert_eq!(count("1. e4 * 1. d4 * 1. c4 *"), 3);
    assert_eq!(count("[White \"a\"]\n\n[White \"b\"]\n\n1. e4"), 2);
    assert_eq!(
        count("{a file} ; of games\n%escape\n[White \"a\"]\n[Black \"b\"]\n\n1. e4 e5\n\n2. d4"),
        1
    );
    assert_eq!(count("1. e4 e5 1-0 {resigns}\n\n{end}\n"), 1);
    assert_eq!(count("\u{feff}\n\n; nothing\n"), 0);
}

/// A game is as large as its line; memory for it is taken from the budget, and reading ends when
/// the run is stopped.
#[test]
fn a_game_that_does_not_fit_is_refused() {
    let run = Run::new(1, Ram::limited(1 << 20));
    let endless = || Input::new("endless", std::io::repeat(b'e'), &run);
    let error = Reader::new(endless()).next_game().unwrap_err();
    assert!(
        matches!(error, PgnError::Input(InputError::OverBudget(_))),
        "{error}"
    );
    let words = "Nf3 Nf6 Ng1 Ng8 ".repeat(50_000);
    let large = Input::new("large", std::io::Cursor::new(words), &run);
    let game = Reader::new(large).next_game();
    let game = game.and_then(|game| game.unwrap().game(Scope::Tree));
    assert!(game.unwrap_err().to_string().contains("the budget is 1M"));
    assert_eq!(run.ram.used(), 0);
    run.stop.raise();
    assert!(Reader::new(endless()).next_game().is_err());
}

/// A writer of games in as many ways as the format allows.
struct Writer {
    rng: SplitMix64,
    text: String,
    nodes: Vec<Node>,
}

const COMMENTS: &[&str] = &[
    "good",
    "the best; by test",
    "(1. e4 e5) 1-0",
    "[%clk 0:01:02] [%eval -0.31]",
    "½ $1",
    "%",
    "ä → ∞",
    "[White \"x\"]",
];

impl Writer {
    fn below(&mut self, n: u64) -> usize {
        self.rng.below(n) as usize
    }

    fn once_in(&mut self, n: u64) -> bool {
        self.rng.below(n) == 0
    }

    /// A blank, in many ways.
    fn blank(&mut self) {
        let blanks = [
            " ",
            " ",
            "  ",
            "\t",
            "\n",
            "\r\n",
            " \n ",
            "\n%1. h4 } escape\n",
            "\r\n% )\r\n",
            "\u{a0}",
        ];
        self.text += blanks[self.rng.below(blanks.len() as u64) as usize];
    }

    fn comment(&mut self) -> String {
        let comment = COMMENTS[self.below(COMMENTS.len() as u64)];
        if self.once_in(5) {
            self.text += &format!("; {comment}");
            let end = ["\n", "\r\n"][self.below(2)];
            self.text += end;
        } else {
            let space = [" ", "\n", "\r\n"][self.below(3)];
            let pad = ["", " ", "\n"][self.below(3)];
            self.text += &format!("{{{pad}{}{pad}}}", comment.replace(' ', space));
        }
        self.blank();
        comment.to_owned()
    }

    /// The moves after a node.
    fn line(&mut self, from: usize, start: &Chess, plies: usize, depth: usize) {
        let (mut last, mut now) = (from, start.clone());
        for ply in 0..plies {
            let legal = now.legal_moves();
            if legal.is_empty() {
                return;
            }
            let mut node = Node::default();
            if ply == 0 && depth > 0 && self.once_in(3) {
                node.comments_before.push(self.comment());
            }
            let m = legal[self.below(legal.len() as u64)];
            node.played = Some(m);
            let number = now.fullmoves();
            let is_white = now.turn().is_white();
            let number = match (is_white, self.below(4)) {
                (true, 0 | 1) => format!("{number}. "),
                (true, 2) => format!("{number}."),
                (false, 0) => format!("{number}... "),
                (false, 1) => format!("{number}…"),
                _ => String::new(),
            };
            self.text += &number;
            let text = match self.below(4) {
                0 => m.to_uci(now.castles().mode()).to_string(),
                _ => SanPlus::from_move(now.clone(), m).to_string(),
            };
            self.text += &text;
            for (mark, nag) in [("!", 1), ("?!", 6), ("+/-", 16)] {
                if self.once_in(12) {
                    self.text += mark;
                    node.nags.push(nag);
                    break;
                }
            }
            if self.once_in(8) {
                let nag = self.below(256) as u8;
                self.blank();
                self.text += &format!("${nag}");
                node.nags.push(nag);
            }
            self.blank();
            let index = self.nodes.len();
            self.nodes.push(node);
            self.nodes[last].next.push(index as u32);
            if self.once_in(6) {
                let comment = self.comment();
                self.nodes[index].comments.push(comment);
            }
            if depth < 3 && self.once_in(8) {
                self.text.push('(');
                let length = 1 + self.below(4);
                self.line(last, &now, length, depth + 1);
                self.text.push(')');
                self.blank();
            }
            now.play_unchecked(m);
            last = index;
        }
    }
}

/// The nodes after one, each with the number of its moves, as they are written: variations of the
/// first move of a variation are numbered otherwise there.
fn preorder(nodes: &[Node], at: u32, plies: usize, found: &mut Vec<(usize, Node)>) {
    let node = &nodes[at as usize];
    let next = Vec::new();
    found.push((
        plies,
        Node {
            next,
            ..node.clone()
        },
    ));
    for &next in &node.next {
        preorder(nodes, next, plies + 1, found);
    }
}

/// 2000 random games, with comments, variations, glyphs, blanks of all kinds, line ends of both
/// kinds, escapes and byte order marks, are read as they were written; and their first positions
/// with random operations as EPD.
#[test]
fn what_is_written_is_read() {
    for file in 0..100 {
        let mut writer = Writer {
            rng: SplitMix64::new(file),
            text: String::new(),
            nodes: Vec::new(),
        };
        if writer.once_in(3) {
            writer.text.push('\u{feff}');
        }
        let mut written = Vec::new();
        for _ in 0..20 {
            let values = ["a", "O\"Brien", "back\\slash", "1. e4 ] {", "", "½"];
            let mut tags = vec![("White".to_owned(), values[writer.below(6)].to_owned())];
            let mut start = Chess::default();
            if writer.once_in(3) {
                let fen = chess960::fen(writer.rng.below(960));
                start = fen::read(&fen, CastlingMode::Chess960).unwrap();
                tags.push(("Variant".to_owned(), "Chess960".to_owned()));
                tags.push(("FEN".to_owned(), fen));
            }
            for (name, value) in &tags {
                let value = value.replace('\\', "\\\\").replace('"', "\\\"");
                writer.text += &format!("[{name} \"{value}\"]");
                let end = ["\n", "\r\n", " "][writer.below(3)];
                writer.text += end;
            }
            writer.text += "\n";
            writer.nodes = vec![Node::default()];
            let plies = writer.below(16);
            writer.line(0, &start, plies, 0);
            let result = ["1-0", "0-1", "1/2-1/2", "½-½", "*"][writer.below(5)];
            writer.text += &format!("{result}\n\n");
            let result = match outcome(result) {
                Some(outcome) => WrittenResult::Known(outcome),
                None => WrittenResult::Unfinished,
            };
            written.push((tags, std::mem::take(&mut writer.nodes), result));
            epd_is_read(&mut writer, &start);
        }
        let found = games(&writer.text).unwrap_or_else(|error| panic!("{error}\n{}", writer.text));
        assert_eq!(found.len(), written.len(), "{}", writer.text);
        for (game, (tags, nodes, result)) in found.into_iter().zip(written) {
            assert_eq!(game.tags, tags);
            assert_eq!(game.nodes, nodes, "{}", writer.text);
            assert_eq!(game.result, result);
            let again = &games(game.pgn()).unwrap()[0];
            let tree = |nodes: &[Node]| {
                let mut found = Vec::new();
                preorder(nodes, 0, 0, &mut found);
                found
            };
            assert_eq!(tree(&again.nodes), tree(&nodes), "{}", game.pgn());
            assert_eq!(again.tags, tags);
            assert_eq!(again.result, game.result);
        }
    }
}

/// A position after random moves, with its counters in one of three ways and operations around
/// them.
fn epd_is_read(writer: &mut Writer, start: &Chess) {
    let mut now = start.clone();
    for _ in 0..writer.below(12) {
        let legal = now.legal_moves();
        let m = legal[writer.below(legal.len() as u64)];
        now.play_unchecked(m);
    }
    let legal = now.legal_moves();
    if legal.is_empty() {
        return;
    }
    let fen = shakmaty::fen::Fen::from_position(&now, shakmaty::EnPassantMode::Legal).to_string();
    let fields: Vec<_> = fen.split(' ').collect();
    let best = SanPlus::from_move(now.clone(), legal[0]).to_string();
    let texts = [
        "plain",
        "with; semicolon",
        "bm e4; am e5",
        "",
        "hmvc 7; fmvn 9",
    ];
    let text = texts[writer.below(5)];
    let mut operations = vec![
        format!("bm {best}"),
        format!("id \"{text}\""),
        "acd 12".to_owned(),
        "c0 \"a \\\"b\\\"; c\"".to_owned(),
    ];
    let counters = match writer.below(3) {
        0 => format!("{} {}", fields[4], fields[5]),
        1 => {
            operations.push(format!("hmvc {}", fields[4]));
            operations.push(format!("fmvn {}", fields[5]));
            String::new()
        }
        _ => {
            operations.push(format!("hmvc {}", fields[4]));
            format!("{} {}", fields[4], fields[5])
        }
    };
    writer.rng.shuffle(&mut operations);
    let separator = [";", "; ", " ;", ";;  "][writer.below(4)];
    let end = ["", ";", " ; \r"][writer.below(3)];
    let mark = ["", "\u{feff}"][writer.below(2)];
    let position = fields[..4].join([" ", "  ", "\t"][writer.below(3)]);
    let line = format!(
        "{mark}{position} {counters} {}{end}",
        operations.join(separator)
    );
    let read = Epd::read(&line).unwrap();
    assert_eq!(read.fen, fen, "{line}");
    assert_eq!(read.operands("bm"), [best.as_str()], "{line}");
    let kept: Vec<_> = text.split_terminator('\0').collect();
    assert_eq!(read.operands("id"), kept, "{line}");
    assert_eq!(read.operands("c0"), ["a \"b\"; c"], "{line}");
}
