//! Pieces kept as they come: for parts that are put together after the round.

use super::Part;

/// The pieces that came in a round.
#[derive(Debug, Default)]
pub struct Kept {
    pieces: Vec<Vec<u8>>,
}

impl Kept {
    /// The pieces, in the order in which they came.
    pub fn into_pieces(self) -> Vec<Vec<u8>> {
        self.pieces
    }
}

impl Part for Kept {
    fn join(&mut self, piece: &[u8]) -> Result<(), &'static str> {
        self.pieces.push(piece.to_vec());
        Ok(())
    }
}
