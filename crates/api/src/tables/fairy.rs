//! Endings of pieces by their moves, on other boards, under other rules: the fields of such a
//! request, and tables of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use everymove_fairy::ending::{self, Definition, Ending, Rules, read_board};
use everymove_fairy::position::{Folder, Placement, Position};
use everymove_fairy::stats::{SideStats, Stats};
use everymove_fairy::store::{self, EXTENSION, TableFile, file_name};
use everymove_fairy::{FairyError, Value};
use everymove_kernel::pieces::Piece;
use everymove_kernel::run::{Run, Work};
use everymove_tables::search_path;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::batch::{EstimateAnswer, MissingEnding};
use super::counts::{self, Histogram, SideCounts};
use super::probe::{MoveValue, ProbeAnswer, TablesKind, ValueName};
use super::source::{Distance, Metric};
use super::stats::{Counting, StatsAnswer};
use crate::error::Error;
use crate::terminal::Text;

/// What the side without a legal move gets that is not attacked.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Stalemate {
    /// A draw
    Draw,
    /// A win
    Win,
    /// A loss
    Loss,
}

/// What the side gets that has its king alone against more men.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum BareKing {
    /// It plays on
    None,
    /// It has lost
    Loss,
    /// It has lost, unless it takes the last man of the opponent at once
    Shatranj,
}

/// Pieces by their moves, other boards and other rules. If one of these is given, the ending is one
/// of such pieces.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct FairyRequest {
    /// A piece by its moves: a letter, and Betza's notation or a name, such as A=BN or C=camel;
    /// may be given several times. Q R B N and the letters of leaps (W F D A H C Z G) need
    /// none
    #[arg(long, value_name = "LETTER=MOVES")]
    #[serde(default)]
    pub piece: Vec<String>,
    /// The board, files x ranks, up to 16x16 [default: 8x8]
    #[arg(long, value_name = "FILESxRANKS")]
    pub board: Option<String>,
    /// What the side without a legal move gets that is not attacked [default: draw]
    #[arg(long, value_name = "RESULT")]
    pub stalemate: Option<Stalemate>,
    /// What a side gets that has its king alone against more men [default: none]
    #[arg(long, value_name = "RULE")]
    pub bare_king: Option<BareKing>,
    /// The moves of the royal piece K of both sides [default: K]
    #[arg(long, value_name = "MOVES")]
    pub royal: Option<String>,
    /// The moves of the royal piece K of Black, if they are others
    #[arg(long, value_name = "MOVES")]
    pub black_royal: Option<String>,
}

impl FairyRequest {
    /// Whether the request is about such pieces, boards or rules.
    pub(crate) fn is_given(&self) -> bool {
        let texts = [&self.board, &self.royal, &self.black_royal];
        !self.piece.is_empty()
            || self.stalemate.is_some()
            || self.bare_king.is_some()
            || texts.iter().any(|text| text.is_some())
    }

    /// The ending of a material.
    pub(super) fn ending(&self, material: &str, metric: Option<Metric>) -> Result<Ending, Error> {
        let board = self.board.as_deref().unwrap_or("8x8");
        let board = read_board(board).map_err(Error::field("board"))?;
        let definition = |letter: char, notation: &str, field| {
            let piece = notation.parse::<Piece>().map_err(Error::field(field))?;
            Ok::<_, Error>(Definition {
                letter,
                notation: notation.to_owned(),
                piece,
            })
        };
        let mut given: Vec<Definition> = Vec::new();
        for text in &self.piece {
            let wrong = |why: &str| {
                let text = everymove_kernel::text::shown(text);
                Error::message(Some("piece"), format!("'{text}': {why}"))
            };
            let expected = "expected a letter and its moves, such as A=BN";
            let (letter, notation) = text.split_once('=').ok_or_else(|| wrong(expected))?;
            let mut letters = letter.chars().map(|c| c.to_ascii_uppercase());
            let letter = match (letters.next(), letters.next()) {
                (Some('K'), None) => {
                    return Err(wrong("K is the royal piece: give its moves as royal"));
                }
                (Some('V'), None) => {
                    return Err(wrong("V separates the armies: take another letter"));
                }
                (Some(letter @ 'A'..='Z'), None) => letter,
                _ => return Err(wrong(expected)),
            };
            if given.iter().any(|other| other.letter == letter) {
                return Err(wrong("the letter has moves already"));
            }
            given.push(definition(letter, notation, "piece")?);
        }
        let royal = self.royal.as_deref().unwrap_or("K");
        let white = definition('K', royal, "royal")?;
        let black = definition(
            'K',
            self.black_royal.as_deref().unwrap_or(royal),
            "black_royal",
        )?;
        let rules = Rules {
            stalemate: match self.stalemate {
                None | Some(Stalemate::Draw) => ending::Stalemate::Draw,
                Some(Stalemate::Win) => ending::Stalemate::Win,
                Some(Stalemate::Loss) => ending::Stalemate::Loss,
            },
            bare_king: match self.bare_king {
                None | Some(BareKing::None) => ending::BareKing::None,
                Some(BareKing::Loss) => ending::BareKing::Loss,
                Some(BareKing::Shatranj) => ending::BareKing::Shatranj,
            },
            metric: match metric {
                None | Some(Metric::Dtm) => ending::Metric::Mate,
                Some(Metric::Dtc) => ending::Metric::Conversion,
                Some(Metric::Dtz | Metric::Dtm50) => {
                    let line = "pieces by their moves have tables of dtm or dtc";
                    return Err(Error::message(Some("metric"), line));
                }
            },
        };
        let define = |letter| {
            let found = given.iter().find(|other| other.letter == letter);
            found.cloned().or_else(|| ending::usual(letter))
        };
        let ending = Ending::new(board, material, [white, black], define, rules);
        ending.map_err(|error| {
            let field = match error {
                ending::EndingError::Board { .. } | ending::EndingError::OneSquare => "board",
                _ => "material",
            };
            Error::input(Some(field), error)
        })
    }
}

