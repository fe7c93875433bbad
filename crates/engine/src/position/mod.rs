//! A position as the search needs it: shakmaty's rules with incrementally updated hash keys.

mod checks;
pub(crate) mod generate;
pub(crate) mod keys;
pub(crate) mod reversible;
mod short_move;

use shakmaty::fen::Fen;
use shakmaty::{
    Bitboard, Board, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup, Move,
    MoveList, Piece, Position as _, PositionError, Role, Square, attacks,
};
pub use short_move::ShortMove;

use crate::error::FenError;

/// A position and its hash keys. Moves are made on a copy and never unmade: a copy costs less than
/// undoing a move.
///
/// ```
/// use everymove_engine::Position;
///
/// let start = Position::default();
/// assert_eq!(start.legal_moves().len(), 20);
/// ```
#[derive(Clone, Debug)]
pub struct Position {
    chess: Chess,
    keys: Keys,
    /// Pieces that give check; computed once, since several parts of the search ask.
    checkers: Bitboard,
}

/// Hash keys of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// Of all pieces, side to move, castling rights and the file of a pawn that a legal move
    /// captures en passant; not of the move counters. Positions that the rule of repetition
    /// takes for the same (FIDE Laws of Chess, 9.2.3) have equal keys.
    pub all: u64,
    /// Of the pawns.
    pub pawns: u64,
    /// Of the pieces that are not pawns, by colour: White, Black.
    pub pieces: [u64; 2],
    /// Of knights, bishops and kings.
    pub minors: u64,
}

/// Squares that a side attacks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threats {
    /// With pawns.
    pub(crate) pawns: Bitboard,
    /// With pawns, knights and bishops.
    pub(crate) minors: Bitboard,
    /// With all but queens and the king.
    pub(crate) rooks: Bitboard,
    /// With any piece.
    pub(crate) all: Bitboard,
}

impl Default for Position {
    /// The start position.
    fn default() -> Self {
        Self::from(Chess::default())
    }
}

impl From<Chess> for Position {
    fn from(chess: Chess) -> Self {
        let keys = Keys::of(&chess);
        Self::with(chess, keys)
    }
}

impl Position {
    #[inline]
    fn with(chess: Chess, keys: Keys) -> Self {
        let checkers = chess.checkers();
        Self {
            chess,
            keys,
            checkers,
        }
    }

    /// Reads a FEN; move counters may be left out.
    ///
    /// More pieces than a game can have, and checks that no move can give, are accepted: composed
    /// positions have them.
    ///
    /// # Errors
    /// [`FenError`] for a text that is not a FEN, or a position without exactly one king a side,
    /// and so on.
    pub fn from_fen(text: &str, mode: CastlingMode) -> Result<Self, FenError> {
        let fen: Fen = text.parse().map_err(|source| FenError::Syntax {
            fen: text.to_owned(),
            source,
        })?;
        Chess::from_setup(fen.into_setup(), mode)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .or_else(PositionError::ignore_invalid_ep_square)
            .map(Self::from)
            .map_err(|source| FenError::Illegal {
                fen: text.to_owned(),
                source: Box::new(source),
            })
    }

    /// The position as a FEN; in Chess960 castling rights are the files of the rooks, as in
    /// Shredder-FEN, which no reader takes for those of chess.
    pub fn fen(&self) -> String {
        let fen = Fen::from_position(&self.chess, EnPassantMode::Legal).to_string();
        let rooks = self.chess.castles().castling_rights();
        if self.castling_mode() == CastlingMode::Standard || rooks.is_empty() {
            return fen;
        }
        let mut rights = String::new();
        for side in Color::ALL {
            let files = (rooks & side.backrank()).into_iter().rev();
            rights.extend(
                files.map(|rook| side.fold_wb(rook.file().upper_char(), rook.file().char())),
            );
        }
        let mut fields: Vec<_> = fen.split(' ').collect();
        fields[2] = &rights;
        fields.join(" ")
    }

    /// The position as shakmaty has it.
    pub fn chess(&self) -> &Chess {
        &self.chess
    }

    /// Its keys.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Who is to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    /// The pieces.
    #[inline]
    pub fn board(&self) -> &Board {
        self.chess.board()
    }

