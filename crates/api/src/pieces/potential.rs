//! `pieces potential`: which pieces, and which pairs of pieces, win against a king alone.

use std::path::{Path, PathBuf};

use everymove_fairy::ending::{Definition, Ending, LONGEST_SIDE, Rules, board_name};
use everymove_fairy::stats::stats;
use everymove_kernel::grid::Grid;
use everymove_kernel::pieces::Piece;
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::shown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::picture::Content;
use crate::request::{Answer, Request};
use crate::terminal::{OnTerminal, Shown, Text};

/// Which pieces, beside their king, win against a king alone: the share of the positions with the
/// stronger side to move that are won, and the longest mate
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct PotentialRequest {
    /// The pieces, as Betza's notation or names [default: the leaps W F D N A H C Z G, their
    /// rides, and all sums of two of these; with pairs the leaps and rides alone]
    #[serde(default)]
    pub pieces: Vec<String>,
    /// Square boards by their sides, from..to, and boards as files x ranks, separated by commas,
    /// up to 16x16 [default: 6..12]
    #[arg(long, value_name = "LIST")]
    pub boards: Option<String>,
    /// In place of the pieces, the pairs of those that win less than half of the positions of a
    /// board alone
    #[arg(long)]
    #[serde(default)]
    pub pairs: bool,
}

/// A piece as it was given, and its moves.
type Named = (String, Piece);

/// The checked pieces and boards.
#[derive(Clone, Debug)]
pub struct PotentialPlan {
    pieces: Vec<Named>,
    boards: Vec<Grid>,
    pairs: bool,
}

/// How pieces do against a king alone.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PotentialAnswer {
    /// By board, then by pieces, in the order in which they were given.
    pub rows: Vec<Potential>,
    #[serde(skip)]
    solved: u64,
}

/// How a piece or a pair does against a king alone on a board.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Potential {
    /// The piece, or both of a pair.
    pub pieces: Vec<String>,
    /// The board, files x ranks.
    pub board: String,
    /// Legal positions with the stronger side to move; like men are the same.
    pub legal: u64,
    /// Those that it wins.
    pub wins: u64,
    /// The share of wins, from 0 to 1.
    pub share: f64,
    /// Moves of the longest mate; 0 if there is none.
    pub longest_mate: u16,
}

/// The leaps of Betza's notation up to (3,3), then their rides.
const ATOMS: [&str; 18] = [
    "W", "F", "D", "N", "A", "H", "C", "Z", "G", "R", "B", "DD", "NN", "AA", "HH", "CC", "ZZ", "GG",
];

/// With this share of wins a piece wins alone.
const WINS_ALONE: f64 = 0.5;

impl Potential {
    fn name(&self) -> String {
        self.pieces.join("+")
    }

    /// The share in percent, never rounded to all or nothing.
    fn percent(&self) -> String {
        match self.share {
            share if share == 0.0 || share == 1.0 => format!("{:.0}", 100.0 * share),
            share => format!("{:.1}", (100.0 * share).clamp(0.1, 99.9)),
        }
    }

    fn csv(&self) -> String {
        let name = match self.name() {
            name if name.contains(',') => format!("\"{name}\""),
            name => name,
        };
        let Self { board, legal, .. } = self;
        let (wins, share, longest) = (self.wins, self.share, self.longest_mate);
        format!("{name},{board},{legal},{wins},{share:.6},{longest}\n")
    }
}

/// Pieces, each once.
fn read_pieces(texts: &[String]) -> Result<Vec<Named>, Error> {
    let mut pieces: Vec<Named> = Vec::new();
    for text in texts {
        let piece: Piece = text.parse().map_err(Error::field("pieces"))?;
        if let Some((same, _)) = pieces.iter().find(|(_, known)| *known == piece) {
            let line = format!("'{text}' has the moves of '{same}': expected each piece once");
            return Err(Error::message(Some("pieces"), line));
        }
        pieces.push((text.clone(), piece));
    }
    Ok(pieces)
}

/// The leaps and rides, and all sums of two of which neither has the moves of the other.
fn catalogue(pairs: bool) -> Vec<String> {
    let mut texts = ATOMS.map(str::to_owned).to_vec();
    if !pairs {
        for (at, first) in ATOMS.iter().enumerate() {
            // The ride of a leap is nine places behind it.
            let others = ATOMS[at + 1..].iter().enumerate();
            let sums = others.filter(|(gap, _)| *gap + 1 != ATOMS.len() / 2);
            texts.extend(sums.map(|(_, second)| format!("{first}{second}")));
        }
    }
    texts
}