impl From<FairyError> for Error {
    fn from(error: FairyError) -> Self {
        match error {
            FairyError::Stopped(stopped) => stopped.into(),
            FairyError::OverBudget(error) => error.into(),
            FairyError::File(error) => error.into(),
            error => Self::input(None, error),
        }
    }
}

/// The table that was built.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FairyAnswer {
    /// The ending.
    pub material: String,
    /// The board, files x ranks.
    pub board: String,
    /// The moves of each letter; `K` are those of White's royal piece.
    pub pieces: BTreeMap<char, String>,
    /// The moves of Black's royal piece.
    pub black_royal: String,
    /// What the side without a legal move gets.
    pub stalemate: Stalemate,
    /// What a king alone gets.
    pub bare_king: BareKing,
    /// What the distances count.
    pub metric: Metric,
    /// By how many symmetries of the board positions are the same.
    pub symmetries: usize,
    /// The endings whose tables it needs.
    pub sub_tables: Vec<String>,
    /// The endings whose tables were made.
    pub made: Vec<String>,
    /// The endings whose tables existed.
    pub found: Vec<String>,
    /// The table of the ending.
    pub file: String,
    /// Counts with White to move, unless they were not wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white_to_move: Option<SideCounts>,
    /// Counts with Black to move, unless they were not wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black_to_move: Option<SideCounts>,
    /// Placements in which each side does worse if it moves, unless counts were not wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutual_zugzwangs: Option<u64>,
    #[serde(skip)]
    solved: u64,
}

impl FairyAnswer {
    /// Builds the table of an ending, and counts it if that is wanted.
    pub(super) fn build(
        ending: &Ending,
        folder: &Path,
        is_counted: bool,
        run: &Run,
    ) -> Result<Self, Error> {
        let built = store::build(ending, folder, run)?;
        let stats = match is_counted {
            true => Some(built.table.stats(run)?),
            false => None,
        };
        let side = |side: usize| stats.as_ref().map(|stats| side_counts(&stats.sides[side]));
        let royal = std::iter::once(&ending.royals[0]);
        let pieces = royal.chain(ending.men.iter().map(|man| &man.definition));
        Ok(Self {
            material: ending.to_string(),
            board: ending.board_name(),
            pieces: pieces
                .map(|piece| (piece.letter, piece.notation.clone()))
                .collect(),
            black_royal: ending.royals[1].notation.clone(),
            stalemate: match ending.rules.stalemate {
                ending::Stalemate::Draw => Stalemate::Draw,
                ending::Stalemate::Win => Stalemate::Win,
                ending::Stalemate::Loss => Stalemate::Loss,
            },
            bare_king: match ending.rules.bare_king {
                ending::BareKing::None => BareKing::None,
                ending::BareKing::Loss => BareKing::Loss,
                ending::BareKing::Shatranj => BareKing::Shatranj,
            },
            metric: metric(ending),
            symmetries: built.table.symmetries(),
            sub_tables: built.smaller,
            made: built.made,
            found: built.found,
            file: folder.join(file_name(ending)).display().to_string(),
            white_to_move: side(0),
            black_to_move: side(1),
            mutual_zugzwangs: stats.map(|stats| stats.mutual_zugzwangs),
            solved: built.solved,
        })
    }