    /// Pieces that give check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// The squares that the side not to move attacks, by the value of its pieces.
    pub(crate) fn threats(&self) -> Threats {
        let board = self.board();
        let (side, occupied) = (!self.turn(), board.occupied());
        let own = |pieces: Bitboard| pieces & board.by_color(side);
        let mut pawns = Bitboard::EMPTY;
        for pawn in own(board.pawns()) {
            pawns |= attacks::pawn_attacks(side, pawn);
        }
        let mut minors = pawns;
        for knight in own(board.knights()) {
            minors |= attacks::knight_attacks(knight);
        }
        for bishop in own(board.bishops()) {
            minors |= attacks::bishop_attacks(bishop, occupied);
        }
        let mut rooks = minors;
        for rook in own(board.rooks()) {
            rooks |= attacks::rook_attacks(rook, occupied);
        }
        let mut all = rooks;
        for queen in own(board.queens()) {
            all |= attacks::queen_attacks(queen, occupied);
        }
        for king in own(board.kings()) {
            all |= attacks::king_attacks(king);
        }
        Threats {
            pawns,
            minors,
            rooks,
            all,
        }
    }

    /// All legal moves.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        self.chess.legal_moves()
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub fn halfmoves(&self) -> u32 {
        self.chess.halfmoves()
    }

    /// How castling moves are written.
    pub fn castling_mode(&self) -> CastlingMode {
        self.chess.castles().mode()
    }

    /// Whether the side to move has a piece other than king and pawns.
    #[inline]
    pub fn has_pieces(&self) -> bool {
        let board = self.board();
        (self.chess.us() & !board.pawns() & !board.kings()).any()
    }

    /// Whether neither side can mate by any play: beside the kings at most a knight, or bishops on
    /// squares of one colour. The rule is shakmaty's, as in matches and endgame tables.
    #[inline]
    pub fn is_insufficient_material(&self) -> bool {
        let board = self.board();
        let heavy = board.pawns() | board.rooks_and_queens();
        heavy.is_empty() && self.chess.is_insufficient_material()
    }

    /// The position after a legal move.
    #[inline]
    #[must_use]
    pub fn play(&self, m: Move) -> Self {
        self.play_announced(m, |_| ())
    }

    /// The position after a legal move. Its key goes to `announce` before the move is made, apart
    /// from changes of castling rights and a new en passant square: it is right for most moves.
    #[inline]
    #[must_use]
    pub(crate) fn play_announced(&self, m: Move, announce: impl FnOnce(u64)) -> Self {
        let mut keys = self.keys;
        keys.move_pieces(self.turn(), m);
        keys.all ^= keys::black_to_move() ^ en_passant(&self.chess);
        announce(keys.all);
        let mut chess = self.chess.clone();
        chess.play_unchecked(m);
        let lost = self.chess.castles().castling_rights() ^ chess.castles().castling_rights();
        if lost.any() {
            keys.all ^= keys::castling(lost);
        }
        keys.all ^= en_passant(&chess);
        Self::with(chess, keys)
    }

    /// The position after a null move, `None` in check.
    pub fn null_move(&self) -> Option<Self> {
        if self.checkers().any() {
            return None;
        }
        let mut setup = self.chess.to_setup(EnPassantMode::Always);
        setup.swap_turn();
        let chess = Chess::from_setup(setup, self.castling_mode())
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .ok()?;
        let mut keys = self.keys;
        keys.all ^= keys::black_to_move() ^ en_passant(&self.chess);
        Some(Self::with(chess, keys))
    }

    /// A move in UCI notation.
    pub fn uci(&self, m: Move) -> String {
        m.to_uci(self.castling_mode()).to_string()
    }

    /// The legal move that a text in UCI notation denotes, castling in either notation.
    pub fn parse_uci(&self, text: &str) -> Option<Move> {
        let uci: shakmaty::uci::UciMove = text.parse().ok()?;
        uci.to_move(&self.chess).ok()
    }

    /// The legal move with this short form.
    pub fn expand(&self, short: ShortMove) -> Option<Move> {
        let mut moves = self.legal_moves().into_iter();
        moves.find(|&m| ShortMove::of(m) == short)
    }
}

