//! Several processes, each a thread, find what one search finds.

use std::sync::{Barrier, Mutex};
use std::thread;

use everymove_kernel::files::{Memory, Storage};
use everymove_kernel::run::{Ram, Stopped};
use xxhash_rust::xxh3::xxh3_64;

use super::search::Buffers;
use super::*;
use crate::reach::{ReachPlan, stored_reach};
use crate::reached::class_symmetries;
use crate::{Board, Finish};

/// The memory that threads share instead of links.
struct Common {
    parts: Vec<Mutex<Vec<u64>>>,
    said: Mutex<Vec<Vec<u64>>>,
    barrier: Barrier,
}

struct Threads<'a> {
    common: &'a Common,
    process: usize,
    /// Rounds that are left.
    rounds: u64,
}

impl Exchange for Threads<'_> {
    type Error = PegError;

    fn processes(&self) -> usize {
        self.common.parts.len()
    }

    fn process(&self) -> usize {
        self.process
    }

    fn begin(&mut self, part: Vec<u64>) -> Result<(), PegError> {
        self.rounds = self.rounds.checked_sub(1).ok_or(Stopped)?;
        *self.common.parts[self.process].lock().unwrap() = part;
        self.common.barrier.wait();
        Ok(())
    }

    fn send(&mut self, to: usize, first: usize, words: &[u64]) -> Result<(), PegError> {
        let mut part = self.common.parts[to].lock().unwrap();
        for (word, more) in part[first..][..words.len()].iter_mut().zip(words) {
            *word |= more;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<Vec<u64>, PegError> {
        self.common.barrier.wait();
        Ok(std::mem::take(
            &mut *self.common.parts[self.process].lock().unwrap(),
        ))
    }

    fn gather(&mut self, values: Vec<u64>) -> Result<Vec<Vec<u64>>, PegError> {
        self.common.said.lock().unwrap()[self.process] = values;
        self.common.barrier.wait();
        let said = self.common.said.lock().unwrap().clone();
        self.common.barrier.wait();
        Ok(said)
    }
}

/// How processes search.
#[derive(Clone, Copy)]
struct Setting<'a> {
    processes: usize,
    threads: usize,
    buffers: Buffers,
    /// Where parts of layers are saved, by process in turn; nowhere if there are none.
    folders: &'a [Memory],
    /// The rounds after which all are stopped.
    rounds: u64,
}

fn setting(processes: usize, threads: usize, buffers: Buffers) -> Setting<'static> {
    Setting {
        processes,
        threads,
        buffers,
        folders: &[],
        rounds: u64::MAX,
    }
}

fn reach_in(problem: &Problem, setting: Setting<'_>) -> Vec<Result<DistributedReach, PegError>> {
    let Setting {
        processes, threads, ..
    } = setting;
    let common = Common {
        parts: (0..processes).map(|_| Mutex::default()).collect(),
        said: Mutex::new(vec![Vec::new(); processes]),
        barrier: Barrier::new(processes),
    };
    thread::scope(|scope| {
        let found: Vec<_> = (0..processes)
            .map(|process| {
                let mut exchange = Threads {
                    common: &common,
                    process,
                    rounds: setting.rounds,
                };
                scope.spawn(move || {
                    let run = Run::new(threads, Ram::limited(64 << 20));
                    let mut folders = setting.folders.iter().cycle();
                    let saved = folders.nth(process).map(|folder| {
                        let folder = Box::new(folder.clone());
                        SavedParts::on(folder, SHARED_PART, "a test", process, None).unwrap()
                    });
                    search::reach(problem, &mut exchange, saved, setting.buffers, &run)
                })
            })
            .collect();
        let found = found.into_iter().map(|thread| thread.join().unwrap());
        found.collect()
    })
}

/// The digests of the layers by their definition, from layers in memory.
fn digests_in_memory(problem: &Problem) -> Vec<u64> {
    let (board, start) = (problem.board(), problem.start());
    let group = class_symmetries(board, start);
    let (layers, kept, _) = stored_reach(board, start, &group, None, &Run::serial()).unwrap();
    let bytes = |words: &[u64]| {
        words
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect::<Vec<_>>()
    };
    let of_layer = |layer: &crate::layers::Layer| {
        let mut blocks = Vec::new();
        let mut block: Vec<u64> = Vec::new();
        let mut heads = 0;
        for id in 0..layers.split().heads().len() {
            let words = &layer.words[layer.layout.range(id)];
            if heads > 0 && block.len() + words.len() > 4096 {
                blocks.push(xxh3_64(&bytes(&block)));
                (block, heads) = (Vec::new(), 0);
            }
            block.extend(words);
            heads += 1;
        }
        blocks.push(xxh3_64(&bytes(&block)));
        xxh3_64(&bytes(&blocks))
    };
    kept.iter().map(of_layer).collect()
}

