//! Several runs in one process, over the loopback interface.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use everymove_kernel::run::Run;

use super::*;
use crate::error::ClusterError;
use crate::job::{Job, JobList, Source, Work};
use crate::link::{self, Port, Secret, Traffic};
use crate::results::Results;

const PATIENCE: Duration = Duration::from_secs(20);

/// Squares of numbers; every fourth number needs the one before.
struct Squares {
    /// How long a job takes.
    time: Duration,
    /// The job that fails.
    bad: Option<&'static str>,
}

impl Squares {
    fn quick() -> Self {
        Self {
            time: Duration::from_millis(5),
            bad: None,
        }
    }
}

impl Work for Squares {
    type Error = ClusterError;

    fn jobs(&self, _: &Run) -> Result<JobList, ClusterError> {
        let jobs = (1..=20u64).map(|n| Job {
            id: n.to_string(),
            weight: n,
            after: (n % 4 == 0)
                .then(|| (n - 1).to_string())
                .into_iter()
                .collect(),
            path: vec![],
        });
        Ok(JobList::new("squares", "20", jobs.collect()))
    }

    fn work(&self, run: &Run, source: &mut dyn Source) -> Result<(), ClusterError> {
        while let Some(id) = source.next()? {
            let end = Instant::now() + self.time;
            while Instant::now() < end {
                run.stop.check()?;
                thread::sleep(Duration::from_millis(1));
            }
            if self.bad == Some(id.as_str()) {
                return Err(ClusterError::Hosts("a bad job".to_owned()));
            }
            let n: u64 = id.parse().unwrap();
            source.done(&id, Value::from(n * n))?;
        }
        Ok(())
    }
}

fn secret() -> Secret {
    Secret::parse(&"5a".repeat(32)).unwrap()
}

/// The events of a run.
type Log = Mutex<Vec<Event>>;

fn wait_for(log: &Log, is_there: impl Fn(&Event) -> bool) {
    let end = Instant::now() + PATIENCE;
    while !log.lock().unwrap().iter().any(&is_there) {
        assert!(Instant::now() < end, "{:?}", log.lock().unwrap());
        thread::sleep(Duration::from_millis(5));
    }
}

/// Runs process 0 in a folder, and beside it, when it listens, what `others` does with its address; returns how process 0 ended.
fn with_coordinator(
    folder: &Path,
    work: &Squares,
    run: &Run,
    log: &Log,
    others: impl FnOnce(String),
) -> Result<Traffic, ClusterError> {
    let port = Port::take("127.0.0.1:0").unwrap();
    let address = port.address().to_string();
    let coordinator = Coordinator::new(port);
    let list = work.jobs(run).unwrap();
    let results = Results::new(folder, &list).unwrap();
    let observe = |event| log.lock().unwrap().push(event);
    thread::scope(|scope| {
        let ended =
            scope.spawn(|| coordinator.run(work, &list, &results, &secret(), run, &observe));
        wait_for(log, |event| matches!(event, Event::Listening { .. }));
        others(address);
        ended.join().unwrap()
    })
}

fn join(address: &str, process: usize, work: &Squares, run: &Run) -> Result<usize, ClusterError> {
    let list = work.jobs(run)?;
    let worker = Worker::join(address, process, &list, &secret(), PATIENCE, run)?;
    Ok(worker.run(work, run)?.jobs)
}

fn assert_complete(folder: &Path) {
    let list = Squares::quick().jobs(&Run::serial()).unwrap();
    let results = Results::new(folder, &list).unwrap();
    for n in 1..=20u64 {
        assert_eq!(
            results.get(&n.to_string()).unwrap(),
            Some(Value::from(n * n))
        );
    }
}

