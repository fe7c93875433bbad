//! Several processes, each a thread, count what one process counts.

use std::sync::{Barrier, Mutex};
use std::thread;

use everymove_kernel::files::{Memory, SavedParts, Storage};
use everymove_kernel::run::{Ram, Run, Stopped};

use super::super::classes::tests::by_classes;
use super::super::classes::{self, Planned};
use super::super::{Options, count};
use super::*;
use crate::board::{Board, Kind};

/// The memory that threads share instead of links.
struct Common {
    pieces: Vec<Mutex<Vec<Vec<u8>>>>,
    said: Mutex<Vec<Vec<u64>>>,
    barrier: Barrier,
}

struct Threads<'a> {
    common: &'a Common,
    process: usize,
    /// Numbers are said to all this many times, then all processes are stopped.
    left: usize,
}

impl Exchange for Threads<'_> {
    type Error = FrontierError;

    fn processes(&self) -> usize {
        self.common.pieces.len()
    }

    fn process(&self) -> usize {
        self.process
    }

    fn begin(&mut self) -> Result<(), FrontierError> {
        self.common.barrier.wait();
        Ok(())
    }

    fn send(&mut self, to: usize, piece: &[u8]) -> Result<(), FrontierError> {
        self.common.pieces[to].lock().unwrap().push(piece.to_vec());
        Ok(())
    }

    fn end(&mut self) -> Result<Vec<Vec<u8>>, FrontierError> {
        self.common.barrier.wait();
        Ok(std::mem::take(
            &mut *self.common.pieces[self.process].lock().unwrap(),
        ))
    }

    fn gather(&mut self, values: Vec<u64>) -> Result<Vec<Vec<u64>>, FrontierError> {
        self.left = self.left.checked_sub(1).ok_or(Stopped)?;
        self.common.said.lock().unwrap()[self.process] = values;
        self.common.barrier.wait();
        let said = self.common.said.lock().unwrap().clone();
        self.common.barrier.wait();
        Ok(said)
    }
}

fn counted_by(question: &Question, processes: usize) -> Vec<DistributedCount> {
    let (counted, _) = tried_by(question, processes, &[], usize::MAX);
    counted.into_iter().map(Result::unwrap).collect()
}

/// What each process counts, or why it ends early, with layers saved in some folders, which the processes have in turn; and how often numbers
/// were said to all.
fn tried_by(
    question: &Question,
    processes: usize,
    folders: &[Memory],
    most: usize,
) -> (Vec<Result<DistributedCount, FrontierError>>, usize) {
    let counted = in_threads(processes, most, |process, exchange| {
        let saved = folders.iter().cycle().nth(process).map(|folder| {
            let folder = Box::new(folder.clone());
            SavedParts::on(folder, SHARED_PART, "a test", process, None).unwrap()
        });
        let run = Run::new(1 + process % 2, Ram::limited(64 << 20));
        let counted = count_distributed(question, exchange, saved, &run);
        (counted, most - exchange.left)
    });
    let (counted, said): (Vec<_>, Vec<_>) = counted.into_iter().unzip();
    (counted, said[0])
}

/// What each of some processes, each a thread, returns from its work with the exchange.
fn in_threads<T: Send>(
    processes: usize,
    most: usize,
    work: impl Fn(usize, &mut Threads<'_>) -> T + Sync,
) -> Vec<T> {
    let common = Common {
        pieces: (0..processes).map(|_| Mutex::default()).collect(),
        said: Mutex::new(vec![Vec::new(); processes]),
        barrier: Barrier::new(processes),
    };
    let work = |process| {
        let mut exchange = Threads {
            common: &common,
            process,
            left: most,
        };
        work(process, &mut exchange)
    };
    let work = &work;
    thread::scope(|scope| {
        let threads = (0..processes).map(|process| scope.spawn(move || work(process)));
        let threads: Vec<_> = threads.collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap());
        results.collect()
    })
}

/// Processes make the half together that all classes need; then each counts some of the classes.
#[test]
fn classes_with_a_shared_half_are_those_of_one_process() {
    for (rows, cols, kind) in [
        (5, 6, Kind::Open),
        (6, 7, Kind::Closed),
        (6, 6, Kind::Open),
        (4, 7, Kind::Open),
    ] {
        let question = &Question::new(Board::knight(rows, cols).unwrap(), kind);
        let options = &classes::Options::default();
        let (_, mut expected) = by_classes(question, options, &Run::serial());
        expected.sort_by_key(|finished| finished.class);
        for processes in 1..=3 {
            let found = in_threads(processes, usize::MAX, |process, exchange| {
                let run = Run::new(1 + process % 2, Ram::limited(64 << 20));
                let planned = Planned::new(question, options, &run).unwrap().unwrap();
                let mut own = planned.split().classes.into_iter().skip(process);
                let planned = planned.share_second_half(exchange, &run).unwrap();
                let mut found = Vec::new();
                let next = || {
                    let class = own.next();
                    own.by_ref().take(processes - 1).for_each(drop);
                    Ok::<_, FrontierError>(class.map(|class| class.class))
                };
                let keep = |finished| {
                    found.push(finished);
                    Ok(())
                };
                planned.count(&run, next, keep).unwrap();
                assert_eq!(run.ram.used(), Run::serial().ram.used());
                found
            });
            let mut found: Vec<_> = found.into_iter().flatten().collect();
            found.sort_by_key(|finished| finished.class);
            assert_eq!(found, expected, "{processes} processes, {question:?}");
        }
    }
}

