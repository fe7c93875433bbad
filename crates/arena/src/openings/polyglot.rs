//! Opening books of Polyglot: entries of 16 bytes, big endian, sorted by the key of the position:
//! key (8 bytes), move (2), weight (2), and 4 bytes for a learning program.
//!
//! A move has the squares from and to in 6 bits each, from above, and before them 3 bits for the
//! promotion; castling is the king's move to the square of the rook. Source: M. van den Bergh,
//! Opening book format, hgm.nubati.net/book_format.html.

use std::collections::{BTreeMap, HashSet};
use std::io::Read;

use everymove_kernel::input::{Input, InputError};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, Role, Square};

use super::read::OpeningList;
use crate::error::OpeningsFileError;
use crate::game_state::Opening;

/// Bytes of an entry in the file.
const ENTRY: usize = 16;

/// Bytes of an entry in memory, with the map, the set of positions and the stack.
const HELD: u64 = 400;

/// The moves of a book by the key of the position, the one of most weight first.
type Book = BTreeMap<u64, Vec<(u16, u16)>>;

pub(super) fn read(
    input: Input,
    plies: Option<u32>,
    mode: CastlingMode,
    list: &mut OpeningList,
) -> Result<(), OpeningsFileError> {
    let (ram, name) = (input.run().ram.clone(), input.name().to_owned());
    let mut held = ram.reserve("the book of openings", 0)?;
    let mut bytes = input.buffered();
    let mut book = Book::new();
    let mut entries = 0;
    loop {
        let mut entry = [0; ENTRY];
        let mut filled = 0;
        while filled < ENTRY {
            match bytes.read(&mut entry[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) => return Err(InputError::from_io(&name, error).into()),
            }
        }
        match filled {
            0 => break,
            ENTRY => {}
            _ => return Err(OpeningsFileError::Book),
        }
        entries += 1;
        if entries * HELD > held.bytes() {
            held.resize("the book of openings", 2 * entries * HELD)?;
        }
        let (key, rest) = entry.split_at(8);
        let key = key.iter().fold(0, |key, &byte| key << 8 | u64::from(byte));
        let number = |at: usize| u16::from_be_bytes([rest[at], rest[at + 1]]);
        book.entry(key).or_default().push((number(2), number(0)));
    }
    for moves in book.values_mut() {
        moves.sort_by(|a, b| b.cmp(a));
    }
    walk(
        &book,
        plies.map_or(usize::MAX, |plies| plies as usize),
        mode,
        list,
    )
}

/// The lines of the book to the given number of plies, or to its end.
fn walk(
    book: &Book,
    plies: usize,
    mode: CastlingMode,
    list: &mut OpeningList,
) -> Result<(), OpeningsFileError> {
    let mut seen = HashSet::new();
    let mut stack = vec![(Chess::default(), Vec::<Move>::new())];
    while let Some((position, line)) = stack.pop() {
        if !seen.insert(key(&position)) {
            continue;
        }
        let next = if line.len() < plies {
            moves(book, &position)
        } else {
            Vec::new()
        };
        if next.is_empty() && !line.is_empty() {
            list.push(Opening {
                fen: None,
                moves: line.iter().map(|m| m.to_uci(mode).to_string()).collect(),
            })?;
        }
        for m in next.into_iter().rev() {
            let mut after = position.clone();
            after.play_unchecked(m);
            let line = line.iter().copied().chain([m]).collect();
            stack.push((after, line));
        }
    }
    Ok(())
}

/// The key of a position in books.
fn key(position: &Chess) -> u64 {
    let Zobrist64(key) = position.zobrist_hash(EnPassantMode::PseudoLegal);
    key
}

/// The moves of a book in a position that are legal and have a weight.
fn moves(book: &Book, position: &Chess) -> Vec<Move> {
    let Some(entries) = book.get(&key(position)) else {
        return Vec::new();
    };
    let legal = position.legal_moves();
    let written = |m: &Move| -> Option<u16> {
        let to = match *m {
            Move::Castle { rook, .. } => rook,
            m => m.to(),
        };
        let promotion = match m.promotion() {
            None => 0,
            Some(Role::Knight) => 1,
            Some(Role::Bishop) => 2,
            Some(Role::Rook) => 3,
            Some(_) => 4,
        };
        let square = |square: Square| square as u16;
        Some(promotion << 12 | square(m.from()?) << 6 | square(to))
    };
    let found = entries.iter().filter(|&&(weight, _)| weight > 0);
    let found = found.filter_map(|&(_, text)| legal.iter().find(|m| written(m) == Some(text)));
    found.copied().collect()
}

#[cfg(test)]
mod tests {
    use everymove_kernel::run::Run;

    use super::*;
    use crate::openings::{FileFormat, read};

    /// Keys of the description of the format.
    #[test]
    fn keys_are_those_of_the_format() {
        for (moves, expected) in [
            ("", 0x463b_9618_1691_fc9c),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
        ] {
            let mut position = Chess::default();
            for text in moves.split_whitespace() {
                position.play_unchecked(crate::notation::read_move(&position, text).unwrap());
            }
            assert_eq!(key(&position), expected, "{moves}");
        }
    }

    fn entry(line: &str, weight: u16) -> Vec<u8> {
        let (before, last) = line.rsplit_once(' ').unwrap_or(("", line));
        let mut position = Chess::default();
        for text in before.split_whitespace() {
            position.play_unchecked(crate::notation::read_move(&position, text).unwrap());
        }
        let square = |text: &str| text.parse::<Square>().unwrap() as u16;
        let written = square(&last[..2]) << 6 | square(&last[2..4]);
        let mut bytes = key(&position).to_be_bytes().to_vec();
        bytes.extend([written.to_be_bytes(), weight.to_be_bytes(), [0; 2], [0; 2]].concat());
        bytes
    }

    #[test]
    fn lines_of_a_book_are_openings() {
        let castled = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1h1";
        let mut bytes = Vec::new();
        let line: Vec<_> = castled.split(' ').collect();
        for end in 1..=line.len() {
            bytes.extend(entry(&line[..end].join(" "), 5));
        }
        // Another first move of less weight, one without weight, and one that is not legal.
        bytes.extend(entry("d2d4", 2));
        bytes.extend(entry("a2a3", 0));
        bytes.extend(entry("e1e5", 9));
        let openings = |bytes: &[u8], plies| {
            let input = Input::new("book", std::io::Cursor::new(bytes.to_vec()), &Run::serial());
            let found = read(input, FileFormat::Polyglot, plies, CastlingMode::Standard);
            let found = found.map_err(|error| error.to_string())?;
            Ok::<_, String>(
                found
                    .openings
                    .iter()
                    .map(|o| o.moves.join(" "))
                    .collect::<Vec<_>>(),
            )
        };
        let whole = castled.replace("e1h1", "e1g1");
        assert_eq!(openings(&bytes, None).unwrap(), [whole.as_str(), "d2d4"]);
        assert_eq!(openings(&bytes, Some(2)).unwrap(), ["e2e4 e7e5", "d2d4"]);
        assert!(
            openings(&bytes[1..], None)
                .unwrap_err()
                .contains("16 bytes")
        );
        assert!(
            openings(&[0; 32], None)
                .unwrap_err()
                .starts_with("no openings")
        );
    }
}
