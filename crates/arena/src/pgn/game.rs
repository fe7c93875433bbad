//! The tree of moves of a game.

use everymove_kernel::input::Input;
use everymove_kernel::run::Reservation;
use everymove_kernel::text::shown;
use shakmaty::{CastlingMode, Chess, Color, Move, Position};

use super::error::{GameError, PgnError};
use super::text::{GameText, Reader, TokenKind, WrittenResult};
use crate::fen;
use crate::notation::languages::{Alphabet, ENGLISH, OTHERS};
use crate::notation::{self, MoveError, normalised, piece_letters};

/// A game of a PGN text: its tags, and its moves as a tree.
#[derive(Debug)]
pub struct Game {
    /// The tags in the order of the text.
    pub tags: Vec<(String, String)>,
    /// Chess or Chess960.
    pub mode: CastlingMode,
    /// The position before the first move.
    pub start: Chess,
    /// The nodes. The first is the start, the others are the moves, each after the one that it
    /// follows.
    pub nodes: Vec<Node>,
    /// The result.
    pub result: WrittenResult,
    /// What was repaired in the position of the tag `FEN`, whose value is the repaired one; see
    /// [`fen::repaired`].
    pub note: Option<String>,
    _held: Option<Reservation>,
}

/// A move with what is written about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The move; `None` for the start and for null moves.
    pub played: Option<Move>,
    /// The indices of the moves that may follow: the first is the main line, the others are
    /// variations.
    pub next: Vec<u32>,
    /// The comments before the move, of which only the first move of a variation can have some.
    pub comments_before: Vec<String>,
    /// The comments after the move.
    pub comments: Vec<String>,
    /// Numeric annotation glyphs (NAGs), those of marks like `!?` among them.
    pub nags: Vec<u8>,
}

/// How much of a game is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of it.
    Tree,
    /// The first plies of the main line; variations, comments and what follows are skipped.
    Plies(usize),
}

/// Reads all games of a text in turn; `each` gets them.
///
/// # Errors
/// [`PgnError`], or what `each` returns.
pub fn read_games<E: From<PgnError>>(
    input: Input,
    scope: Scope,
    mut each: impl FnMut(Game) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = Reader::new(input);
    while let Some(text) = reader.next_game()? {
        each(text.game(scope)?)?;
    }
    Ok(())
}

impl Game {
    /// A game without moves and tags.
    pub fn new(start: Chess) -> Self {
        Self {
            tags: Vec::new(),
            mode: start.castles().mode(),
            start,
            nodes: vec![Node::default()],
            result: WrittenResult::Unfinished,
            note: None,
            _held: None,
        }
    }

    /// Sets a tag, after all others if it is new.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(given, _)| given == name) {
            Some((_, given)) => value.clone_into(given),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
    }

    /// The node after the node `at` by a legal move: one that is there, or a new one, as the last
    /// variation.
    pub fn add(&mut self, at: u32, m: Move) -> u32 {
        let next = &self.nodes[at as usize].next;
        let has_move = |index: &&u32| self.nodes[**index as usize].played == Some(m);
        if let Some(&index) = next.iter().find(has_move) {
            return index;
        }
        let index = self.nodes.len() as u32;
        self.nodes.push(Node {
            played: Some(m),
            ..Node::default()
        });
        self.nodes[at as usize].next.push(index);
        index
    }

    /// The same, and the move becomes that of the main line; the others are variations of it.
    pub fn play(&mut self, at: u32, m: Move) -> u32 {
        let index = self.add(at, m);
        let next = &mut self.nodes[at as usize].next;
        next.retain(|&other| other != index);
        next.insert(0, index);
        index
    }

    /// The nodes of the main line, the start first.
    pub fn main_nodes(&self) -> Vec<u32> {
        let mut nodes = vec![0];
        while let Some(&next) = self.nodes[nodes[nodes.len() - 1] as usize].next.first() {
            nodes.push(next);
        }
        nodes
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        tags.find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    /// The moves of the main line, which has no null moves.
    pub fn main_line(&self) -> Vec<Move> {
        let nodes = self.main_nodes().into_iter();
        nodes
            .filter_map(|index| self.nodes[index as usize].played)
            .collect()
    }
}