#[test]
fn any_number_of_processes_finds_what_one_search_finds() {
    let small = Buffers {
        window: 100,
        piece: 7,
    };
    let settings = [
        (3, 1, search::BUFFERS),
        (1, 1, search::BUFFERS),
        (2, 2, search::BUFFERS),
        (7, 1, small),
    ];
    // One setting is enough for 23 million positions.
    let boards = [
        ("english", "d4", 1),
        ("triangle5", "a1", 4),
        ("square4x5", "b2", 4),
    ];
    for (name, hole, tried) in boards {
        let board = Board::named(name).unwrap();
        let start = board.vacate(board.hole(hole).unwrap());
        let problem = Problem::new(&board, start, Finish::Anywhere).unwrap();
        let expected = ReachPlan::new(&board, start).reach(&Run::serial()).unwrap();
        let digests = digests_in_memory(&problem);
        for (processes, threads, buffers) in settings.into_iter().take(tried) {
            for found in reach_in(&problem, setting(processes, threads, buffers)) {
                let found = found.unwrap();
                let at = format!("{name} {hole}, {processes} processes");
                assert_eq!(found.reach.layers, expected.layers, "{at}");
                assert_eq!(found.reach.last_pegs, expected.last_pegs, "{at}");
                assert_eq!(found.reach.work, expected.work, "{at}");
                assert_eq!(found.digests, digests, "{at}");
            }
        }
    }
}

#[test]
fn parts_that_do_not_fit_are_refused_before_any_work() {
    let board = Board::named("english").unwrap();
    let start = board.vacate(board.hole("d4").unwrap());
    let problem = Problem::new(&board, start, Finish::Anywhere).unwrap();
    let run = Run::new(1, Ram::limited(3 << 20));
    let error = reach_distributed(&problem, &mut Alone::default(), None, &run).unwrap_err();
    assert!(matches!(error, PegError::OverBudget(_)), "{error}");
    assert!(error.to_string().contains("of 1 processes"), "{error}");
}

/// Processes are stopped after any layer, and others, more or fewer, resume: also if they have a folder each.
#[test]
fn any_number_of_processes_resumes_from_saved_layers() {
    let board = Board::named("square4x5").unwrap();
    let start = board.vacate(board.hole("b2").unwrap());
    let problem = Problem::new(&board, start, Finish::Anywhere).unwrap();
    let expected = ReachPlan::new(&board, start).reach(&Run::serial()).unwrap();
    let layers = expected.layers.len() as u64;
    let digests = digests_in_memory(&problem);
    let small = Buffers {
        window: 100,
        piece: 7,
    };
    for (before, after, folders) in [(2, 3, 1), (3, 1, 1), (1, 2, 1), (2, 3, 2), (3, 3, 3)] {
        for rounds in 0..layers {
            let folders: Vec<Memory> = (0..folders).map(|_| Memory::default()).collect();
            let stopped = Setting {
                folders: &folders,
                rounds,
                ..setting(before, 1, small)
            };
            for found in reach_in(&problem, stopped) {
                assert!(matches!(found, Err(PegError::Stopped(_))), "{rounds}");
            }
            // One round to read the layer, one for each of the rest.
            let resumed = Setting {
                processes: after,
                rounds: layers - rounds + u64::from(rounds > 0),
                ..stopped
            };
            for found in reach_in(&problem, resumed) {
                let found = found.unwrap();
                let at = format!("{before}, then {after} processes, {rounds} layers");
                assert_eq!(found.reach.layers, expected.layers, "{at}");
                assert_eq!(found.reach.last_pegs, expected.last_pegs, "{at}");
                assert_eq!(found.digests, digests, "{at}");
            }
            for folder in &folders {
                assert!(folder.list().unwrap().is_empty(), "{rounds}");
            }
        }
    }
}

#[test]
fn a_damaged_part_is_refused() {
    let board = Board::named("triangle5").unwrap();
    let start = board.vacate(board.hole("a1").unwrap());
    let problem = Problem::new(&board, start, Finish::Anywhere).unwrap();
    let folders = [Memory::default()];
    let stopped = Setting {
        folders: &folders,
        rounds: 5,
        ..setting(1, 1, search::BUFFERS)
    };
    reach_in(&problem, stopped);
    let name = folders[0].list().unwrap().pop().unwrap();
    folders[0].damage(&name, |bytes| {
        let last = bytes.len() - 20;
        bytes[last] ^= 1;
    });
    let resumed = Setting {
        rounds: u64::MAX,
        ..stopped
    };
    for found in reach_in(&problem, resumed) {
        let error = found.unwrap_err().to_string();
        assert!(
            error.contains(&name) && error.contains("damaged"),
            "{error}"
        );
    }
}
