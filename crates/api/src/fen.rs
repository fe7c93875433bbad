//! A position as an argument.

/// A position, as words or after `--fen`.
#[derive(Debug, clap::Args)]
pub struct FenView {
    /// The position in Forsyth-Edwards notation
    #[arg(value_name = "FEN", conflicts_with = "fen")]
    position: Vec<String>,
    /// The same
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
}

impl FenView {
    /// The position, if one is given. Its words need no quotes.
    pub fn text(&self) -> Option<String> {
        match (&self.fen, &self.position[..]) {
            (Some(fen), _) => Some(fen.clone()),
            (None, []) => None,
            (None, words) => Some(words.join(" ")),
        }
    }
}
