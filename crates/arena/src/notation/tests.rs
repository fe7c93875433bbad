//! Moves in forms that the files of games in `pgn::tests` do not have.

use super::*;
use crate::fen;
use shakmaty::CastlingMode;

fn position(text: &str) -> Chess {
    fen::read(text, fen::mode(text)).unwrap()
}

fn reads(fen: &str, expected: &str, texts: &[&str]) {
    let position = position(fen);
    for text in texts {
        let found =
            read_move(&position, text).map(|m| m.to_uci(CastlingMode::Standard).to_string());
        assert_eq!(found.as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn promotions_are_read_in_all_forms() {
    reads(
        "1n5k/P7/8/8/8/8/8/K7 w - - 0 1",
        "a7a8n",
        &[
            "a8=N", "a8N", "a8n", "a8(N)", "a8=(N)", "a8(=N)", "a8/N", "a7-a8=N", "a7a8n",
            "a7-a8N", "A7A8N", "A8=N", "a8♘", "a8=♘+", "a8=N!?", "Pa8=N",
        ],
    );
    reads(
        "1n5k/P7/8/8/8/8/8/K7 w - - 0 1",
        "a7b8q",
        &["axb8=Q+", "ab8Q", "a:b8(Q)+", "ab=Q", "axbQ", "a7xb8/Q#"],
    );
    let error = read_move(&position("7k/P7/8/8/8/8/8/K7 w - - 0 1"), "a8=K").unwrap_err();
    assert!(
        matches!(
            error,
            MoveError::NotAMove { .. } | MoveError::Promotion { .. }
        ),
        "{error}"
    );
}

#[test]
fn castling_is_read_by_its_signs_and_by_the_squares_of_the_king() {
    reads(
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "e1c1",
        &[
            "O-O-O",
            "0-0-0",
            "o-o-o",
            "OOO",
            "000",
            "O–O–O",
            "e1c1",
            "Ke1-c1",
            "e1a1",
            "O-O-O+!",
            "О-О-О",
        ],
    );
    let shuffled = position("2rk1r2/pppppppp/8/8/8/8/PPPPPPPP/2RK1R2 w FCfc - 0 1");
    let castle = read_move(&shuffled, "O-O-O").unwrap();
    assert!(castle.is_castle());
    assert_eq!(read_move(&shuffled, "d1c1"), Ok(castle));
    assert!(!read_move(&shuffled, "Ke1").unwrap().is_castle());
    assert!(read_move(&shuffled, "Kg1").is_err());
}

#[test]
fn marks_are_read_or_refused() {
    let start = Chess::default();
    for (text, nags) in [
        ("Nf3!", vec![1]),
        ("Nf3!?=", vec![5, 10]),
        ("Nf3+", vec![]),
        ("Nf3N+/-", vec![146, 16]),
        ("Nf3⩲", vec![14]),
        ("Nf3∓!!", vec![17, 3]),
        ("Nf3=/∞", vec![44]),
        ("Nf3-+", vec![19]),
    ] {
        assert_eq!(read(&start, text, &ENGLISH).unwrap().nags, nags, "{text}");
    }
    for text in [
        "Nf3x", "Nf3 e5", "Nf3a", "Nf3+/", "", "!", "N", "f", "3", "Nf9", "Ni3", "e", "xe4", "4e4",
        "ee4",
    ] {
        let error = read_move(&start, text).unwrap_err();
        assert!(
            matches!(error, MoveError::NotAMove { .. }),
            "{text}: {error}"
        );
    }
}

#[test]
fn ambiguous_moves_name_their_candidates() {
    for (fen, text, line) in [
        (
            "4k3/8/8/8/2p5/1P1B4/8/4K3 w - - 0 1",
            "bc4",
            "bxc4 and Bxc4 fit",
        ),
        (
            "4k3/8/8/8/8/8/3R4/R3K3 w - - 0 1",
            "Rd1",
            "Rad1 and Rdd1 fit",
        ),
        ("4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", "Nf3", ""),
        ("4k3/8/8/8/8/8/5P2/4K1N1 w - - 0 1", "Pf3", "f3 and Nf3 fit"),
        ("4k3/8/8/2ppp3/3P4/8/8/4K3 w - - 0 1", "dx", ""),
        ("4k3/8/2p5/2p5/3P4/3P4/2p5/4K3 w - - 0 1", "dc", ""),
        (
            "1nb1k3/8/8/8/8/8/8/4K3 b - - 0 1",
            "B8D7",
            "Bd7 and Nd7 fit",
        ),
    ] {
        match read_move(&position(fen), text) {
            Err(error) if !line.is_empty() => {
                assert!(error.to_string().ends_with(line), "{error}");
            }
            found => assert!(line.is_empty(), "{text} {found:?}"),
        }
    }
}