impl GameText {
    /// Plays the moves.
    ///
    /// # Errors
    /// [`PgnError::Game`] if the variant is not chess, the position is none, or a word is not a
    /// legal move.
    pub fn game(mut self, scope: Scope) -> Result<Game, PgnError> {
        let number = self.number;
        let wrong = |source| PgnError::Game { number, source };
        let note = self.repair();
        let (mode, start) = self.start().map_err(wrong)?;
        let (nodes, held) = self.tree(&start, scope).map_err(wrong)?;
        Ok(Game {
            mode,
            start,
            nodes,
            result: self.result(),
            note,
            tags: self.tags,
            _held: held,
        })
    }

    /// Repairs the castling rights of the tag `FEN`; returns what was changed.
    fn repair(&mut self) -> Option<String> {
        let variant = self.tag("Variant").map(variant_mode);
        let (_, text) = self.tags.iter_mut().find(|(name, _)| name == "FEN")?;
        let mode = match variant {
            Some(Ok(CastlingMode::Chess960)) => CastlingMode::Chess960,
            _ => fen::mode(text),
        };
        let repaired = fen::repaired(text, mode)?;
        *text = repaired.fen;
        Some(repaired.note)
    }

    /// The rules and the first position by the tags.
    fn start(&self) -> Result<(CastlingMode, Chess), GameError> {
        let variant = self.tag("Variant").map(variant_mode).transpose()?;
        let Some(text) = self.tag("FEN") else {
            let mode = variant.unwrap_or(CastlingMode::Standard);
            return Ok((mode, Chess::default()));
        };
        let mode = match variant {
            Some(CastlingMode::Chess960) => CastlingMode::Chess960,
            _ => fen::mode(text),
        };
        let read = fen::read(text, mode).map_err(|reason| GameError::Fen {
            fen: shown(text),
            reason,
        });
        Ok((mode, read?))
    }

    /// The nodes by the moves, in English letters or in those of the one language in which they are
    /// legal.
    fn tree(
        &self,
        start: &Chess,
        scope: Scope,
    ) -> Result<(Vec<Node>, Option<Reservation>), GameError> {
        let words = self.tokens().count();
        let bytes = (words * (size_of::<Node>() + 64)) as u64;
        let held = match bytes {
            0..1_000_000 => None,
            _ => Some(self.ram.reserve("the moves of a game", bytes)?),
        };
        let error = match self.play(start, scope, &ENGLISH) {
            Ok(nodes) => return Ok((nodes, held)),
            Err(error) => error,
        };
        let plain: Vec<_> = (self.tokens())
            .filter(|&(kind, text)| kind == TokenKind::Word && notation::marks(text).is_none())
            .map(|(_, text)| normalised(text))
            .collect();
        let letters = || plain.iter().flat_map(|text| piece_letters(text));
        if letters().all(|letter| ENGLISH.has(letter)) {
            return Err(error);
        }
        let fitting =
            (OTHERS.iter()).filter(|alphabet| letters().all(|letter| alphabet.has(letter)));
        let mut names = Vec::new();
        let mut found: Vec<Vec<Node>> = Vec::new();
        for alphabet in fitting {
            names.push(alphabet.languages);
            if let Ok(nodes) = self.play(start, scope, alphabet)
                && !found.contains(&nodes)
            {
                found.push(nodes);
            }
        }
        match (found.pop(), found.is_empty()) {
            (Some(nodes), true) => Ok((nodes, held)),
            _ if names.is_empty() => Err(error),
            _ => Err(GameError::Language {
                languages: names.join(", "),
                source: Box::new(error),
            }),
        }
    }

    /// The nodes by the moves in the letters of a language.
    fn play(
        &self,
        start: &Chess,
        scope: Scope,
        alphabet: &Alphabet,
    ) -> Result<Vec<Node>, GameError> {
        let mut builder = Builder::new(start);
        let mut depth = 0;
        for (kind, text) in self.tokens() {
            if let Scope::Plies(plies) = scope {
                if depth == 0 && builder.nodes.len() > plies {
                    break;
                }
                match kind {
                    TokenKind::Open => depth += 1,
                    TokenKind::Close => depth -= 1,
                    TokenKind::Word if depth == 0 => builder.word(text, alphabet)?,
                    _ => {}
                }
                continue;
            }
            match kind {
                TokenKind::Word => builder.word(text, alphabet)?,
                TokenKind::Comment => builder.comment(text),
                TokenKind::Nag => builder.nags(text.parse().ok()),
                TokenKind::Open => builder.open()?,
                TokenKind::Close => builder.close(),
            }
        }
        Ok(builder.nodes)
    }
}

