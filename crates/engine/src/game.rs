//! A game up to now: the position, and the keys of those before it for repetitions.

use shakmaty::Move;

use crate::Position;

/// A position with its history.
#[derive(Clone, Debug, Default)]
pub struct Game {
    position: Position,
    keys: Vec<u64>,
    moves: Vec<Move>,
}

impl From<Position> for Game {
    fn from(position: Position) -> Self {
        Self {
            position,
            keys: Vec::new(),
            moves: Vec::new(),
        }
    }
}

impl Game {
    /// The position now.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Keys of the positions before, since the last capture or pawn move.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        if m.is_zeroing() {
            self.keys.clear();
        } else {
            self.keys.push(self.position.keys().all);
        }
        self.position = self.position.play(m);
        self.moves.push(m);
    }

    /// How often the position now has been there, this time included.
    pub fn repetitions(&self) -> usize {
        let now = self.position.keys().all;
        1 + self.keys.iter().filter(|&&key| key == now).count()
    }
}