#[test]
fn one_two_and_three_processes_finish_all_jobs_once() {
    for processes in 1..=3 {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::default();
        let work = Squares::quick();
        let done = Mutex::new(0);
        let ended = with_coordinator(folder.path(), &work, &Run::serial(), &log, |address| {
            thread::scope(|scope| {
                for process in 1..processes {
                    let (address, done, work) = (&address, &done, &work);
                    scope.spawn(move || {
                        // Process 0 may have finished all before this one has joined.
                        let jobs = join(address, process, work, &Run::serial());
                        *done.lock().unwrap() += jobs.unwrap_or(0);
                    });
                }
            });
        });
        let traffic = ended.unwrap();
        assert_complete(folder.path());
        let log = log.into_inner().unwrap();
        let joined = log
            .iter()
            .any(|event| matches!(event, Event::Joined { .. }));
        assert_eq!(traffic.sent > 0 && traffic.received > 0, joined);
        let of = |process: Option<usize>| {
            let finished = log.iter().filter(|event| match event {
                Event::Finished { process: by, .. } => process.is_none_or(|p| p == *by),
                _ => false,
            });
            finished.count()
        };
        assert_eq!(of(None), 20);
        assert_eq!(of(Some(0)) + *done.lock().unwrap(), 20);
    }
}

