//! Boards, positions and games that are in files or come from standard input.

use std::path::Path;

use everymove_api::{self as api, ErrorKind};
use everymove_kernel::input::{Input, InputError, read_text};
use everymove_kernel::text::shown;
use everymove_pegs::{Board, DrawnBoard};

use crate::failure::Failure;
use crate::session::Session;

/// Larger files hold no board of 64 holes and no game on it.
const MAX_TEXT: u64 = 1 << 16;

/// Where a text came from: a file whose errors carry its name, or the command line.
pub(super) struct Source(Option<String>);

impl Source {
    /// Puts the name of the file before an error of the request.
    pub(super) fn named(&self, error: api::Error) -> Failure {
        match (&self.0, error.kind()) {
            (Some(name), ErrorKind::Input) => Failure::Input(format!("{name}: {error}")),
            _ => error.into(),
        }
    }
}

/// Replaces the name of a file with a board or a position by the text in it; a name of a board and rows stay.
pub(super) fn board(text: &mut String, session: &Session) -> Result<Source, Failure> {
    let is_file = text == "-"
        || !DrawnBoard::is_drawing(text)
            && Board::named(text).is_err()
            && Path::new(&*text).exists();
    if !is_file {
        return Ok(Source(None));
    }
    let name = shown(text);
    *text = file(text, session)?;
    Ok(Source(Some(name)))
}

/// Replaces the name of a file with a game by the text in it; moves stay.
pub(super) fn game(text: &mut String, session: &Session) -> Result<Source, Failure> {
    if text == "-" || Path::new(&*text).exists() {
        let name = shown(text);
        *text = file(text, session)?;
        return Ok(Source(Some(name)));
    }
    if is_game(text) {
        return Ok(Source(None));
    }
    Err(Failure::Input(format!(
        "cannot read {}: there is no such file, and it is no game such as 'd2-d4 b3-d3'",
        shown(text)
    )))
}

/// Whether a text is a game: moves, lines before them, or a JSON object.
pub(super) fn is_game(text: &str) -> bool {
    let is_move = |word: &str| {
        let mut stops = word.split('-');
        stops.clone().count() > 1
            && stops.all(|stop| stop.chars().all(|c| c.is_ascii_alphanumeric()))
    };
    text.trim_start().starts_with('{')
        || text.lines().any(|line| line.starts_with("board "))
        || text.split([' ', '\t', '\n', ',', ';']).any(is_move)
}

/// The text of a file, without the lines that begin with '#'.
pub(super) fn file(name: &str, session: &Session) -> Result<String, Failure> {
    let run = &session.run;
    let input = match name {
        "-" => Input::standard(run),
        _ => Input::open(Path::new(name), run),
    };
    let text = input
        .and_then(|input| read_text(input, MAX_TEXT))
        .map_err(refuse)?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    Ok(lines.map(|line| format!("{line}\n")).collect())
}

fn refuse(error: InputError) -> Failure {
    match error {
        InputError::Stopped(stopped) => api::Error::from(stopped).into(),
        InputError::OverBudget(over) => api::Error::from(over).into(),
        error => Failure::input(error),
    }
}
