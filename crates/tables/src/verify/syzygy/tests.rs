//! Every changed value is found, unless the entry is a don't-care.

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Ram, Run, Work};
use shakmaty::{Chess, Move, Position, Role, Setup, Square};

use super::*;
use crate::position::board::role;
use crate::syzygy::file::parse::{BLACK_TO_MOVE, SubTable};
use crate::syzygy::{distance, file_name, write};
use crate::{Plan, Tables, build};

/// Makes the Syzygy files of an ending and of those it needs.
fn files(name: &str) -> (tempfile::TempDir, Material) {
    let folder = tempfile::tempdir().unwrap();
    let tables = Tables::new(folder.path(), Metric::Zeroing);
    let material: Material = name.parse().unwrap();
    let plan = Plan::new(material.clone(), Metric::Zeroing);
    let run = Run::serial();
    build(&plan, &tables, &run).unwrap();
    for material in material.closure() {
        write(&material, &tables, &run, &mut Work::default()).unwrap();
    }
    (folder, material)
}

/// The position of an index, if it is legal.
fn position(sub: &SubTable, number: usize, turn: Color) -> Option<Chess> {
    let at = sub
        .piece_order
        .squares(&sub.piece_order.group_indices(number as u64));
    let mut setup = Setup::empty();
    for (piece, &square) in sub.piece_order.pieces.iter().zip(&at) {
        let color = Color::from_white(!piece.black);
        let square = Square::new(u32::from(square));
        setup.board.set_piece_at(square, role(piece.kind).of(color));
    }
    setup.turn = turn;
    setup
        .position(shakmaty::CastlingMode::Standard)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .ok()
}

fn after(position: &Chess, play: Move) -> Chess {
    let mut next = position.clone();
    next.play_unchecked(play);
    next
}

/// Whether a reader gets another result from a changed value, by probing the position and its
/// moves.
fn matters(folder: &SyzygyFolder, sub: &SubTable, was: u8, damage: &Damage) -> bool {
    let turn = Color::from_white(!damage.black_to_move);
    let Some(position) = position(sub, damage.number, turn) else {
        return false;
    };
    let wdl = folder.wdl(&position).unwrap();
    let captures = position.legal_moves().into_iter();
    let captures = captures.filter(|play| play.is_capture());
    let capture = captures
        .map(|play| folder.wdl(&after(&position, play)).unwrap().negated())
        .max();
    match damage.contents {
        Contents::Wdl => {
            let stored = [
                Wdl::Loss,
                Wdl::BlessedLoss,
                Wdl::Draw,
                Wdl::CursedWin,
                Wdl::Win,
            ][usize::from(damage.value)];
            capture.map_or(stored, |capture| capture.max(stored)) != wdl
        }
        Contents::Dtz => {
            let by_pawn = position.legal_moves().into_iter().any(|play| {
                let next = after(&position, play);
                play.role() == Role::Pawn && folder.wdl(&next).unwrap().negated() == wdl
            });
            let free = wdl == Wdl::Draw || (wdl > Wdl::Draw && (capture == Some(wdl) || by_pawn));
            !free && distance(sub, wdl, was.into()) != distance(sub, wdl, damage.value.into())
        }
    }
}

/// Changes some values of both files, one at a time.
fn change_values(name: &str, changes: usize) {
    let (path, material) = files(name);
    let folder = SyzygyFolder::new(path.path());
    let run = Run::new(2, Ram::unlimited());
    let mut verifier = SyzygyVerifier::new(&folder, &run);
    assert!(verifier.verify(&material, Proof::Pair).unwrap().positions > 0);
    assert!(verifier.verify(&material, Proof::Wdl).unwrap().positions > 0);
    let mut rng = SplitMix64::new(7);
    let (mut found, mut free) = (0, 0);
    while found < changes || free < changes / 10 {
        let contents = [Contents::Wdl, Contents::Dtz][rng.below(2) as usize];
        let file = folder.file(&material, contents).unwrap();
        let number_of_file = rng.below(file.subs.len() as u64) as usize;
        let sides = &file.subs[number_of_file];
        let side = rng.below(sides.len() as u64) as usize;
        let sub = &sides[side];
        if matches!(sub.body, crate::syzygy::file::parse::Body::Single(_)) {
            continue;
        }
        let number = rng.below(sub.piece_order.size()) as usize;
        let was = file.value(sub, number as u64).unwrap() as u8;
        let values = match (contents, &sub.maps) {
            (Contents::Wdl, _) => 5,
            (_, None) => 30,
            (_, Some(maps)) => 1 + maps.iter().map(Vec::len).max().unwrap() as u64,
        };
        let damage = Damage {
            contents,
            material: material.clone(),
            file: number_of_file,
            black_to_move: match contents {
                Contents::Wdl => side == 1,
                Contents::Dtz => sub.flags & BLACK_TO_MOVE != 0,
            },
            number,
            value: rng.below(values) as u8,
        };
        let matters = matters(&folder, sub, was, &damage);
        verifier.damage = Some(damage.clone());
        if matters {
            found += 1;
        } else if free > changes / 5 {
            continue;
        } else {
            free += 1;
        }
        let pair = verifier.verify(&material, Proof::Pair);
        match (&pair, matters) {
            (Err(TableError::Wrong { path, .. }), true) => {
                assert!(
                    path.contains(&file_name(&material, Contents::Wdl))
                        || contents == Contents::Dtz
                );
            }
            (Ok(_), false) => {}
            _ => panic!("{name} {damage:?}, was {was}: {pair:?}"),
        }
        if contents == Contents::Wdl && matters && matches!(damage.value, 0 | 2 | 4) {
            let alone = verifier.verify(&material, Proof::Wdl);
            assert!(alone.is_err(), "{name} {damage:?}, was {was}, alone");
        }
    }
}

#[test]
fn wrong_values_of_three_pieces_are_found() {
    for name in ["KQvK", "KRvK", "KPvK"] {
        change_values(name, 60);
    }
}

/// The same pieces on both sides, like pieces.
#[test]
fn wrong_values_of_four_pieces_are_found() {
    for name in ["KRvKR", "KRRvK"] {
        change_values(name, 1);
    }
}

#[test]
#[ignore = "takes minutes; cargo xtask long"]
fn many_wrong_values_are_found() {
    for name in [
        "KQvKQ", "KPvKP", "KNvKP", "KPPvK", "KRvKP", "KBNvK", "KRvKR", "KRRvK", "KBvKP",
    ] {
        change_values(name, 40);
    }
}

#[test]
fn a_file_that_is_missing_is_named() {
    let (path, material) = files("KPvK");
    std::fs::remove_file(path.path().join("KRvK.rtbw")).unwrap();
    let folder = SyzygyFolder::new(path.path());
    let run = Run::serial();
    let error = SyzygyVerifier::new(&folder, &run).verify(&material, Proof::Pair);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("there is no table KRvK.rtbw"), "{error}");
}

#[test]
fn memory_that_is_too_small_is_refused_before_the_work() {
    let (path, material) = files("KQvK");
    let folder = SyzygyFolder::new(path.path());
    let run = Run::new(1, Ram::limited(50_000));
    let verified = SyzygyVerifier::new(&folder, &run).verify(&material, Proof::Pair);
    assert!(matches!(verified, Err(TableError::OverBudget(_))));
}
