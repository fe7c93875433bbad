//! `cargo xtask torture`: the program under random and hostile use.
//!
//! Random command lines over all subcommands, made from the help of each; hostile files for every
//! reader; interrupts at random moments; outputs that are closed or full; limits on memory and file
//! sizes; computations that are killed and resumed. What every try must keep:
//! - the program ends by itself, with exit code 0 to 3, and never panics or aborts;
//! - a refusal is a line that starts with `everymove: `, without control characters;
//! - the output of `--json` is JSON;
//! - an interrupt ends it soon;
//! - memory stays within `--ram`;
//! - what was killed and resumed gives the answer that it gives undisturbed.
//!
//! A try follows from the seed and its number alone: `--seed S --from N --tries 1` repeats it.

mod child;
mod commands;
mod files;
mod resume;
mod values;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use child::{Child, Treatment};
use values::Random;

/// What is asked for.
#[derive(Clone, Debug)]
struct Options {
    seconds: u64,
    seed: u64,
    from: u64,
    tries: u64,
    jobs: usize,
    /// How long a child may take to end after an interrupt.
    patience: Duration,
    /// The program; by default it is built.
    program: Option<PathBuf>,
}

impl Options {
    fn read(words: &[String]) -> anyhow::Result<Self> {
        let mut options = Self {
            seconds: 60,
            seed: 1,
            from: 0,
            tries: u64::MAX,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            patience: Duration::from_secs(5),
            program: None,
        };
        for pair in words.chunks(2) {
            let [name, value] = pair else {
                bail!("{} needs a value", pair[0]);
            };
            let number = || {
                value
                    .parse::<u64>()
                    .with_context(|| format!("{name} {value}"))
            };
            match name.as_str() {
                "--seconds" => options.seconds = number()?,
                "--seed" => options.seed = number()?,
                "--from" => options.from = number()?,
                "--tries" => options.tries = number()?,
                "--jobs" => options.jobs = number()?.max(1) as usize,
                "--patience" => options.patience = Duration::from_secs(number()?),
                "--program" => options.program = Some(std::path::absolute(value)?),
                _ => bail!(
                    "expected cargo xtask torture [--seconds N] [--seed S] [--from N] [--tries N] [--jobs N] \
                     [--patience SECONDS] [--program FILE]"
                ),
            }
        }
        Ok(options)
    }
}

/// A try that broke a rule.
struct Failure {
    number: u64,
    what: String,
    command: String,
}

/// Runs tries until the time is over; prints every failure with a command that repeats it.
pub(crate) fn run(
    words: &[String],
    built: impl FnOnce() -> anyhow::Result<PathBuf>,
) -> anyhow::Result<()> {
    let options = Options::read(words)?;
    let program = match &options.program {
        Some(program) => program.clone(),
        None => built()?,
    };
    let folder = tempfile::tempdir()?;
    let shapes = commands::read(&program)?;
    ensure!(!shapes.is_empty(), "{} has no commands", program.display());
    let corpus = files::corpus(&program, &folder.path().join("corpus"))?;
    println!(
        "torture: {} commands, {} files, seed {}",
        shapes.len(),
        corpus.len(),
        options.seed
    );

    let end = Instant::now() + Duration::from_secs(options.seconds);
    let next = AtomicU64::new(options.from);
    let last = options.from.saturating_add(options.tries);
    let (done, failures) = (AtomicU64::new(0), Mutex::new(Vec::<Failure>::new()));
    let work = |job: usize| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= last || Instant::now() >= end {
                return;
            }
            let place = Place {
                program: &program,
                folder: &folder.path().join(format!("job{job}")),
                corpus: &corpus,
                options: &options,
            };
            let failure = place.attempt(&shapes, number);
            done.fetch_add(1, Ordering::Relaxed);
            if let Some(failure) = failure {
                print(&failure, &options);
                failures
                    .lock()
                    .unwrap_or_else(|e| e.into_inner())
                    .push(failure);
            }
        }
    };
    std::thread::scope(|scope| {
        for job in 0..options.jobs {
            scope.spawn(move || work(job));
        }
    });
    let failures = failures.into_inner().unwrap_or_else(|e| e.into_inner());
    println!(
        "torture: {} tries, {} failures",
        done.into_inner(),
        failures.len()
    );
    ensure!(failures.is_empty(), "{} tries failed", failures.len());
    Ok(())
}

fn print(failure: &Failure, options: &Options) {
    println!(
        "try {} failed: {}\n  {}\n  again: cargo xtask torture --seed {} --from {} --tries 1",
        failure.number, failure.what, failure.command, options.seed, failure.number
    );
}

/// Where a try runs.
struct Place<'a> {
    program: &'a Path,
    /// The current directory of the children, empty before each try.
    folder: &'a Path,
    corpus: &'a [PathBuf],
    options: &'a Options,
}

impl Place<'_> {
    fn attempt(&self, shapes: &[commands::Shape], number: u64) -> Option<Failure> {
        let mut random = Random::new(self.options.seed, number);
        let failed = |what: String, command: String| Failure {
            number,
            what,
            command,
        };
        if let Err(error) = files::emptied(self.folder) {
            return Some(failed(
                format!("no folder to work in: {error}"),
                String::new(),
            ));
        }
        if random.one_in(50) {
            return resume::attempt(self, &mut random)
                .err()
                .map(|error| failed(format!("{error:#}"), "killed and resumed".into()));
        }
        let shape = random.pick(shapes);
        let hostile = files::hostile(self, &mut random);
        let values = values::Values {
            folder: self.folder,
            corpus: self.corpus,
            hostile: hostile.as_deref(),
        };
        let mut words = values.line(shape, &mut random);
        let treatment = Treatment::any(&mut random);
        if let Treatment::Memory { .. } = treatment {
            words.extend(["--threads", "4096", "--ram", "64M"].map(Into::into));
            words.dedup();
        }
        let child = Child {
            program: self.program,
            folder: self.folder,
            words,
            input: values.input(&mut random),
            treatment,
            patience: self.options.patience,
        };
        let broken = child.run().and_then(|ended| child.judge(&ended));
        broken.err().map(|what| failed(what, child.shown()))
    }
}
