//! Several processes, each a thread, over the loopback interface.

use std::sync::atomic::{AtomicU64, Ordering};

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Ram;

use super::words::{Pieces, Words};
use super::*;
use crate::event::Event;

const PATIENCE: Duration = Duration::from_secs(60);

fn secret() -> Secret {
    Secret::parse(&"5a".repeat(32)).unwrap()
}

/// Runs process 0, and beside it what `others` does with its address.
fn with_first<T: Send, U>(
    processes: usize,
    patience: Duration,
    run: &Run,
    work: impl FnOnce(Mesh) -> T + Send,
    others: impl FnOnce(&str) -> U,
) -> (Result<T, ClusterError>, U) {
    let (sender, address) = std::sync::mpsc::channel();
    let sender = Mutex::new(sender);
    let observe = move |event: Event| {
        if let Event::Awaiting { address, .. } = event {
            sender.lock().unwrap().send(address).unwrap();
        }
    };
    thread::scope(|scope| {
        let first = scope.spawn(move || {
            let secret = secret();
            let place = Place {
                process: 0,
                processes,
                address: "127.0.0.1:0",
                port: None,
                listen: None,
                secret: &secret,
                patience,
                advice: "the same command begins again",
            };
            Mesh::join(&place, "a test", "1", run, &observe).map(work)
        });
        let others = others(&address.recv().unwrap());
        (first.join().unwrap(), others)
    })
}

fn join(
    address: &str,
    (process, processes): (usize, usize),
    question: &str,
    run: &Run,
) -> Result<Mesh, ClusterError> {
    let secret = secret();
    let place = Place {
        process,
        processes,
        address,
        port: None,
        listen: None,
        secret: &secret,
        patience: PATIENCE,
        advice: "the same command begins again",
    };
    Mesh::join(&place, question, "1", run, &|_| ())
}

/// What each of several processes returns from the work it does.
fn in_all<T: Send>(processes: usize, work: impl Fn(Mesh, &Run) -> T + Sync) -> Vec<T> {
    let run = Run::serial();
    let (first, others) = with_first(
        processes,
        PATIENCE,
        &run,
        |mesh| work(mesh, &run),
        |address| {
            thread::scope(|scope| {
                let others = (1..processes).map(|process| {
                    let work = &work;
                    scope.spawn(move || {
                        let run = Run::serial();
                        let mesh = join(address, (process, processes), "a test", &run).unwrap();
                        work(mesh, &run)
                    })
                });
                let others: Vec<_> = others.collect();
                let others = others.into_iter().map(|thread| thread.join().unwrap());
                others.collect::<Vec<_>>()
            })
        },
    );
    std::iter::once(first.unwrap()).chain(others).collect()
}

/// The words that a process sends to another in a round: mostly 0.
fn words(round: u64, from: usize, to: usize) -> Vec<u64> {
    let mut rng = SplitMix64::new(round * 10_000 + from as u64 * 100 + to as u64);
    let word = |_| match rng.next_u64() % 4 {
        0 => rng.next_u64(),
        _ => 0,
    };
    (0..5000 * to).map(word).collect()
}

#[test]
fn parts_are_the_unions_of_what_all_sent() {
    const PROCESSES: usize = 4;
    let found = in_all(PROCESSES, |mesh, run| {
        mesh.run(run, |exchange| {
            let me = exchange.process();
            let mut pieces = Pieces::of(100).unwrap();
            let mut parts = Vec::new();
            for round in 0..20 {
                exchange.begin(Words::new(vec![0; 5000 * me])?)?;
                for to in (0..PROCESSES).filter(|to| !(round + *to as u64).is_multiple_of(3)) {
                    let words = words(round, me, to);
                    if to == me {
                        exchange.own(|part| part.or(0, &words));
                    } else {
                        pieces.each(0, &words, |piece| exchange.send(to, piece))?;
                    }
                }
                let part = exchange.end()?.into_words();
                let ones: u32 = part.iter().map(|word| word.count_ones()).sum();
                let said = exchange.gather(vec![me as u64, u64::from(ones)])?;
                parts.push((part, said));
            }
            Ok::<_, ClusterError>(parts)
        })
        .unwrap()
    });
    for (process, (parts, _)) in found.iter().enumerate() {
        for (round, (part, said)) in parts.iter().enumerate() {
            let mut expected = vec![0; 5000 * process];
            if (round + process) % 3 != 0 {
                for from in 0..PROCESSES {
                    let more = words(round as u64, from, process);
                    expected
                        .iter_mut()
                        .zip(more)
                        .for_each(|(word, more)| *word |= more);
                }
            }
            assert!(*part == expected, "process {process}, round {round}");
            let ones: u32 = expected.iter().map(|word| word.count_ones()).sum();
            assert_eq!(said[process], [process as u64, u64::from(ones)]);
            assert_eq!(*said, found[0].0[round].1);
        }
    }
    let sent: u64 = found.iter().map(|(_, traffic)| traffic.sent).sum();
    assert!(sent > 0);
}

/// A part that is joined slowly.
struct Slow<'a> {
    joined: &'a AtomicU64,
}

impl Part for Slow<'_> {
    fn join(&mut self, piece: &[u8]) -> Result<(), &'static str> {
        thread::sleep(Duration::from_millis(2));
        self.joined.fetch_add(piece.len() as u64, Ordering::SeqCst);
        Ok(())
    }
}

