//! The engine of an analysis, with its limits.

use std::time::Duration;

use everymove_engine::score::UciScore;
use everymove_engine::{
    Engine, Game, Limits, Options, Position, SearchReport, SearchResult, Signals,
};
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::shown;

use super::mirror;
use crate::error::Error;

/// The place of an error in a file: `games.pgn, game 3`, or `game 3` without a name.
pub(super) fn place(file: Option<&str>, what: &str, number: u64) -> String {
    match file {
        Some(file) => format!("{}, {what} {number}", shown(file)),
        None => format!("{what} {number}"),
    }
}

/// The most memory of the hash table in bytes.
const HASH: u64 = 256 << 20;

/// The engine with its limits.
pub(super) struct Searcher<'a> {
    pub(super) engine: Engine,
    limits: Limits,
    pub(super) run: &'a Run,
    /// Nodes searched so far.
    nodes: u64,
}

impl<'a> Searcher<'a> {
    /// An engine with limits, a number of lines, and folders of tables (ours, Syzygy).
    pub(super) fn new(
        limits: Limits,
        lines: usize,
        (tables, syzygy): (Option<&str>, Option<&str>),
        run: &'a Run,
    ) -> Result<Self, Error> {
        let options = Options {
            threads: run.threads.get(),
            multi_pv: lines,
            hash: HASH,
            overhead: Duration::ZERO,
            ..Options::default()
        };
        let mut engine = Engine::reserved(options.within(&run.ram), &run.ram)?;
        if let Some(folder) = tables {
            engine.set_tables(folder).map_err(Error::field("tables"))?;
        }
        if let Some(folders) = syzygy {
            engine
                .set_syzygy(folders)
                .map_err(Error::field("syzygy_path"))?;
        }
        Ok(Self {
            engine,
            limits,
            run,
            nodes: 0,
        })
    }

    /// The nodes searched so far.
    pub(super) fn work(&self) -> Work {
        Work::of("nodes", self.nodes)
    }

    /// Searches the last position of a game that began with `start`.
    pub(super) fn search(&mut self, start: &Position, game: &Game) -> Result<SearchResult, Error> {
        self.search_with(start, game, &mut |_| {})
    }

    /// The same; `listener` receives a report after every iteration.
    pub(super) fn search_with(
        &mut self,
        start: &Position,
        game: &Game,
        listener: &mut (dyn FnMut(&SearchReport) + Send),
    ) -> Result<SearchResult, Error> {
        let signals = Signals::with_stop(self.run.stop.clone());
        let answer = match mirror::with_white_first(start, game.moves()) {
            None => (self.engine).search(game, &self.limits, &signals, listener),
            Some(image) => {
                let mut mirrored =
                    |report: &SearchReport| listener(&mirror::report(report.clone()));
                let found = (self.engine).search(&image, &self.limits, &signals, &mut mirrored);
                mirror::result(found)
            }
        };
        self.run.stop.check()?;
        answer
            .check_tables()
            .map_err(|damaged| Error::input(None, damaged))?;
        self.nodes += answer.report.nodes;
        self.run.progress.worked(answer.report.nodes);
        Ok(answer)
    }
}

/// The score of a line for White.
pub(super) fn white_score(position: &Position, line: &everymove_engine::Line) -> UciScore {
    UciScore::for_white(line.score, position.turn())
}