/// Chess or Chess960 by the value of a tag `Variant`.
fn variant_mode(text: &str) -> Result<CastlingMode, GameError> {
    let kept = text.chars().filter(|c| c.is_alphanumeric());
    let name: String = kept.flat_map(char::to_lowercase).collect();
    match name.as_str() {
        "" | "standard" | "standardchess" | "chess" | "normal" | "normalchess" | "regular"
        | "regularchess" | "classic" | "classical" | "classicalchess" | "orthodox"
        | "orthodoxchess" | "fromposition" | "setup" => Ok(CastlingMode::Standard),
        "chess960" | "960" | "fischerandom" | "fischerandomchess" | "fischerrandom"
        | "fischerrandomchess" | "frc" | "freestyle" | "freestylechess" => {
            Ok(CastlingMode::Chess960)
        }
        _ => Err(GameError::Variant(shown(text))),
    }
}

/// A line of moves that is read: the main line or a variation.
struct Branch {
    /// The node of its last move.
    last: u32,
    /// The node before that.
    before: u32,
    /// The position after the last move.
    position: Chess,
    /// The position before it; `None` if the line has no move yet.
    previous: Option<Chess>,
    /// Comments before its first move.
    comments: Vec<String>,
}

struct Builder {
    nodes: Vec<Node>,
    branch: Branch,
    /// The lines in which the variations were opened.
    outer: Vec<Branch>,
}

impl Builder {
    fn new(start: &Chess) -> Self {
        Self {
            nodes: vec![Node::default()],
            branch: Branch {
                last: 0,
                before: 0,
                position: start.clone(),
                previous: None,
                comments: Vec::new(),
            },
            outer: Vec::new(),
        }
    }

    /// A move, or marks after the last one.
    fn word(&mut self, text: &str, alphabet: &Alphabet) -> Result<(), GameError> {
        if let Some(nags) = notation::marks(text) {
            self.nags(nags);
            return Ok(());
        }
        let position = &self.branch.position;
        let wrong = |source| GameError::Move {
            number: position.fullmoves().get(),
            is_white: position.turn() == Color::White,
            source,
        };
        let written = notation::read(position, text, alphabet).map_err(wrong)?;
        let after = match written.played {
            Some(m) => {
                let mut after = position.clone();
                after.play_unchecked(m);
                after
            }
            None => {
                let null = || wrong(MoveError::Null { text: shown(text) });
                // Only variations have null moves, to show a threat.
                if self.outer.is_empty() || position.is_check() {
                    return Err(null());
                }
                position.clone().swap_turn().map_err(|_| null())?
            }
        };
        let index = self.nodes.len() as u32;
        self.nodes.push(Node {
            played: written.played,
            comments_before: std::mem::take(&mut self.branch.comments),
            nags: written.nags,
            ..Node::default()
        });
        let branch = &mut self.branch;
        self.nodes[branch.last as usize].next.push(index);
        branch.before = branch.last;
        branch.last = index;
        branch.previous = Some(std::mem::replace(&mut branch.position, after));
        Ok(())
    }

    fn comment(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let is_first = self.branch.previous.is_none() && !self.outer.is_empty();
        let comments = match is_first {
            true => &mut self.branch.comments,
            false => &mut self.nodes[self.branch.last as usize].comments,
        };
        comments.push(text.to_owned());
    }

    /// Glyphs after the last move; in a variation without moves, of the move that it follows in the
    /// text.
    fn nags(&mut self, nags: impl IntoIterator<Item = u8>) {
        let lines = std::iter::once(&self.branch).chain(self.outer.iter().rev());
        let mut last = lines
            .filter(|line| line.previous.is_some())
            .map(|line| line.last);
        let node = last.next().unwrap_or(0);
        self.nodes[node as usize].nags.extend(nags);
    }

    /// A variation, which takes the place of the last move.
    fn open(&mut self) -> Result<(), GameError> {
        let branch = &self.branch;
        let Some(position) = branch.previous.clone() else {
            let number = branch.position.fullmoves().get();
            return Err(GameError::Variation { number });
        };
        let variation = Branch {
            last: branch.before,
            before: branch.before,
            position,
            previous: None,
            comments: Vec::new(),
        };
        self.outer
            .push(std::mem::replace(&mut self.branch, variation));
        Ok(())
    }

    fn close(&mut self) {
        // The reader has checked that each variation that ends was opened.
        if let Some(outer) = self.outer.pop() {
            let variation = std::mem::replace(&mut self.branch, outer);
            for comment in variation.comments {
                self.comment(&comment);
            }
        }
    }
}
