//! `tours count FROM..TO`: how many tours the boards of a range have.

use std::io::Write;

use everymove_kernel::grid::Grid;
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::grouped;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::Kind;
use super::count::{CountAnswer, CountPlan, CountRequest};
use crate::error::Error;
use crate::request::{Answer, Request};
use crate::terminal::{Ended, Format, Screen, Text, under_display, unwritten, write_answer};

/// More boards are refused as a likely typing error.
const MAX_BOARDS: usize = 1000;

/// How many tours the boards of a range have, one after the other.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct RangeRequest {
    /// The count of one board; its board is FROM..TO, for example 6x5..6x20: all boards with sides
    /// from those of the first to those of the last.
    pub count: CountRequest,
}

/// How many tours the boards of a range have.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RangeAnswer {
    /// Open or closed tours.
    pub kind: Kind,
    /// Whether a tour and its reverse are counted as two.
    pub directed: bool,
    /// The boards, by rows, then columns.
    pub boards: Vec<BoardCount>,
    #[serde(skip)]
    work: Work,
}

/// How many tours a board has.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BoardCount {
    /// The board as ROWSxCOLS.
    pub board: String,
    /// The number of tours, in decimal.
    pub count: String,
    /// Classes of undirected tours under the symmetries of the board, in decimal, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<String>,
    /// Sequences of the OEIS that count such tours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub oeis: Vec<&'static str>,
}

impl BoardCount {
    fn line(&self, format: Format, width: usize) -> String {
        let Self { board, count, .. } = self;
        let number = |text: &str| match format {
            Format::Full => grouped(text),
            _ => text.to_owned(),
        };
        let mut line = match format {
            Format::Full => format!("{board:>width$}  {}", number(count)),
            _ => format!("{board} {count}"),
        };
        if let Some(classes) = &self.classes {
            line += &match format {
                Format::Full => format!(" in {} classes", number(classes)),
                _ => format!(" {classes}"),
            };
        }
        if format == Format::Full && !self.oeis.is_empty() {
            line += &format!("  OEIS {}", self.oeis.join(", "));
        }
        line + "\n"
    }
}

/// Whether a board is written as a range.
pub(super) fn is_range(board: &str) -> bool {
    board.contains("..")
}

impl Request for RangeRequest {
    const COMMAND: &'static str = "tours count FROM..TO";
    type Plan = Vec<CountPlan>;
    type Answer = RangeAnswer;

    fn plan(&self) -> Result<Vec<CountPlan>, Error> {
        let count = &self.count;
        let refuse = |field, line: &str| Err(Error::message(Some(field), line));
        if count.by_start || count.start.is_some() {
            let field = if count.by_start { "by_start" } else { "start" };
            return refuse(field, "starts are squares of one board, not of a range");
        }
        if count.checkpoint.is_some() {
            return refuse("checkpoint", "a checkpoint is of one board, not of a range");
        }
        let text = &count.question.board.board;
        let ends = text.split_once("..").map(|(from, to)| [from, to]);
        let Some([from, to]) = ends else {
            return refuse("board", "expected a range of boards, for example 6x5..6x20");
        };
        let grid = |text: &str| text.trim().parse::<Grid>().map_err(Error::field("board"));
        let (from, to) = (grid(from)?, grid(to)?);
        let rows = from.rows()..=to.rows();
        let cols = from.cols()..=to.cols();
        if rows.is_empty() || cols.is_empty() {
            let line =
                format!("no board has at least the sides of {from} and at most those of {to}");
            return refuse("board", &line);
        }
        let boards = rows.clone().count().saturating_mul(cols.clone().count());
        if boards > MAX_BOARDS {
            let (boards, most) = (grouped(boards), grouped(MAX_BOARDS));
            return refuse(
                "board",
                &format!("{text} is {boards} boards: expected at most {most}"),
            );
        }
        let boards = rows.flat_map(|rows| cols.clone().map(move |cols| format!("{rows}x{cols}")));
        let plan = |board: String| {
            let mut one = count.clone();
            one.question.board.board = board;
            one.plan()
        };
        boards.map(plan).collect()
    }

    fn run(plans: &Vec<CountPlan>, run: &Run) -> Result<RangeAnswer, Error> {
        Self::counted(plans, |plan| CountRequest::run(plan, run), |_| Ok(()))
    }
}

impl RangeRequest {
    /// Counts board after board; `done` gets each.
    fn counted(
        plans: &[CountPlan],
        mut count: impl FnMut(&CountPlan) -> Result<CountAnswer, Error>,
        mut done: impl FnMut(&BoardCount) -> Result<(), Error>,
    ) -> Result<RangeAnswer, Error> {
        let mut answer = RangeAnswer {
            kind: Kind::Open,
            directed: false,
            boards: vec![],
            work: Work::default(),
        };
        for plan in plans {
            let counted = count(plan)?;
            answer.work.merge(&counted.work());
            (answer.kind, answer.directed) = (counted.kind, counted.directed);
            let board = BoardCount {
                board: counted.board,
                count: counted.count,
                classes: counted.classes,
                oeis: counted.oeis,
            };
            done(&board)?;
            answer.boards.push(board);
        }
        Ok(answer)
    }

    /// Answers on a terminal, board by board: what is counted is there if a later board takes too
    /// long.
    pub(super) fn ask(count: CountRequest, screen: &dyn Screen) -> Result<Ended, Error> {
        let plans = Self { count }.plan()?;
        let format = screen.format();
        let widths = plans.iter().map(|plan| plan.board().len());
        let width = widths.max().unwrap_or(0);
        let mut out = screen.out();
        let count = |plan: &CountPlan| under_display(screen, |run| CountRequest::run(plan, run));
        let answer = Self::counted(&plans, count, |board| {
            if format == Format::Json {
                return Ok(());
            }
            let written = out.write_all(board.line(format, width).as_bytes());
            written.and_then(|()| out.flush()).map_err(unwritten)
        })?;
        drop(out);
        write_answer::<Self>(&answer, &Text::default(), screen)
    }
}

impl Answer for RangeAnswer {
    fn work(&self) -> Work {
        self.work.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(board: &str) -> RangeRequest {
        let request = serde_json::json!({ "board": board, "closed": true });
        serde_json::from_value(request).unwrap()
    }

    #[test]
    fn every_board_of_a_range_is_counted() {
        let plans = range("5x5..6x6").plan().unwrap();
        let answer = RangeRequest::run(&plans, &Run::serial()).unwrap();
        let boards = answer.boards.iter();
        let counts: Vec<_> = boards.map(|b| (&b.board[..], &b.count[..])).collect();
        let expected = [("5x5", "0"), ("5x6", "8"), ("6x5", "8"), ("6x6", "9862")];
        assert_eq!(counts, expected);
        assert_eq!(
            answer.boards[3].line(Format::Full, 4),
            " 6x6  9,862  OEIS A001230, A175881\n"
        );
        assert_eq!(answer.boards[3].line(Format::Bare, 4), "6x6 9862\n");
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for board in [
            "6x6",
            "6x7..6x6",
            "1x1..1000x1000",
            "6x..6x7",
            "6x5..",
            "..6x6",
        ] {
            let error = range(board).plan().unwrap_err();
            assert_eq!(error.wrong_field(), Some("board"), "{board}");
        }
    }
}