/// Boards whose halves are alike, of unequal length, without a mirror image, and too short for halves.
#[test]
fn any_number_of_processes_counts_what_one_counts() {
    let board = |rows, cols| Board::knight(rows, cols).unwrap();
    let with_hole = |square: &str| {
        let board = board(6, 6);
        let hole = board.parse_square(square).unwrap();
        board.with_holes(&[hole]).unwrap()
    };
    let questions = [
        Question::new(board(6, 6), Kind::Closed),
        Question::new(board(5, 6), Kind::Open),
        Question::new(board(7, 6), Kind::Closed),
        Question::new(board(6, 5), Kind::Open).starting_on(13),
        Question::new(board(3, 10), Kind::Open),
        Question::new(with_hole("c3"), Kind::Open),
        Question::new(board(5, 5), Kind::Closed),
    ];
    for question in questions {
        let expected = count(&question, &Options::default(), &Run::serial()).unwrap();
        let alone = count_distributed(&question, &mut Alone, None, &Run::serial()).unwrap();
        assert_eq!(alone.undirected, expected.undirected, "{question:?}");
        assert_eq!(alone.work, expected.work, "{question:?}");
        for processes in [1, 2, 3, 5] {
            for counted in counted_by(&question, processes) {
                assert_eq!(counted, alone, "{processes} processes, {question:?}");
            }
        }
    }
}

/// Processes are stopped anywhere, and others, more or fewer, resume: also if they have a folder each.
#[test]
fn any_number_of_processes_resumes_from_saved_layers() {
    let board = |rows, cols| Board::knight(rows, cols).unwrap();
    let questions = [
        Question::new(board(6, 6), Kind::Closed),
        Question::new(board(7, 6), Kind::Closed),
        Question::new(board(5, 6), Kind::Open).starting_on(13),
        Question::new(board(3, 10), Kind::Open),
    ];
    let groups = [(2, 3, 1), (3, 1, 1), (1, 2, 1), (2, 3, 2), (3, 3, 3)];
    let mut resumed_from = 0;
    for question in questions {
        let alone = count_distributed(&question, &mut Alone, None, &Run::serial()).unwrap();
        for (number, &(before, after, folders)) in groups.iter().enumerate() {
            let (_, all) = tried_by(&question, after, &[Memory::default()], usize::MAX);
            for most in (number..2 * all).step_by(31) {
                let folders: Vec<Memory> = (0..folders).map(|_| Memory::default()).collect();
                let (stopped, _) = tried_by(&question, before, &folders, most);
                if stopped.iter().all(Result::is_ok) {
                    break;
                }
                // As if all had been killed before one of them saved the last layer.
                let mut names = folders
                    .iter()
                    .map(|folder| (folder, folder.list().unwrap()));
                let last = names.clone().flat_map(|(_, names)| names).max();
                if most % 2 == 1
                    && let Some(last) = &last
                    && let Some((folder, _)) = names.find(|(_, names)| names.contains(last))
                {
                    folder.remove(last).unwrap();
                }
                let is_saved = folders.iter().any(|f| !f.list().unwrap().is_empty());
                let (counted, said) = tried_by(&question, after, &folders, usize::MAX);
                let at = format!("{before}, then {after} processes, {most}, {question:?}");
                for counted in counted {
                    assert_eq!(counted.unwrap(), alone, "{at}");
                }
                resumed_from += usize::from(is_saved && said < all);
                let empty = folders.iter().all(|f| f.list().unwrap().is_empty());
                assert!(empty, "{at}");
            }
        }
    }
    assert!(resumed_from > 15, "{resumed_from}");
}

#[test]
fn a_damaged_part_is_refused() {
    let question = Question::new(Board::knight(6, 6).unwrap(), Kind::Closed);
    let folders = [Memory::default()];
    let (_, all) = tried_by(&question, 2, &[Memory::default()], usize::MAX);
    tried_by(&question, 2, &folders, all / 2);
    let name = folders[0].list().unwrap().pop().unwrap();
    folders[0].damage(&name, |bytes| {
        let last = bytes.len() - 20;
        bytes[last] ^= 1;
    });
    let (counted, _) = tried_by(&question, 1, &folders, usize::MAX);
    let error = counted[0].as_ref().unwrap_err().to_string();
    assert!(
        error.contains(&name) && error.contains("damaged"),
        "{error}"
    );
}

#[test]
fn parts_that_do_not_fit_and_large_boards_are_refused_before_any_work() {
    let refused = |rows, cols, ram: Ram| {
        let question = Question::new(Board::knight(rows, cols).unwrap(), Kind::Open);
        let run = Run::new(1, ram);
        count_distributed(&question, &mut Alone, None, &run).unwrap_err()
    };
    let error = refused(8, 6, Ram::limited(4 << 20));
    assert!(matches!(error, FrontierError::OverBudget(_)), "{error}");
    // Its lists alone would take gigabytes.
    let error = refused(9, 12, Ram::limited(1 << 30));
    assert!(matches!(error, FrontierError::OverBudget(_)), "{error}");
    let error = refused(4, 28, Ram::unlimited());
    assert!(error.to_string().contains("at most 110 squares"), "{error}");
}

#[test]
fn pieces_that_make_no_sense_are_refused() {
    let layer = super::super::block::Layer::start();
    let mut pieces = message::Pieces::default();
    assert!(pieces.add(&layer.block(0), 0).is_none());
    let piece = pieces.rest().unwrap().to_vec();
    let read = |piece: &[u8]| message::read(piece, 3, 0);
    assert!(read(&piece).is_ok());
    for length in 0..piece.len() {
        assert!(read(&piece[..length]).is_err(), "{length}");
    }
    // A degree vector of more slots, another form, another width, another length.
    for (at, byte) in [(15, 1), (16, 3), (17, 3), (18, 2)] {
        let mut wrong = piece.clone();
        wrong[at] = byte;
        assert!(read(&wrong).is_err(), "byte {at}");
    }
}
