//! Files to be read: sound ones that the program itself makes, and hostile ones made of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Place;
use super::values::Random;

/// Makes sound files of every format that is read; what this version cannot make is left out.
pub(super) fn corpus(program: &Path, folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let makers = [
        "tours list 5x5 --number 20 --format grid --out tours.grid",
        "tours list 5x5 --number 20 --format csv --out tours.csv",
        "tours find 6x6 --format squares --out tours.squares",
        "tours find 6x6 --closed --format json --out tours.json",
        "tours find 6x6 --format bin --out tours.bin",
        "pegs solve triangle5 --out game.pegs",
        "pegs winning triangle5 --out triangle5.winning",
        "tables build KQvK --no-stats --out .",
        "tables build KPvK --syzygy --no-stats --out .",
        "arena openings --number 4 --out openings.epd",
    ];
    for words in makers {
        let mut child = Command::new(program);
        child.args(words.split(' ')).current_dir(folder);
        child.output()?;
    }
    fs::write(
        folder.join("board.txt"),
        "  ooo\n  ooo\nooooooo\nooo.ooo\nooooooo\n  ooo\n  ooo\n",
    )?;
    fs::write(
        folder.join("game.pgn"),
        "[Event \"?\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n",
    )?;
    fs::write(
        folder.join("tests.epd"),
        "4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"one\";\n",
    )?;
    fs::write(
        folder.join("uci.txt"),
        "uci\nisready\nposition startpos moves e2e4\ngo nodes 100\nquit\n",
    )?;
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    files.retain(|path| path.is_file());
    files.sort();
    Ok(files)
}

/// An empty folder at `path`.
pub(super) fn emptied(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    fs::create_dir_all(path)
}

/// A hostile file in the folder of the try.
pub(super) fn hostile(place: &Place<'_>, random: &mut Random) -> Option<PathBuf> {
    let sound = (!place.corpus.is_empty()).then(|| random.pick(place.corpus));
    let bytes = content(sound.map(PathBuf::as_path), random)?;
    // The name decides the format for some readers.
    let ending = sound.and_then(|path| path.extension()).unwrap_or_default();
    let path = place.folder.join("hostile").with_extension(ending);
    fs::write(&path, bytes).ok()?;
    Some(path)
}

fn content(sound: Option<&Path>, random: &mut Random) -> Option<Vec<u8>> {
    let noise = |random: &mut Random, n: usize| -> Vec<u8> {
        (0..n).map(|_| random.next() as u8).collect()
    };
    let bytes = match random.below(12) {
        0 => Vec::new(),
        1 => {
            let n = random.below(4096);
            noise(random, n)
        }
        2 => vec![*random.pick(b"x0 [{\"\n"); 1 << (10 + random.below(13))],
        3 => br#"{"board":"60000x60000","order":["a1"]}"#.to_vec(),
        4 => br#"{"board":"20000x20000","order":["a1","b3"]}"#.to_vec(),
        5 => b"[Event \"\x1b[31mred\"]\n\n1. e4 e9 *\n".to_vec(),
        // Sound files with some bytes changed, cut, or repeated.
        _ => {
            let mut bytes = fs::read(sound?).ok()?;
            match random.below(4) {
                0 => bytes.truncate(random.below(bytes.len() + 1)),
                1 => bytes.extend_from_within(random.below(bytes.len() + 1)..),
                _ => {
                    for _ in 0..=random.below(8) {
                        if !bytes.is_empty() {
                            let at = random.below(bytes.len());
                            bytes[at] = random.next() as u8;
                        }
                    }
                }
            }
            bytes
        }
    };
    Some(bytes)
}
