//! Many clients of a running server at once: `cargo xtask load --address 127.0.0.1:8080 --what hints`.
//!
//! Each client keeps its connection and repeats requests whose answers were recorded before, one request at a time. Every
//! answer must be the recorded one, or say that the server is busy.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail, ensure};

/// Longer runs and more clients belong to another tool.
const MOST_CLIENTS: usize = 1000;
const MOST_SECONDS: u64 = 600;

/// How long a client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

struct Options {
    address: String,
    clients: usize,
    seconds: u64,
    what: String,
}

/// A request with the answer that it must have; the cost of an answer is no part of it.
struct Question {
    bytes: Vec<u8>,
    answer: Vec<u8>,
}

/// What a client counted.
#[derive(Default)]
struct Counts {
    /// Answers by status.
    statuses: BTreeMap<u16, u64>,
    /// Answers with status 200 that are not the recorded ones.
    wrong: u64,
    /// Connections that broke.
    broken: u64,
    /// Microseconds of each right answer.
    times: Vec<u32>,
}

pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let options = read(words)?;
    let questions: Vec<_> = requests(&options.what)?
        .into_iter()
        .map(|bytes| record(&options.address, bytes))
        .collect::<anyhow::Result<_>>()?;
    let questions = Arc::new(questions);
    let end = Instant::now() + Duration::from_secs(options.seconds);
    let clients: Vec<_> = (0..options.clients)
        .map(|number| {
            let (questions, address) = (questions.clone(), options.address.clone());
            std::thread::Builder::new()
                .stack_size(256 << 10)
                .spawn(move || client(&address, &questions, number, end))
        })
        .collect::<Result<_, _>>()?;
    let begin = Instant::now();
    let mut all = Counts::default();
    for client in clients {
        let counts = client.join().map_err(|_| anyhow!("a client panicked"))?;
        for (status, n) in counts.statuses {
            *all.statuses.entry(status).or_default() += n;
        }
        all.wrong += counts.wrong;
        all.broken += counts.broken;
        all.times.extend(counts.times);
    }
    report(&options, &mut all, begin.elapsed());
    let unexpected = all
        .statuses
        .keys()
        .any(|status| !matches!(status, 200 | 503));
    ensure!(
        all.wrong == 0 && !unexpected,
        "answers other than the right ones or busy"
    );
    Ok(())
}

fn report(options: &Options, all: &mut Counts, time: Duration) {
    all.times.sort_unstable();
    let at = |share: f64| {
        let last = all.times.len().saturating_sub(1);
        let index = (last as f64 * share) as usize;
        all.times.get(index).map_or(0.0, |&t| f64::from(t) / 1000.0)
    };
    println!(
        "{}: {} clients, {:.1} s, {:.0} right answers a second, p50 {:.2} ms, p90 {:.2} ms, p99 {:.2} ms, longest {:.2} ms",
        options.what,
        options.clients,
        time.as_secs_f64(),
        all.times.len() as f64 / time.as_secs_f64(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0),
    );
    println!(
        "statuses {:?}, wrong {}, broken connections {}",
        all.statuses, all.wrong, all.broken
    );
}

fn read(words: &[String]) -> anyhow::Result<Options> {
    let mut options = Options {
        address: "127.0.0.1:8080".to_owned(),
        clients: 100,
        seconds: 60,
        what: "hints".to_owned(),
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = words
            .next()
            .with_context(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--address" => options.address.clone_from(value),
            "--clients" => options.clients = value.parse()?,
            "--seconds" => options.seconds = value.parse()?,
            "--what" => options.what.clone_from(value),
            _ => bail!("unknown option {word}: expected --address, --clients, --seconds, --what"),
        }
    }
    ensure!(
        (1..=MOST_CLIENTS).contains(&options.clients),
        "1 to {MOST_CLIENTS} clients"
    );
    ensure!(
        (1..=MOST_SECONDS).contains(&options.seconds),
        "1 to {MOST_SECONDS} seconds"
    );
    Ok(options)
}

