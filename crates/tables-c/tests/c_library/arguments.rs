//! Bad arguments, missing and damaged tables: a status and a message each, and untouched results.

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::ptr;

use everymove_kernel::run::Run;
use everymove_tables::{Metric, Plan, Tables, build};
use everymove_tables_c::handle::{CTables, em_close, em_largest, em_open};
use everymove_tables_c::position::{CPosition, em_position_from_fen};
use everymove_tables_c::probe::{
    Distance, MoveValue, em_probe_dtm, em_probe_dtm50, em_probe_moves,
};
use everymove_tables_c::status::{Status, em_last_error, em_status_name};

fn message() -> String {
    // SAFETY: the function returns a text that is valid until the next failure.
    let text = unsafe { CStr::from_ptr(em_last_error()) };
    text.to_str().unwrap().to_owned()
}

fn position(fen: &str) -> Result<CPosition, Status> {
    let fen = CString::new(fen).unwrap();
    let mut read = MaybeUninit::uninit();
    // SAFETY: a text and memory for the result; it is read only if it was written.
    unsafe {
        match em_position_from_fen(fen.as_ptr(), read.as_mut_ptr()) {
            Status::Ok => Ok(read.assume_init()),
            status => Err(status),
        }
    }
}

fn open(folders: &str) -> Result<*mut CTables, Status> {
    let folders = CString::new(folders).unwrap();
    let mut tables = ptr::null_mut();
    // SAFETY: a text and memory for the result.
    match unsafe { em_open(folders.as_ptr(), &raw mut tables) } {
        Status::Ok => Ok(tables),
        status => Err(status),
    }
}

fn dtm(tables: *const CTables, position: &CPosition) -> (Status, Distance) {
    let mut distance = Distance::default();
    // SAFETY: open tables, a position and memory for the result.
    let status = unsafe { em_probe_dtm(tables, position, &raw mut distance) };
    (status, distance)
}

#[test]
fn positions_are_read_or_refused() {
    let read = position("8/8/8/8/8/2k5/7Q/K7 w - - 3 1").unwrap();
    assert_eq!((read.white, read.black), (1 << 0 | 1 << 15, 1 << 18));
    assert_eq!((read.kings, read.queens), (1 << 0 | 1 << 18, 1 << 15));
    assert_eq!((read.clock, read.en_passant), (3, 64));
    assert_eq!((read.white_to_move, read.may_castle), (1, 0));
    let double_step = position("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1").unwrap();
    assert_eq!((double_step.en_passant, double_step.white_to_move), (20, 0));

    assert_eq!(position("no position"), Err(Status::BadArgument));
    assert_eq!(message(), "'no position' is not a FEN");
    // The side not to move is in check.
    let fen = "8/8/8/8/8/2k5/7Q/K1R5 w - - 0 1";
    assert_eq!(position(fen), Err(Status::BadPosition));
    assert!(message().contains(fen), "{}", message());
    // SAFETY: null is allowed.
    let status = unsafe { em_position_from_fen(ptr::null(), ptr::null_mut()) };
    assert_eq!(
        (status, message().as_str()),
        (Status::BadArgument, "fen is a null pointer")
    );
}