/// Zero where no legal move captures en passant: pawns may be pinned, or the king in another check.
/// Few positions have a pawn that could capture at all, so that legality is seldom examined.
fn en_passant(chess: &Chess) -> u64 {
    let square = chess.ep_square(EnPassantMode::Legal);
    square.map_or(0, |square| keys::en_passant(square.file()))
}

impl Keys {
    fn of(chess: &Chess) -> Self {
        let mut keys = Self {
            all: keys::castling(chess.castles().castling_rights()) ^ en_passant(chess),
            pawns: 0,
            pieces: [0; 2],
            minors: 0,
        };
        if chess.turn() == Color::Black {
            keys.all ^= keys::black_to_move();
        }
        for (square, piece) in chess.board() {
            keys.toggle(piece, square);
        }
        keys
    }

    #[inline]
    fn toggle(&mut self, piece: Piece, square: Square) {
        let key = keys::piece(piece, square);
        self.all ^= key;
        if piece.role == Role::Pawn {
            self.pawns ^= key;
        } else {
            self.pieces[usize::from(piece.color == Color::Black)] ^= key;
            if matches!(piece.role, Role::Knight | Role::Bishop | Role::King) {
                self.minors ^= key;
            }
        }
    }

    /// The changes by the pieces that a move of `us` moves, captures and promotes.
    #[inline]
    fn move_pieces(&mut self, us: Color, m: Move) {
        match m {
            Move::Normal {
                role,
                from,
                capture,
                to,
                promotion,
            } => {
                self.toggle(role.of(us), from);
                if let Some(taken) = capture {
                    self.toggle(taken.of(!us), to);
                }
                self.toggle(promotion.unwrap_or(role).of(us), to);
            }
            Move::EnPassant { from, to } => {
                self.toggle(Role::Pawn.of(us), from);
                self.toggle(
                    Role::Pawn.of(!us),
                    Square::from_coords(to.file(), from.rank()),
                );
                self.toggle(Role::Pawn.of(us), to);
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                self.toggle(Role::King.of(us), king);
                self.toggle(Role::Rook.of(us), rook);
                self.toggle(Role::King.of(us), side.king_to(us));
                self.toggle(Role::Rook.of(us), side.rook_to(us));
            }
            Move::Put { .. } => unreachable!("standard chess drops no pieces"),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use everymove_kernel::rng::SplitMix64;

    use super::*;

    #[test]
    fn updated_keys_are_keys_computed_anew() {
        let fens = [
            Position::default().fen(),
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".into(),
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1".into(),
        ];
        let mut rng = SplitMix64::new(1);
        for fen in fens {
            for _ in 0..50 {
                let mut position = Position::from_fen(&fen, CastlingMode::Standard).unwrap();
                for _ in 0..80 {
                    let moves = position.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    let m = moves[rng.below(moves.len() as u64) as usize];
                    let before = position.clone();
                    let mut expected = 0;
                    position = position.play_announced(m, |key| expected = key);
                    let special = before.chess().castles().castling_rights()
                        != position.chess().castles().castling_rights()
                        || before.chess().maybe_ep_square() != position.chess().maybe_ep_square();
                    assert!(special || expected == position.keys().all);
                    assert_eq!(*position.keys(), Keys::of(position.chess()));
                    if let Some(passed) = position.null_move() {
                        assert_eq!(*passed.keys(), Keys::of(passed.chess()));
                    }
                }
            }
        }
    }

    /// Positions before a pawn's move of two squares, that move, and whether it can be captured en
    /// passant.
    pub(crate) const DOUBLE_STEPS: [(&str, &str, bool); 14] = [
        // No pawn attacks the square.
        ("4k3/8/8/8/8/3p4/4P3/4K3 w - - 0 1", "e2e4", false),
        ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4", true),
        // On the rank, both pawns leave it; a third one stays between.
        ("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e2e4", false),
        ("8/8/8/8/k2p1p1R/8/4P3/4K3 w - - 0 1", "e2e4", true),
        // Pinned on the file.
        ("3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1", "e2e4", false),
        ("3rk3/4p3/8/3P4/8/8/8/3K4 b - - 0 1", "e7e5", false),
        // Pinned on a diagonal, across and along the capture.
        ("8/8/5k2/8/3p4/8/1B2P3/4K3 w - - 0 1", "e2e4", false),
        ("8/8/1k6/8/3p4/8/4P3/4K1B1 w - - 0 1", "e2e4", true),
        // Discovered checks that the capture does not meet, the last one by Black; a check by the
        // pawn itself.
        ("8/8/8/7k/3p4/8/4P3/3BK3 w - - 0 1", "e2e4", false),
        ("8/8/8/5k2/3p4/8/4P3/4K3 w - - 0 1", "e2e4", true),
        // Two pawns attack the square: one pinned, the other one pinned, both pinned.
        ("3k4/8/8/8/3p1p2/8/4P3/3RK3 w - - 0 1", "e2e4", true),
        ("5k2/8/8/8/3p1p2/8/4P3/4KR2 w - - 0 1", "e2e4", true),
        ("8/8/5k2/8/3p1p2/8/1B2P3/4KR2 w - - 0 1", "e2e4", false),
        ("3bk3/4p3/8/3P4/7K/8/8/8 b - - 0 1", "e7e5", false),
    ];

    #[test]
    fn keys_differ_only_by_legal_captures_en_passant() {
        for (fen, step, capturable) in DOUBLE_STEPS {
            let before = Position::from_fen(fen, CastlingMode::Standard).unwrap();
            let after = before.play(before.parse_uci(step).unwrap());
            let captures = after.legal_moves().iter().any(|m| m.is_en_passant());
            assert_eq!(captures, capturable, "{fen}");
            // The same with the square written down, and without it.
            let place = after.fen();
            let place = place.split(' ').next().unwrap();
            let side = after.turn().char();
            let file = step.chars().next().unwrap();
            let rank = after.turn().fold_wb('6', '3');
            let read = |square: &str| {
                let fen = format!("{place} {side} - {square} 0 2");
                Position::from_fen(&fen, CastlingMode::Standard).unwrap()
            };
            assert_eq!(read(&format!("{file}{rank}")).keys(), after.keys(), "{fen}");
            assert_eq!(read("-").keys() != after.keys(), capturable, "{fen}");
        }
    }

    #[test]
    fn bishops_on_one_colour_never_mate() {
        for (pieces, dead) in [
            ("4k3/8/8/8/8/8/8/4K3", true),
            ("4k3/8/8/8/8/8/8/4KB2", true),
            ("4k1n1/8/8/8/8/8/8/4K3", true),
            // Light squares: two of a side, of both sides, four.
            ("4k3/8/8/8/8/3B4/8/4KB2", true),
            ("2b1k3/8/8/8/8/8/8/4KB2", true),
            ("2b1k3/3b4/8/8/8/3B4/8/4KB2", true),
            ("2b1k3/4b3/8/8/8/3B4/8/4KB2", false),
            // Dark squares; both colours; with a knight, a pawn, a rook.
            ("4kb2/8/8/8/8/8/8/2B1K3", true),
            ("4k3/8/8/8/8/8/8/2B1KB2", false),
            ("2b1k3/8/8/8/8/8/8/2B1K3", false),
            ("4k1n1/8/8/8/8/8/8/4KB2", false),
            ("4k1n1/8/8/8/8/8/8/4K1N1", false),
            ("4k3/8/8/8/8/8/8/1N2K1N1", false),
            ("4k3/8/8/8/8/3B4/7P/4KB2", false),
            ("r3k3/8/8/8/8/3B4/8/4KB2", false),
        ] {
            for side in ["w", "b"] {
                let fen = format!("{pieces} {side} - - 0 1");
                let position = Position::from_fen(&fen, CastlingMode::Standard).unwrap();
                assert_eq!(position.is_insufficient_material(), dead, "{fen}");
            }
        }
    }

    #[test]
    fn errors_name_the_fen() {
        let read = |fen| Position::from_fen(fen, CastlingMode::Standard).unwrap_err();
        assert!(read("rubbish").to_string().contains("'rubbish'"));
        assert!(
            read("8/8/8/8/8/8/8/8 w - - 0 1")
                .to_string()
                .contains("not a legal position")
        );
    }
}