/// The requests of a kind.
fn requests(what: &str) -> anyhow::Result<Vec<Vec<u8>>> {
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes();
    let hints = [
        "..ooo../..ooo../ooooooo/ooo.ooo/ooooooo/..ooo../..ooo..",
        "..ooo../..o.o../ooo.ooo/ooooooo/ooooooo/..ooo../..ooo..",
    ]
    .map(|rows| {
        // A corner of the cross is no place, not a hole.
        let rows: Vec<_> = rows.split('/').map(english).collect();
        format!(r#"{{"position":"{}","verdict_only":true}}"#, rows.join("/"))
    });
    let endings = [
        "8/8/8/8/8/2k5/7R/K7_w_-_-_0_1",
        "8/8/8/3k4/8/8/R7/K7_b_-_-_0_1",
    ];
    Ok(match what {
        "hints" => hints
            .iter()
            .map(|body| post("/api/v1/pegs/hint", body))
            .collect(),
        "probes" => endings
            .map(|fen| {
                let fen = fen.replace('_', " ");
                post("/api/v1/tables/probe", &format!(r#"{{"fen":"{fen}"}}"#))
            })
            .into(),
        "standard" => endings
            .map(|fen| get(&format!("/standard?fen={fen}")))
            .into(),
        "samples" => samples("6x6"),
        "samples8x8" => samples("8x8"),
        "finds" => (0..4)
            .map(|seed| {
                post(
                    "/api/v1/tours/find",
                    &format!(r#"{{"board":"8x8","closed":true,"seed":{seed}}}"#),
                )
            })
            .collect(),
        _ => bail!(
            "unknown kind {what}: expected hints, probes, standard, samples, samples8x8 or finds"
        ),
    })
}

fn post(path: &str, body: &str) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    (head + body).into_bytes()
}

fn samples(board: &str) -> Vec<Vec<u8>> {
    let of_seed = |seed| {
        let body = format!(r#"{{"board":"{board}","closed":true,"number":1,"seed":{seed}}}"#);
        post("/api/v1/tours/sample", &body)
    };
    (0..4).map(of_seed).collect()
}

/// A row of the English board as the server reads it: places that do not exist as underscores.
fn english(row: &str) -> String {
    match row.len() {
        7 if row.starts_with("..") && row.ends_with("..") => {
            format!("__{}", &row[2..5])
        }
        _ => row.to_owned(),
    }
}

/// Asks once and records the answer.
fn record(address: &str, bytes: Vec<u8>) -> anyhow::Result<Question> {
    let mut connection = connect(address)?;
    let (status, body) = ask(&mut connection, &bytes)?;
    let shown = String::from_utf8_lossy(&body);
    ensure!(
        status == 200,
        "the first answer has status {status}: {shown}"
    );
    Ok(Question {
        answer: without_cost(&body).to_vec(),
        bytes,
    })
}

/// The answer up to its version and cost, which come last.
fn without_cost(body: &[u8]) -> &[u8] {
    const COST: &[u8] = br#","version":""#;
    let at = body.windows(COST.len()).rposition(|part| part == COST);
    &body[..at.unwrap_or(body.len())]
}

fn connect(address: &str) -> anyhow::Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(address).with_context(|| format!("no server at {address}"))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(BufReader::new(stream))
}

fn client(address: &str, questions: &[Question], number: usize, end: Instant) -> Counts {
    let mut counts = Counts::default();
    let mut connection = None;
    let mut next = number;
    while Instant::now() < end {
        let Some(open) = connection.as_mut() else {
            connection = connect(address).ok();
            if connection.is_none() {
                counts.broken += 1;
                std::thread::sleep(Duration::from_millis(100));
            }
            continue;
        };
        let question = &questions[next % questions.len()];
        next += 1;
        let begin = Instant::now();
        let Ok((status, body)) = ask(open, &question.bytes) else {
            counts.broken += 1;
            connection = None;
            continue;
        };
        *counts.statuses.entry(status).or_default() += 1;
        match status {
            200 if without_cost(&body) == question.answer => {
                let time = begin.elapsed().as_micros();
                counts.times.push(u32::try_from(time).unwrap_or(u32::MAX));
            }
            200 => counts.wrong += 1,
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
    }
    counts
}

/// Sends a request and reads the status and body of its answer.
fn ask(connection: &mut BufReader<TcpStream>, bytes: &[u8]) -> anyhow::Result<(u16, Vec<u8>)> {
    connection.get_mut().write_all(bytes)?;
    let mut line = String::new();
    connection.read_line(&mut line)?;
    let status = line.split(' ').nth(1).context("no status")?.parse()?;
    let mut length = 0;
    loop {
        line.clear();
        ensure!(connection.read_line(&mut line)? > 0, "the connection ended");
        if line == "\r\n" {
            break;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(n) = lower.strip_prefix("content-length:") {
            length = n.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok((status, body))
}
