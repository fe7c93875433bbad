//! The file to which the games of a match are added.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use everymove_kernel::files::{FileError, Output, open_file, open_to_append};

use super::plan::MatchPlan;
use super::report::MatchReport;
use crate::record::GameRecord;

/// A PGN file to which the games of a match are added as they end; what it held before stays.
///
/// A match that is resumed adds no game that the file has already.
#[derive(Debug)]
pub struct PgnFile {
    path: PathBuf,
    file: Option<File>,
    /// The numbers of the games that were added.
    added: BTreeSet<u64>,
}

impl PgnFile {
    /// Makes sure that the file can be written, and changes nothing.
    ///
    /// # Errors
    /// [`FileError`] saying what prevents it.
    pub fn prepare(path: impl Into<PathBuf>) -> Result<Self, FileError> {
        let path = path.into();
        Output::prepare(&path)?;
        Ok(Self {
            path,
            file: None,
            added: BTreeSet::new(),
        })
    }

    /// Adds a game of a match that is called `event`.
    ///
    /// # Errors
    /// [`FileError`]; [`PgnFile::finish`] adds the game again.
    pub fn add(
        &mut self,
        plan: &MatchPlan,
        game: &GameRecord,
        event: &str,
    ) -> Result<(), FileError> {
        self.add_text(&plan.pgn(game, event))?;
        self.added.insert(game.number);
        Ok(())
    }

    /// Adds the games of a match that are not in the file.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn finish(
        &mut self,
        plan: &MatchPlan,
        report: &MatchReport,
        event: &str,
    ) -> Result<(), FileError> {
        let games = report.games.iter();
        let missing = games.filter(|(number, _)| !self.added.contains(number));
        let mut missing: BTreeMap<_, _> = missing
            .map(|(&number, game)| (number, plan.pgn(game, event)))
            .collect();
        if !missing.is_empty() {
            let found = self.found(missing.values().map(String::as_str).collect());
            let found = found.map_err(|e| self.error("read", e))?;
            missing.retain(|_, text| !found.contains(text));
        }
        let opened = self.open().map(|_| ());
        opened.map_err(|e| self.error("write", e))?;
        for (number, text) in missing {
            self.add_text(&text)?;
            self.added.insert(number);
        }
        Ok(())
    }

    fn error(&self, doing: &'static str, source: io::Error) -> FileError {
        FileError::io(doing, self.path.display().to_string(), source)
    }

    /// Those of the games that are in the file.
    fn found(&self, games: BTreeSet<&str>) -> io::Result<BTreeSet<String>> {
        let is_file = std::fs::metadata(&self.path).is_ok_and(|found| found.is_file());
        let mut found = BTreeSet::new();
        if !is_file {
            return Ok(found);
        }
        let longest = games.iter().map(|game| game.len()).max().unwrap_or(0);
        let mut lines = BufReader::new(open_file(&self.path)?);
        let mut game = Vec::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            // No line of a game is longer: of longer ones a part suffices.
            let length = (&mut lines)
                .take(longest as u64 + 1)
                .read_until(b'\n', &mut line)?;
            if length == 0 || line.starts_with(b"[Event ") {
                if let Some(&same) = std::str::from_utf8(&game).ok().and_then(|g| games.get(g)) {
                    found.insert(same.to_owned());
                }
                game.clear();
            }
            if length == 0 {
                return Ok(found);
            }
            if game.len() <= longest {
                game.extend_from_slice(&line);
            }
        }
    }

    /// Opens the file for more games, and ends its last one with an empty line.
    fn open(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            let mut file = open_to_append(&self.path)?;
            let length = file.metadata()?.len();
            if length > 0 {
                let mut end = [b'\n'; 2];
                let from = length.min(2);
                let mut old = open_file(&self.path)?;
                old.seek(SeekFrom::End(-(from as i64)))?;
                old.read_exact(&mut end[2 - from as usize..])?;
                file.write_all(match end {
                    [b'\n', b'\n'] => b"",
                    [_, b'\n'] => b"\n",
                    _ => b"\n\n",
                })?;
            }
            self.file = Some(file);
        }
        self.file
            .as_mut()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Adds a game in PGN with an empty line after it, whole or not at all.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn add_text(&mut self, text: &str) -> Result<(), FileError> {
        let add = |file: &mut File| {
            let length = file.metadata()?.len();
            file.write_all(text.as_bytes()).inspect_err(|_| {
                // A part of a game is worth nothing. Where this fails, too, the first error says
                // why.
                let _ = file.set_len(length);
            })
        };
        let written = self.open().and_then(add);
        written.map_err(|e| self.error("write", e))
    }
}