/// Square boards by their sides, ranges of them, and boards as files x ranks.
fn read_boards(list: &str) -> Result<Vec<Grid>, Error> {
    let wrong = |line: String| Error::message(Some("boards"), line);
    let mut boards = Vec::new();
    for item in list.split(',').map(str::trim) {
        let side = |text: &str| {
            let side = text.parse().ok();
            let side = side.filter(|side| (2..=LONGEST_SIDE as u32).contains(side));
            side.ok_or_else(|| {
                let item = shown(item);
                wrong(format!(
                    "'{item}': expected sides such as 8 or 6..12, or a board such as 10x8, from 2 to {LONGEST_SIDE}"
                ))
            })
        };
        let sizes: Vec<_> = match (item.split_once('x'), item.split_once("..")) {
            (Some((files, ranks)), _) => vec![(side(files)?, side(ranks)?)],
            (None, Some((from, to))) => {
                (side(from)?..=side(to)?).map(|side| (side, side)).collect()
            }
            (None, None) => vec![(side(item)?, side(item)?)],
        };
        if sizes.is_empty() {
            return Err(wrong(format!(
                "'{item}': the first side is the greater one"
            )));
        }
        for (files, ranks) in sizes {
            let board = Grid::new(ranks, files).map_err(Error::field("boards"))?;
            if boards.contains(&board) {
                return Err(wrong(format!("{} is listed twice", board_name(board))));
            }
            boards.push(board);
        }
    }
    Ok(boards)
}

/// A piece or a pair, beside a king, against a king.
fn potential(
    board: Grid,
    pieces: &[&Named],
    run: &Run,
    solved: &mut u64,
) -> Result<Potential, Error> {
    let definition = |letter: char, (notation, piece): &Named| Definition {
        letter,
        notation: notation.clone(),
        piece: piece.clone(),
    };
    let king = ("K".to_owned(), "K".parse().expect("K is a piece"));
    let royals = [(); 2].map(|()| definition('K', &king));
    let (material, second) = match pieces {
        [one] => ("KAvK", one),
        [one, other] if one == other => ("KAAvK", one),
        [_, other, ..] => ("KABvK", other),
        [] => unreachable!("there is a piece"),
    };
    let define = |letter| match letter {
        'A' => Some(definition('A', pieces[0])),
        'B' => Some(definition('B', second)),
        _ => None,
    };
    let ending = Ending::new(board, material, royals, define, Rules::default());
    let ending = ending.map_err(|error| Error::input(None, error))?;
    let table = everymove_fairy::solve(&ending, run)?;
    *solved += table.positions();
    let stronger = &stats(&table, run)?.sides[0];
    let (legal, wins) = (stronger.legal(), stronger.wins.iter().sum::<u64>());
    Ok(Potential {
        pieces: pieces.iter().map(|(text, _)| text.clone()).collect(),
        board: board_name(board),
        legal,
        wins,
        share: wins as f64 / legal.max(1) as f64,
        // The list ends with the longest win, whose plies are odd.
        longest_mate: (stronger.wins.len() / 2) as u16,
    })
}

/// All that is asked of one board.
fn of_board(
    plan: &PotentialPlan,
    board: Grid,
    run: &Run,
    solved: &mut u64,
) -> Result<Vec<Potential>, Error> {
    let mut each = |what: &str, all: &[Vec<&Named>]| -> Result<Vec<Potential>, Error> {
        let name = board_name(board);
        run.progress
            .start(format!("{what} on {name}"), all.len() as u64);
        let rows = all.iter().map(|pieces| {
            run.stop.check()?;
            let row = potential(board, pieces, run, solved)?;
            run.progress.advance(1);
            Ok(row)
        });
        rows.collect()
    };
    let singles: Vec<_> = plan.pieces.iter().map(|piece| vec![piece]).collect();
    let alone = each("pieces", &singles)?;
    if !plan.pairs {
        return Ok(alone);
    }
    let minors = plan.pieces.iter().zip(&alone);
    let minors: Vec<_> = minors
        .filter(|(_, row)| row.share < WINS_ALONE)
        .map(|(piece, _)| piece)
        .collect();
    let pairs = minors.iter().enumerate().flat_map(|(at, &first)| {
        let seconds = minors[at..].iter();
        seconds.map(move |&second| vec![first, second])
    });
    each("pairs", &pairs.collect::<Vec<_>>())
}

impl Request for PotentialRequest {
    const COMMAND: &'static str = "pieces potential";
    type Plan = PotentialPlan;
    type Answer = PotentialAnswer;