    pub(super) fn work(&self) -> Work {
        Work::of("positions", self.solved)
    }

    pub(super) fn text(&self) -> Text {
        let file = &self.file;
        let mut full = match self.made.len() {
            0 => format!("{file} was there already\n"),
            1 => format!("made {file}\n"),
            2 => format!("made {file} and a table it needs\n"),
            n => format!("made {file} and {} tables it needs\n", n - 1),
        };
        if let (Some(white), Some(black)) = (&self.white_to_move, &self.black_to_move) {
            full += &counts::text(white, black, self.metric);
        }
        let bare = format!("{file}\n");
        Text { bare, full }
    }
}

/// Bytes of a file for a thousand positions, about.
const BYTES_OF_1000: u64 = 450;

/// Positions that a processor solves in a second, about.
const POSITIONS_A_SECOND: f64 = 10e6;

/// What is missing for the table of an ending, and about what it costs to make it.
pub(super) fn estimate(ending: &Ending, folder: &Path, run: &Run) -> Result<EstimateAnswer, Error> {
    let missing = store::missing(ending, folder, run.threads.get())?;
    let endings = ending.closure().len();
    let missing = missing.into_iter().map(|one| {
        let cpu_seconds = one.positions as f64 / POSITIONS_A_SECOND;
        MissingEnding::new(
            one.ending,
            one.positions * BYTES_OF_1000 / 1000,
            cpu_seconds,
            one.memory,
        )
    });
    Ok(EstimateAnswer::of(
        endings,
        metric(ending),
        missing.collect(),
    ))
}

fn metric(ending: &Ending) -> Metric {
    match ending.rules.metric {
        ending::Metric::Mate => Metric::Dtm,
        ending::Metric::Conversion => Metric::Dtc,
    }
}

fn side_counts(side: &SideStats) -> SideCounts {
    let sum = |counts: &[u64]| counts.iter().sum();
    let longest = |counts: &[u64]| counts.len().saturating_sub(1) as u16;
    SideCounts {
        legal: side.legal(),
        wins: sum(&side.wins),
        cursed_wins: None,
        draws: side.draws,
        blessed_losses: None,
        losses: sum(&side.losses),
        max_win_plies: longest(&side.wins),
        max_loss_plies: longest(&side.losses),
        max_real_win_plies: None,
        max_real_loss_plies: None,
    }
}

fn histogram(side: &SideStats) -> Histogram {
    let by_plies = |counts: &[u64]| {
        let plies = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        plies.map(|(plies, &count)| (plies as u16, count)).collect()
    };
    Histogram {
        wins_by_plies: by_plies(&side.wins),
        losses_by_plies: by_plies(&side.losses),
    }
}

/// Whether a path is that of a table of pieces by their moves.
pub(super) fn is_fairy_file(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == EXTENSION)
}

/// Takes the tables of pieces by their moves out of a list of files and directories; a directory
/// that has such tables alone is taken out, too.
pub(super) fn take_files(paths: &mut Vec<PathBuf>) -> Result<Vec<PathBuf>, Error> {
    let mut taken = Vec::new();
    let mut left = Vec::new();
    for path in paths.drain(..) {
        if !path.is_dir() {
            let into = if is_fairy_file(&path) {
                &mut taken
            } else {
                &mut left
            };
            into.push(path);
            continue;
        }
        let error =
            |e| everymove_kernel::files::FileError::io("list", path.display().to_string(), e);
        let entries = std::fs::read_dir(&path).map_err(error)?;
        let entries = entries.map(|entry| Ok(entry.map_err(error)?.path()));
        let entries = entries.collect::<Result<Vec<_>, Error>>()?;
        let (mut own, others): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|path| is_fairy_file(path));
        let is_table = |path: &PathBuf| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            matches!(
                extension,
                Some("dtm" | "dtz" | "dtm50" | "dtc" | "rtbw" | "rtbz")
            )
        };
        if own.is_empty() || others.iter().any(is_table) {
            left.push(path);
        }
        own.sort_unstable();
        taken.append(&mut own);
    }
    *paths = left;
    Ok(taken)
}