#[test]
fn strangers_are_refused_and_the_run_is_not_disturbed() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::default();
    let work = Squares {
        time: Duration::from_millis(50),
        bad: None,
    };
    let ended = with_coordinator(folder.path(), &work, &Run::serial(), &log, |address| {
        let mut http = TcpStream::connect(&address).unwrap();
        let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\nAccept: */*\r\n\r\n");
        http.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // The connection is closed, or reset because the request was not read to its end.
        let _ = http.read_to_end(&mut answer);
        assert!(answer.is_empty());

        let list = work.jobs(&Run::serial()).unwrap();
        let other = Secret::parse(&"00".repeat(32)).unwrap();
        let refused = Worker::join(&address, 1, &list, &other, PATIENCE, &Run::serial());
        let refused = refused.err().unwrap().to_string();
        assert!(refused.contains("is the secret the same?"), "{refused}");

        let cubes = JobList::new("cubes", "3", list.jobs().to_vec());
        let refused = Worker::join(&address, 1, &cubes, &secret(), PATIENCE, &Run::serial());
        let refused = refused.err().unwrap().to_string();
        let reason = "it was asked for cubes (3), the others for squares (20)";
        assert!(refused.ends_with(reason), "{refused}");

        let link = link::connect(TcpStream::connect(&address).unwrap(), &secret()).unwrap();
        let old = Hello {
            version: "0.0.1".to_owned(),
            ..Hello::of(1, &list)
        };
        link.send(&FromWorker::Hello(old)).unwrap();
        let Ok(FromCoordinator::Refused { reason }) = link.receive() else {
            panic!("another version is refused");
        };
        assert!(reason.starts_with("it is version 0.0.1"), "{reason}");
    });
    ended.unwrap();
    assert_complete(folder.path());
    let log = log.into_inner().unwrap();
    let refused = log
        .iter()
        .filter(|event| matches!(event, Event::Refused { .. }));
    assert_eq!(refused.count(), 4, "{log:?}");
}

#[test]
fn jobs_of_a_lost_worker_are_given_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::default();
    let work = Squares::quick();
    let ended = with_coordinator(folder.path(), &work, &Run::serial(), &log, |address| {
        let list = work.jobs(&Run::serial()).unwrap();
        let link = link::connect(TcpStream::connect(&address).unwrap(), &secret()).unwrap();
        link.send(&FromWorker::Hello(Hello::of(7, &list))).unwrap();
        link.send(&FromWorker::Ask).unwrap();
        loop {
            match link.receive::<FromCoordinator>().unwrap() {
                FromCoordinator::Job { .. } => break,
                FromCoordinator::End => panic!("all jobs were finished too soon"),
                _ => {}
            }
        }
        // The cut link: nothing more is sent.
        link.close();
    });
    ended.unwrap();
    assert_complete(folder.path());
    let log = log.into_inner().unwrap();
    let is_lost = |event: &Event| {
        matches!(
            event,
            Event::Lost {
                process: 7,
                jobs: 1,
                ..
            }
        )
    };
    assert!(log.iter().any(is_lost), "{log:?}");
}

/// A worker that is alive but sends nothing, as a stopped process does.
#[test]
fn a_silent_worker_is_lost_within_ten_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::default();
    let work = Squares::quick();
    let ended = with_coordinator(folder.path(), &work, &Run::serial(), &log, |address| {
        let list = work.jobs(&Run::serial()).unwrap();
        let link = link::connect(TcpStream::connect(&address).unwrap(), &secret()).unwrap();
        link.send(&FromWorker::Hello(Hello::of(3, &list))).unwrap();
        link.send(&FromWorker::Ask).unwrap();
        let begin = Instant::now();
        wait_for(
            &log,
            |event| matches!(event, Event::Lost { process: 3, why, .. } if why.contains("silent")),
        );
        assert!(begin.elapsed() >= link::SILENCE);
    });
    ended.unwrap();
    assert_complete(folder.path());
}

#[test]
fn a_failure_or_a_stop_ends_all_and_the_rest_is_done_later() {
    for bad in [Some("10"), None] {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::default();
        let run = Run::serial();
        let work = Squares {
            time: Duration::from_millis(20),
            bad,
        };
        let others = Squares {
            bad: None,
            ..Squares { ..work }
        };
        let ended = with_coordinator(folder.path(), &work, &run, &log, |address| {
            thread::scope(|scope| {
                let joined = scope.spawn(|| join(&address, 1, &others, &Run::serial()));
                wait_for(&log, |event| {
                    matches!(event, Event::Finished { finished: 3, .. })
                });
                run.stop.raise();
                let ended = joined.join().unwrap().unwrap_err();
                let is_told = matches!(
                    ended,
                    ClusterError::Ended { .. }
                        | ClusterError::Lost { .. }
                        | ClusterError::NotReached { .. }
                        | ClusterError::Refused { .. }
                );
                assert!(is_told, "{ended}");
            });
        });
        assert!(ended.is_err());
        let log = Log::default();
        let work = Squares::quick();
        with_coordinator(folder.path(), &work, &Run::serial(), &log, drop).unwrap();
        assert_complete(folder.path());
        let log = log.into_inner().unwrap();
        assert!(matches!(
            log[0],
            Event::Listening {
                finished: 3..,
                jobs: 20,
                ..
            }
        ));
    }
}

#[test]
fn a_worker_that_fails_is_lost_and_the_run_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let log = Log::default();
    let slow = Squares {
        time: Duration::from_millis(30),
        bad: None,
    };
    let bad = Squares {
        time: Duration::from_millis(30),
        bad: Some("18"),
    };
    let ended = with_coordinator(folder.path(), &slow, &Run::serial(), &log, |address| {
        // It fails at job 18 if it gets that; otherwise it ends well.
        let _ = join(&address, 1, &bad, &Run::serial());
    });
    ended.unwrap();
    assert_complete(folder.path());
    // If it got that job, the reason is reported.
    for event in log.into_inner().unwrap() {
        if let Event::Lost { why, .. } = event {
            assert!(why.ends_with("a bad job"), "{why}");
        }
    }
}

#[test]
fn nobody_at_the_address_is_reported() {
    let list = Squares::quick().jobs(&Run::serial()).unwrap();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let patience = Duration::from_millis(300);
    let error = Worker::join(&address, 1, &list, &secret(), patience, &Run::serial());
    assert!(matches!(error, Err(ClusterError::NotReached { .. })));
    let taken = Port::take("127.0.0.1:0").unwrap();
    let again = Port::take(&taken.address().to_string());
    assert!(matches!(again, Err(ClusterError::Bind { .. })));
}