    fn plan(&self) -> Result<PotentialPlan, Error> {
        let pieces = match self.pieces.is_empty() {
            true => read_pieces(&catalogue(self.pairs))?,
            false => read_pieces(&self.pieces)?,
        };
        Ok(PotentialPlan {
            pieces,
            boards: read_boards(self.boards.as_deref().unwrap_or("6..12"))?,
            pairs: self.pairs,
        })
    }

    fn run(plan: &PotentialPlan, run: &Run) -> Result<PotentialAnswer, Error> {
        let mut solved = 0;
        let mut found: Vec<_> = plan.boards.iter().map(|_| Vec::new()).collect();
        // The largest board first: a budget that does not suffice is known before the other boards
        // are done.
        let mut order: Vec<_> = (0..plan.boards.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(plan.boards[at].len()));
        for at in order {
            found[at] = of_board(plan, plan.boards[at], run, &mut solved)?;
        }
        Ok(PotentialAnswer {
            rows: found.concat(),
            solved,
        })
    }
}

impl Answer for PotentialAnswer {
    fn work(&self) -> Work {
        Work::of("positions", self.solved)
    }
}

/// A file of the rows.
#[derive(Debug, clap::Args)]
pub struct PotentialView {
    /// Write the rows into this file, as comma-separated values
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

impl OnTerminal for PotentialRequest {
    type View = PotentialView;

    fn files(view: &PotentialView) -> Result<Vec<&Path>, Error> {
        Ok(view.csv.iter().map(PathBuf::as_path).collect())
    }