/// The folder of a search path that has the table of an ending; the first of all if none has.
pub(super) fn folder_of(ending: &Ending, path: &Path) -> PathBuf {
    let folders = search_path(path);
    let name = file_name(ending);
    let found = folders.iter().find(|folder| folder.join(&name).is_file());
    found
        .or(folders.first())
        .cloned()
        .unwrap_or_else(|| path.to_owned())
}

/// What a table holds.
pub(super) fn stats_answer(table: &TableFile, run: &Run) -> Result<StatsAnswer, Error> {
    let ending = table.ending();
    let Stats {
        sides,
        mutual_zugzwangs,
        longest_wins,
    } = table.stats(run)?;
    let longest = [0, 1].into_iter().filter_map(|side| {
        let (royals, men) = longest_wins[side].clone()?;
        let position = Position {
            ending: ending.clone(),
            side,
            royals,
            men,
        };
        Some((sides[side].wins.len(), position.text()))
    });
    let longest: Vec<_> = longest.collect();
    let most = longest.iter().map(|(plies, _)| *plies).max();
    let longest = longest
        .into_iter()
        .filter(|(plies, _)| Some(*plies) == most);
    Ok(StatsAnswer {
        material: ending.to_string(),
        board: Some(ending.board_name()),
        metric: metric(ending),
        counting: Counting::Positions,
        white_to_move: side_counts(&sides[0]),
        black_to_move: side_counts(&sides[1]),
        white_histogram: histogram(&sides[0]),
        black_histogram: histogram(&sides[1]),
        longest_wins: longest.map(|(_, text)| text).collect(),
        mutual_zugzwangs,
        zugzwang_examples: Vec::new(),
    })
}

/// A position that is looked up.
#[derive(Clone, Debug)]
pub(super) struct FairyProbe {
    position: Position,
    path: PathBuf,
    line: bool,
}

/// The most moves of a line.
const LONGEST_LINE: usize = 2000;

impl FairyProbe {
    pub(super) fn new(
        fairy: &FairyRequest,
        text: &str,
        metric: Option<Metric>,
        path: PathBuf,
        line: bool,
    ) -> Result<Self, Error> {
        let placement = Placement::read(text).map_err(Error::field("fen"))?;
        let fairy = FairyRequest {
            board: fairy
                .board
                .clone()
                .or(Some(ending::board_name(placement.board))),
            ..fairy.clone()
        };
        let ending = fairy.ending(&placement.material(), metric)?;
        let position = Position::new(&ending, &placement).map_err(Error::field("fen"))?;
        Ok(Self {
            position,
            path,
            line,
        })
    }

    pub(super) fn answer(&self, run: &Run) -> Result<ProbeAnswer, Error> {
        let position = &self.position;
        let mut tables = Folder::new(&folder_of(&position.ending, &self.path));
        let value = tables.value(position)?.ok_or_else(|| {
            let mover = ending::SIDES[position.side];
            let line = format!("the position is not legal: {mover} could capture the other king");
            Error::message(Some("fen"), line)
        })?;
        let moves = tables.moves(position)?.into_iter().map(|choice| MoveValue {
            uci: choice.squares,
            san: choice.text,
            value: value_name(choice.value),
            distance: choice.value.plies(),
            at_clock: None,
            distance_at_clock: None,
        });
        let moves = moves.collect();
        let (line, line_uci) = match self.line {
            true => {
                let line = tables.line(position, LONGEST_LINE, run)?;
                let (texts, squares) = line.into_iter().map(|c| (c.text, c.squares)).unzip();
                (Some(texts), Some(squares))
            }
            false => (None, None),
        };
        let metric = metric(&position.ending);
        let plies = value.plies();
        Ok(ProbeAnswer {
            material: position.ending.to_string(),
            metric,
            tables: TablesKind::Fairy,
            value: value_name(value),
            distance: Distance::new(metric, plies),
            at_clock: None,
            moves,
            side_to_move: ending::SIDES[position.side],
            line,
            line_uci,
        })
    }

    /// The position as a picture.
    pub(super) fn picture(&self) -> String {
        let placement = self.position.placement();
        let men = placement
            .men
            .iter()
            .map(|&(side, letter, square)| (letter, square, side == 0));
        let men: Vec<_> = men.collect();
        everymove_draw::pieces::position(placement.board, &men, everymove_draw::theme::Theme::Light)
    }
}

fn value_name(value: Value) -> ValueName {
    match value {
        Value::Win(_) => ValueName::Win,
        Value::Draw => ValueName::Draw,
        Value::Loss(_) => ValueName::Loss,
    }
}