#[test]
fn missing_and_damaged_tables_have_a_status() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().to_str().unwrap();
    assert_eq!(open("there is no such folder"), Err(Status::Io));
    assert!(
        message().contains("there is no such folder"),
        "{}",
        message()
    );
    let queen = position("8/8/8/8/8/2k5/7Q/K7 w - - 0 1").unwrap();

    let empty = open(name).unwrap();
    // SAFETY: the tables are open.
    assert_eq!(unsafe { em_largest(empty) }, 0);
    assert_eq!(dtm(empty, &queen).0, Status::NoTable);
    // SAFETY: they are not used again.
    unsafe { em_close(empty) };

    let own = Tables::new(folder.path(), Metric::Mate);
    let material = "KQvK".parse().unwrap();
    build(&Plan::new(material, Metric::Mate), &own, &Run::serial()).unwrap();
    let tables = open(&format!("/:{name}")).unwrap();
    // SAFETY: the tables are open.
    assert_eq!(unsafe { em_largest(tables) }, 3);
    let eleven = Distance {
        outcome: 1,
        plies: 11,
        exact: true,
    };
    assert_eq!(dtm(tables, &queen), (Status::Ok, eleven));
    assert_eq!(dtm(ptr::null(), &queen).0, Status::BadArgument);

    let castling = position("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    assert_eq!(castling.may_castle, 1);
    assert_eq!(dtm(tables, &castling).0, Status::NoTable);
    let rook = position("4k3/8/8/8/8/8/8/4K2R w - - 0 1").unwrap();
    assert_eq!(dtm(tables, &rook), (Status::NoTable, Distance::default()));
    for broken in [
        CPosition { kings: 1, ..queen },
        CPosition {
            rooks: queen.queens,
            ..queen
        },
        CPosition {
            en_passant: 77,
            ..queen
        },
        CPosition {
            white: u64::MAX,
            ..queen
        },
    ] {
        assert_eq!(dtm(tables, &broken).0, Status::BadPosition, "{broken:?}");
    }

    let mut moves = [MaybeUninit::<MoveValue>::uninit(); 3];
    let mut number = 7;
    let first = moves[0].as_mut_ptr();
    // SAFETY: open tables, a position, and memory for three moves and their number.
    let status = unsafe { em_probe_moves(tables, &raw const queen, first, 3, &raw mut number) };
    assert_eq!((status, number), (Status::BadArgument, 7));
    assert!(message().ends_with("but the array has 3"), "{}", message());
    // SAFETY: they are not used again; null is allowed.
    unsafe {
        em_close(tables);
        em_close(ptr::null_mut());
    }

    let path = folder.path().join("KQvK.dtm");
    let mut bytes = std::fs::read(&path).unwrap();
    for byte in &mut bytes[64..] {
        *byte ^= 1;
    }
    std::fs::write(&path, bytes).unwrap();
    let damaged = open(name).unwrap();
    assert_eq!(dtm(damaged, &queen).0, Status::Damaged);
    assert!(message().contains("KQvK.dtm is damaged"), "{}", message());
    // SAFETY: they are not used again.
    unsafe { em_close(damaged) };
}

/// A mate in eleven plies with a clock of 89 is mate before the rule draws the game, with a clock
/// of 90 a draw.
#[test]
fn the_clock_counts_in_plies_to_mate_under_the_fifty_move_rule() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().to_str().unwrap();
    let own = Tables::new(folder.path(), Metric::MateFifty);
    let material = "KQvK".parse().unwrap();
    let plan = Plan::new(material, Metric::MateFifty);
    build(&plan, &own, &Run::serial()).unwrap();
    let tables = open(name).unwrap();
    for (clock, outcome, plies) in [(0, 1, 11), (89, 1, 11), (90, 0, 0), (100, 0, 0)] {
        let queen = position(&format!("8/8/8/8/8/2k5/7Q/K7 w - - {clock} 1")).unwrap();
        let mut found = Distance::default();
        // SAFETY: open tables, a position and memory for the result.
        let status = unsafe { em_probe_dtm50(tables, &raw const queen, &raw mut found) };
        let expected = Distance {
            outcome,
            plies,
            exact: true,
        };
        assert_eq!((status, found), (Status::Ok, expected), "clock {clock}");
        assert_eq!(dtm(tables, &queen).0, Status::NoTable);
    }
    // SAFETY: they are not used again.
    unsafe { em_close(tables) };
}

#[test]
fn every_status_has_a_name() {
    let name = |status: i32| {
        // SAFETY: the function returns a text for every number.
        unsafe { CStr::from_ptr(em_status_name(status)) }
            .to_str()
            .unwrap()
    };
    assert_eq!(name(Status::NoTable as i32), "no table");
    assert_eq!(name(Status::Internal as i32), "internal error");
    assert_eq!(name(-1), "unknown status");
}
