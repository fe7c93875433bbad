//! Any bytes read as a Syzygy file: refused with a reason, or decoded, looked up and verified; never a panic.
//!
//! The checksum is made right first, so that changed bytes get past it.

#![no_main]

use everymove_kernel::run::{Ram, Run};
use everymove_tables::syzygy::{Contents, SyzygyFile, SyzygyFolder, seal};
use everymove_tables::verify::{Proof, SyzygyVerifier};
use libfuzzer_sys::fuzz_target;
use shakmaty::{CastlingMode, Chess, Color, Piece, PositionError, Setup, Square};

/// A position of an ending's men, some squares from a row of numbers; none if it is not legal.
fn position(name: &str, squares: &mut impl Iterator<Item = u8>, turn: Color) -> Option<Chess> {
    let mut setup = Setup::empty();
    let (white, black) = name.split_once('v')?;
    for (men, color) in [(white, Color::White), (black, Color::Black)] {
        for letter in men.chars() {
            let square = Square::new(u32::from(squares.next()? & 63));
            let role = Piece::from_char(letter)?.role;
            setup.board.set_piece_at(square, role.of(color));
        }
    }
    setup.turn = turn;
    let position = setup.position(CastlingMode::Standard);
    position
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    seal(&mut bytes);
    let Ok(file) = SyzygyFile::parse(bytes.clone()) else {
        return;
    };
    let run = Run::new(1, Ram::limited(16 << 20));
    let _ = file.check(&run);
    let (material, contents) = (file.material().clone(), file.contents());
    let mut folder = SyzygyFolder::new("no such folder");
    folder.insert(file);
    if contents == Contents::Dtz {
        // A DTZ file is asked about positions that a WDL file tells to be won: one of a single value for all.
        return distances(&material.to_string(), &bytes, &mut folder);
    }
    let mut squares = bytes.iter().copied().cycle();
    for turn in [Color::White, Color::Black].repeat(8) {
        if let Some(position) = position(&material.to_string(), &mut squares, turn) {
            let _ = folder.wdl(&position);
            let _ = folder.probe(&position);
        }
    }
    if material.piece_count() == 3 && !material.has_pawns() {
        let _ = SyzygyVerifier::new(&folder, &run).verify(&material, Proof::Wdl);
    }
});

/// Looks positions up in a DTZ file, with a WDL file beside it in which every position has one value.
fn distances(name: &str, bytes: &[u8], folder: &mut SyzygyFolder) {
    for value in [0, 1, 3, 4] {
        let Some(wdl) = wdl_of(bytes, value) else {
            return;
        };
        folder.insert(wdl);
        let mut squares = bytes.iter().copied().cycle();
        for turn in [Color::White, Color::Black].repeat(4) {
            if let Some(position) = position(name, &mut squares, turn) {
                let _ = folder.dtz(&position);
                let _ = folder.probe(&position);
            }
        }
    }
}

/// A WDL file for the men of a DTZ file.
fn wdl_of(dtz: &[u8], value: u8) -> Option<SyzygyFile> {
    let (men, layout) = (usize::from(dtz.get(4)? >> 4), dtz.get(4)? & 15);
    let files = if layout & 2 != 0 { 4 } else { 1 };
    let sides = if layout & 1 != 0 { 2 } else { 1 };
    let mut made: Vec<u8> = [0x71, 0xe8, 0x23, 0x5d, dtz[4]].to_vec();
    // One order byte a file, or two if both sides have pawns: the lists are as in the other file but for the high halves.
    for orders in [1, 2] {
        let mut bytes = made.clone();
        let lists = dtz.get(5..5 + files * (men + orders))?;
        bytes.extend(lists.iter().map(|byte| byte & 15 | byte << 4));
        bytes.resize(bytes.len().next_multiple_of(2), 0);
        for _ in 0..files * sides {
            bytes.extend([0x80, value]);
        }
        bytes.resize(bytes.len().next_multiple_of(64) + 16, 0);
        if let Ok(file) = SyzygyFile::parse(bytes) {
            return Some(file);
        }
    }
    made.clear();
    None
}