    fn show(
        plan: &PotentialPlan,
        answer: &PotentialAnswer,
        _: &PotentialView,
    ) -> Result<Shown, Error> {
        let rows = answer.rows.iter().map(Potential::csv).collect::<String>();
        let csv = format!("pieces,board,legal,wins,share,longest_mate\n{rows}");
        Ok(Shown {
            text: Text {
                bare: csv.clone(),
                full: answer.table(plan),
            },
            files: vec![Content::Bytes(csv.into_bytes())],
        })
    }
}

impl PotentialAnswer {
    /// A line for each piece or pair, a column for each board.
    fn table(&self, plan: &PotentialPlan) -> String {
        let boards: Vec<_> = plan.boards.iter().map(|board| board_name(*board)).collect();
        let mut names: Vec<String> = Vec::new();
        for row in &self.rows {
            if !names.contains(&row.name()) {
                names.push(row.name());
            }
        }
        let width = names.iter().map(String::len).max().unwrap_or(0);
        let mut text = format!(
            "percent of the positions with the stronger side to move that it wins, and moves of the longest mate\n\n{:width$}",
            ""
        );
        let line = |text: &mut String, cells: &mut dyn Iterator<Item = String>| {
            cells.for_each(|cell| *text += &format!(" {cell:>10}"));
            text.push('\n');
        };
        line(&mut text, &mut boards.iter().cloned());
        for name in names {
            text += &format!("{name:width$}");
            let cell = |board: &String| {
                let mut rows = self.rows.iter();
                let row = rows.find(|row| row.board == *board && row.name() == name);
                row.map_or_else(String::new, |row| match row.longest_mate {
                    0 => row.percent(),
                    longest => format!("{} {longest:>4}", row.percent()),
                })
            };
            line(&mut text, &mut boards.iter().map(cell));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Ram;

    use super::*;
    use crate::error::ErrorKind;
    use crate::request::read;

    fn plan(json: &str) -> Result<PotentialPlan, Error> {
        read::<PotentialRequest>(json)?.plan()
    }

    fn rows(json: &str, run: &Run) -> Vec<(String, String, u64, u64, u16)> {
        let answer = PotentialRequest::run(&plan(json).unwrap(), run).unwrap();
        let rows = answer.rows.iter();
        rows.map(|row| {
            assert_eq!(row.share, row.wins as f64 / row.legal as f64);
            let board = row.board.clone();
            (row.name(), board, row.legal, row.wins, row.longest_mate)
        })
        .collect()
    }

    /// The numbers are those of a program that shares no code with the solver
    /// (crates/fairy/tests/truth.tsv).
    #[test]
    fn pieces_alone_have_the_known_potential() {
        let json = r#"{ "pieces": ["R", "WF", "WfF", "NN"], "boards": "6,8,10x8" }"#;
        let found = rows(json, &Run::new(2, Ram::unlimited()));
        let row = |piece: &str, board: &str, legal, wins, longest| {
            (piece.to_owned(), board.to_owned(), legal, wins, longest)
        };
        for known in [
            row("R", "6x6", 25_440, 25_440, 12),
            row("WF", "6x6", 29_120, 29_120, 11),
            row("WfF", "6x6", 30_528, 28_730, 23),
            row("WF", "8x8", 200_424, 200_424, 18),
            row("WfF", "8x8", 205_896, 189_792, 37),
            row("NN", "8x8", 190_768, 0, 0),
            row("WF", "10x8", 412_616, 412_616, 23),
            row("WfF", "10x8", 421_656, 387_880, 45),
        ] {
            assert!(found.contains(&known), "{known:?} in {found:?}");
        }
        assert_eq!(found.len(), 12);
    }

    #[test]
    fn pairs_are_those_of_pieces_that_do_not_win_alone() {
        let json = r#"{ "pieces": ["bishop", "R", "N"], "boards": "4..6", "pairs": true }"#;
        let found = rows(json, &Run::serial());
        assert_eq!(found, rows(json, &Run::new(2, Ram::unlimited())));
        let names: Vec<_> = found.iter().map(|row| &row.0[..]).collect();
        let one_board = ["bishop+bishop", "bishop+N", "N+N"];
        assert_eq!(names, [one_board; 3].concat());
        let numbers = |at: usize| (found[at].2, found[at].3, found[at].4);
        assert_eq!(numbers(1), (18_240, 17_120, 14));
        assert_eq!(numbers(4), (159_288, 80_652, 13));
        assert_eq!(numbers(7), (855_184, 843_072, 22));
    }

    #[test]
    fn the_catalogue_has_every_leap_and_ride_and_sums_of_two() {
        let plan = plan("{}").unwrap();
        let texts: Vec<_> = plan.pieces.iter().map(|(text, _)| &text[..]).collect();
        assert_eq!(texts.len(), 18 + 18 * 17 / 2 - 9);
        for text in ["W", "GG", "WF", "RNN", "RB", "CZ", "NDD"] {
            assert!(texts.contains(&text), "{text}");
        }
        for text in ["WR", "FB", "DDD", "GGG"] {
            assert!(!texts.contains(&text), "{text}");
        }
        let boards: Vec<_> = plan.boards.iter().map(|board| board_name(*board)).collect();
        assert_eq!(boards.first().unwrap(), "6x6");
        assert_eq!((boards.len(), &boards[6][..]), (7, "12x12"));
    }

    #[test]
    fn wrong_fields_are_named() {
        for (json, field, part) in [
            (r#"{ "pieces": ["BNx"] }"#, "pieces", "column 3"),
            (
                r#"{ "pieces": ["BN", "NB"] }"#,
                "pieces",
                "the moves of 'BN'",
            ),
            (r#"{ "boards": "6..17" }"#, "boards", "from 2 to 16"),
            (r#"{ "boards": "8,8x8" }"#, "boards", "listed twice"),
            (r#"{ "boards": "8..6" }"#, "boards", "the greater one"),
            (r#"{ "boards": "" }"#, "boards", "expected sides"),
        ] {
            let error = plan(json).unwrap_err();
            assert_eq!(error.wrong_field(), Some(field), "{json}: {error}");
            assert!(error.to_string().contains(part), "{json}: {error}");
        }
    }

    #[test]
    fn memory_and_stop_are_obeyed() {
        let plan = plan(r#"{ "pieces": ["BN"], "boards": "2,16" }"#).unwrap();
        let refused = PotentialRequest::run(&plan, &Run::new(1, Ram::limited(1 << 20)));
        assert!(matches!(
            refused.unwrap_err().kind(),
            ErrorKind::Memory { .. }
        ));
        let run = Run::serial();
        run.stop.raise();
        let stopped = PotentialRequest::run(&plan, &run).unwrap_err();
        assert_eq!(stopped.kind(), ErrorKind::Stopped);
    }

    #[test]
    fn text_and_csv_have_every_row() {
        let plan = plan(r#"{ "pieces": ["(1,4)", "WD"], "boards": "3,8" }"#).unwrap();
        let answer = PotentialRequest::run(&plan, &Run::serial()).unwrap();
        let shown = PotentialRequest::show(&plan, &answer, &PotentialView { csv: None }).unwrap();
        let lines: Vec<_> = shown.text.bare.lines().collect();
        assert_eq!(lines[0], "pieces,board,legal,wins,share,longest_mate");
        assert!(lines[1].starts_with("\"(1,4)\",3x3,"), "{}", lines[1]);
        assert_eq!(lines[4], "WD,8x8,200768,192908,0.960850,29");
        let last = shown.text.full.lines().last().unwrap();
        assert!(
            last.starts_with("WD ") && last.ends_with("  96.1   29"),
            "{last}"
        );
    }
}