#[test]
fn a_slow_receiver_bounds_what_is_on_its_way() {
    let joined = [AtomicU64::new(0), AtomicU64::new(0)];
    let piece = vec![7; 100_000];
    let most = in_all(2, |mesh, run| {
        let (most, _) = mesh
            .run(run, |exchange| {
                let me = exchange.process();
                let (mut sent, mut most) = (0, 0);
                exchange.begin(Slow {
                    joined: &joined[me],
                })?;
                for _ in 0..100 {
                    exchange.send(1 - me, &piece)?;
                    sent += piece.len() as u64;
                    most = most.max(sent - joined[1 - me].load(Ordering::SeqCst));
                }
                exchange.end()?;
                assert_eq!(joined[1 - me].load(Ordering::SeqCst), sent);
                Ok::<_, ClusterError>(most)
            })
            .unwrap();
        most
    });
    for most in most {
        assert!(most <= WINDOW && most > WINDOW / 2, "{most} bytes");
    }
}

/// Works until the run ends.
fn endless(exchange: &mut Exchange<'_, Words>) -> Result<(), ClusterError> {
    loop {
        exchange.begin(Words::new(Vec::new())?)?;
        exchange.end()?;
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn when_one_ends_all_end_with_the_reason() {
    for bad in 0..3 {
        let ends = in_all(3, |mesh, run| {
            let process = mesh.process;
            let ended = mesh.run(run, |exchange| {
                if process == bad {
                    exchange.gather(Vec::new())?;
                    return Err(ClusterError::Hosts("a bad number".to_owned()));
                }
                exchange.gather(Vec::new())?;
                endless(exchange)
            });
            (process, ended.unwrap_err())
        });
        for (process, error) in ends {
            let line = error.to_string();
            assert!(line.ends_with("a bad number"), "{bad} {process}: {line}");
            assert_eq!(process == bad, matches!(error, ClusterError::Hosts(_)));
        }
    }
}

#[test]
fn a_lost_process_ends_the_others() {
    for bad in 0..3 {
        let start = Instant::now();
        let ends = in_all(3, |mesh, run| {
            let process = mesh.process;
            if process == bad {
                // Its links are closed without a word.
                drop(Closing(&mesh.links));
                return None;
            }
            mesh.run(run, endless).err()
        });
        assert_eq!(ends.iter().flatten().count(), 2);
        for error in ends.into_iter().flatten() {
            let line = error.to_string();
            assert!(
                line.contains(&format!("lost process {bad} (127.0.0.1:")),
                "{line}"
            );
        }
        assert!(start.elapsed() < Duration::from_secs(60));
    }
}

#[test]
fn a_silent_process_ends_the_others() {
    let ends = in_all(2, |mesh, run| {
        if mesh.process == 1 {
            // Connected, but it neither sends nor receives.
            thread::sleep(crate::link::SILENCE * 2);
            return None;
        }
        mesh.run(run, endless).err()
    });
    let line = ends[0].as_ref().unwrap().to_string();
    assert!(line.contains("lost process 1"), "{line}");
    assert!(
        line.contains("silent for 5 s; the same command begins again"),
        "{line}"
    );
}

#[test]
fn others_are_refused_and_those_that_are_missing_are_counted() {
    let run = Run::serial();
    let (first, ()) = with_first(
        3,
        Duration::from_secs(3),
        &run,
        |_| (),
        |address| {
            for (place, question, part) in [
                ((1, 3), "another", "it was asked for another"),
                ((1, 4), "a test", "it is one of 4, the others are 3"),
                ((3, 3), "a test", "its number is 3: expected 1 to 2"),
            ] {
                let refused = join(address, place, question, &Run::serial());
                let line = refused.err().unwrap().to_string();
                assert!(line.contains("refused") && line.contains(part), "{line}");
            }
            // One joins and another has its number.
            thread::scope(|scope| {
                let one = || {
                    join(address, (2, 3), "a test", &Run::serial())
                        .err()
                        .unwrap()
                };
                let ends = [scope.spawn(one), scope.spawn(one)];
                let ends = ends.map(|end| end.join().unwrap().to_string());
                let refused = |line: &String| line.contains("another process has the number 2");
                assert_eq!(
                    ends.iter().filter(|line| refused(line)).count(),
                    1,
                    "{ends:?}"
                );
            });
        },
    );
    let line = first.err().unwrap().to_string();
    assert_eq!(line, "2 of 3 processes joined within 3 s");
}

#[test]
fn links_that_do_not_fit_the_memory_are_refused() {
    let run = Run::new(1, Ram::limited(6 << 20));
    let error = join("127.0.0.1:9", (1, 3), "a test", &run).err().unwrap();
    assert!(matches!(error, ClusterError::OverBudget(_)), "{error}");
}

#[test]
fn damaged_pieces_end_the_run() {
    let ends = in_all(2, |mesh, run| {
        let process = mesh.process;
        let ended = mesh.run(run, |exchange| {
            exchange.begin(Words::new(vec![0; 10])?)?;
            if process == 1 {
                let mut pieces = Pieces::new()?;
                pieces.each(5, &[1; 6], |piece| exchange.send(0, piece))?;
            }
            exchange.end()?;
            Ok::<_, ClusterError>(())
        });
        ended.err().unwrap().to_string()
    });
    assert!(
        ends[0].contains("a piece is not of this part"),
        "{}",
        ends[0]
    );
}
