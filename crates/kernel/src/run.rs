//! What a running computation obeys and what it reports.
//!
//! A caller builds one [`Run`] and hands it down: the number of threads, the memory budget, the stop flag, and the
//! progress that a display reads from another thread while the work goes on. What the work cost is returned with the
//! result, as [`Work`].

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use thiserror::Error;

/// The frame of one computation. Clones share the stop flag, the budget and the progress.
#[derive(Clone, Debug)]
pub struct Run {
    /// How many threads may work.
    pub threads: NonZeroUsize,
    /// How much memory may be in use.
    pub ram: Ram,
    /// Raised to end the computation early.
    pub stop: Stop,
    /// Read by displays while the computation goes on.
    pub progress: Arc<Progress>,
}

impl Run {
    /// A run with the given number of threads (0 counts as 1) and memory budget.
    pub fn new(threads: usize, ram: Ram) -> Self {
        Self {
            threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
            ram,
            stop: Stop::default(),
            progress: Arc::default(),
        }
    }

    /// One thread, no limit on memory: what tests and examples want.
    pub fn serial() -> Self {
        Self::new(1, Ram::unlimited())
    }

    /// The same run (stop, budget, progress) with another number of threads.
    pub fn with_threads(&self, threads: usize) -> Self {
        Self {
            threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
            ..self.clone()
        }
    }
}

/// A flag that one thread raises and the workers look at now and then.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

/// The computation was stopped before it had its answer.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("stopped before the answer was complete")]
pub struct Stopped;

impl Stop {
    /// Asks every worker to end.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is up. One relaxed load: cheap enough for every few hundred nodes.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// `Err(Stopped)` once the flag is up.
    ///
    /// # Errors
    /// [`Stopped`] if the flag is up.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_raised() {
            Err(Stopped)
        } else {
            Ok(())
        }
    }
}

/// A memory budget with an account of what is reserved from it.
#[derive(Clone, Debug)]
pub struct Ram(Arc<Account>);

#[derive(Debug)]
struct Account {
    limit: u64,
    used: AtomicU64,
    peak: AtomicU64,
}

/// A computation does not fit its memory budget.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{what} needs at least {} of memory, but the budget is {}: give --ram {} or more", Bytes(*.need), Bytes(*.limit), Bytes(*.need))]
pub struct OverBudget {
    /// What asked for the memory.
    pub what: String,
    /// Bytes needed in all.
    pub need: u64,
    /// Bytes allowed.
    pub limit: u64,
}

impl Ram {
    /// A budget of `bytes`.
    pub fn limited(bytes: u64) -> Self {
        Self(Arc::new(Account {
            limit: bytes,
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
        }))
    }

    /// No limit.
    pub fn unlimited() -> Self {
        Self::limited(u64::MAX)
    }

    /// The budget in bytes.
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    /// Bytes reserved now.
    pub fn used(&self) -> u64 {
        self.0.used.load(Ordering::Relaxed)
    }

    /// Bytes that may still be reserved.
    pub fn left(&self) -> u64 {
        self.limit().saturating_sub(self.used())
    }

    /// The most bytes that were ever reserved at once.
    pub fn peak(&self) -> u64 {
        self.0.peak.load(Ordering::Relaxed)
    }

    /// Refuses work that will need `need` bytes beyond what is reserved, before it starts.
    ///
    /// # Errors
    /// [`OverBudget`] naming `what` if the budget has not that much left.
    pub fn require(&self, what: &str, need: u64) -> Result<(), OverBudget> {
        let need = self.used().saturating_add(need);
        if need <= self.limit() {
            return Ok(());
        }
        Err(OverBudget {
            what: what.to_owned(),
            need,
            limit: self.limit(),
        })
    }

    /// Takes `bytes` from the budget until the reservation is dropped.
    ///
    /// # Errors
    /// [`OverBudget`] naming `what` if the budget has not that much left; nothing is reserved then.
    pub fn reserve(&self, what: &str, bytes: u64) -> Result<Reservation, OverBudget> {
        let mut used = self.used();
        loop {
            let need = used.saturating_add(bytes);
            if need > self.limit() {
                return Err(OverBudget {
                    what: what.to_owned(),
                    need,
                    limit: self.limit(),
                });
            }
            match self.0.used.compare_exchange_weak(
                used,
                need,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => {
                    self.0.peak.fetch_max(need, Ordering::Relaxed);
                    return Ok(Reservation {
                        ram: self.clone(),
                        bytes,
                    });
                }
                Err(now) => used = now,
            }
        }
    }
}

/// Memory taken from a [`Ram`] budget; given back on drop.
#[derive(Debug)]
pub struct Reservation {
    ram: Ram,
    bytes: u64,
}

impl Reservation {
    /// How much is held, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.ram.0.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A number of bytes, written and read as people do: `512M`, `4G`, `1.5G`; powers of 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// A text that is not a size in bytes.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a size: expected a number with K, M, G or T, for example 512M or 4G")]
pub struct NotASize(String);

const UNITS: [(char, u64); 4] = [
    ('T', 1 << 40),
    ('G', 1 << 30),
    ('M', 1 << 20),
    ('K', 1 << 10),
];

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|&&(_, unit)| self.0 >= unit) {
            None => write!(f, "{}", self.0),
            Some(&(letter, unit)) => {
                let tenths = (u128::from(self.0) * 10).div_ceil(u128::from(unit));
                if tenths % 10 == 0 {
                    write!(f, "{}{letter}", tenths / 10)
                } else {
                    write!(f, "{}.{}{letter}", tenths / 10, tenths % 10)
                }
            }
        }
    }
}

impl FromStr for Bytes {
    type Err = NotASize;

    fn from_str(text: &str) -> Result<Self, NotASize> {
        let bad = || NotASize(text.to_owned());
        let upper = text.trim().to_ascii_uppercase();
        let body = upper
            .strip_suffix("IB")
            .or(upper.strip_suffix('B'))
            .unwrap_or(&upper);
        let unit = UNITS.iter().find(|&&(letter, _)| body.ends_with(letter));
        let (number, unit) = match unit {
            Some(&(letter, unit)) => (body.strip_suffix(letter).unwrap_or(body).trim_end(), unit),
            None => (body, 1),
        };
        let plain = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        if !plain(number) {
            return Err(bad());
        }
        let bytes = match number.parse::<u64>() {
            Ok(whole) => whole.checked_mul(unit).ok_or_else(bad)?,
            Err(_) => {
                let value = number.parse::<f64>().map_err(|_| bad())? * unit as f64;
                if value >= u64::MAX as f64 {
                    return Err(bad());
                }
                value as u64
            }
        };
        if bytes == 0 {
            Err(bad())
        } else {
            Ok(Self(bytes))
        }
    }
}

/// Where a computation stands; written by workers in batches, read by displays.
#[derive(Debug, Default)]
pub struct Progress {
    phase: Mutex<String>,
    done: AtomicU64,
    total: AtomicU64,
    work: AtomicU64,
}

/// One look at a [`Progress`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// What is being done, in words.
    pub phase: String,
    /// Parts of the phase that are done: jobs, layers, blocks.
    pub done: u64,
    /// Parts of the phase in all; 0 while unknown.
    pub total: u64,
    /// Units of work so far: nodes, states, transitions.
    pub work: u64,
}

impl Progress {
    /// Starts a phase of `total` parts (0 if unknown).
    pub fn start(&self, phase: impl Into<String>, total: u64) {
        *self.phase.lock().unwrap_or_else(|e| e.into_inner()) = phase.into();
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Says the phase in other words; its parts stay counted.
    pub fn rename(&self, phase: impl Into<String>) {
        *self.phase.lock().unwrap_or_else(|e| e.into_inner()) = phase.into();
    }

    /// Counts `parts` of the phase as done.
    pub fn advance(&self, parts: u64) {
        self.done.fetch_add(parts, Ordering::Relaxed);
    }

    /// Counts units of work; call it in batches, not per node.
    pub fn worked(&self, units: u64) {
        self.work.fetch_add(units, Ordering::Relaxed);
    }

    /// One look at everything.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            phase: self.phase.lock().unwrap_or_else(|e| e.into_inner()).clone(),
            done: self.done.load(Ordering::Relaxed),
            total: self.total.load(Ordering::Relaxed),
            work: self.work.load(Ordering::Relaxed),
        }
    }
}

/// What an answer cost, in units that do not depend on the machine: `nodes`, `states`, `transitions`, `bytes`.
///
/// The same question gives the same work for any number of threads unless a counter's documentation says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work(BTreeMap<&'static str, u64>);

impl Work {
    /// Work with a single counter.
    pub fn of(unit: &'static str, amount: u64) -> Self {
        let mut work = Self::default();
        work.add(unit, amount);
        work
    }

    /// Adds to a counter.
    pub fn add(&mut self, unit: &'static str, amount: u64) {
        *self.0.entry(unit).or_default() += amount;
    }

    /// Keeps the larger of a counter and `amount`, for peaks.
    pub fn at_least(&mut self, unit: &'static str, amount: u64) {
        let entry = self.0.entry(unit).or_default();
        *entry = (*entry).max(amount);
    }

    /// A counter's value, 0 if it was never touched.
    pub fn get(&self, unit: &str) -> u64 {
        self.0.get(unit).copied().unwrap_or(0)
    }

    /// All counters in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.0.iter().map(|(&unit, &amount)| (unit, amount))
    }

    /// Adds every counter of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (unit, amount) in other.iter() {
            self.add(unit, amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_budget_refuses_and_gives_back() {
        let ram = Ram::limited(10 << 20);
        let first = ram.reserve("first", 6 << 20).unwrap();
        let error = ram.reserve("a second table", 5 << 20).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a second table needs at least 11M of memory, but the budget is 10M: give --ram 11M or more"
        );
        assert!(ram.require("third", 5 << 20).is_err());
        drop(first);
        assert!(ram.require("third", 10 << 20).is_ok());
        assert_eq!((ram.used(), ram.peak()), (0, 6 << 20));
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let read = |text: &str| text.parse::<Bytes>().map(|b| b.0);
        assert_eq!(read("10M"), Ok(10 << 20));
        assert_eq!(read("4g"), Ok(4 << 30));
        assert_eq!(read("1.5GiB"), Ok(3 << 29));
        assert_eq!(read("64 KB"), Ok(64 << 10));
        assert_eq!(read("4096"), Ok(4096));
        for bad in [
            "",
            "G",
            "-1G",
            "4Q",
            "1e9",
            "inf",
            "0",
            "99999999999T",
            "1.2.3M",
            "4GG",
            "4 G G",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn stop_is_shared_by_clones() {
        let run = Run::serial();
        let other = run.with_threads(4);
        assert_eq!(other.stop.check(), Ok(()));
        run.stop.raise();
        assert_eq!(other.stop.check(), Err(Stopped));
    }

    #[test]
    fn work_adds_up() {
        let mut work = Work::of("nodes", 3);
        work.merge(&Work::of("nodes", 4));
        work.at_least("peak", 5);
        work.at_least("peak", 2);
        assert_eq!(work.iter().collect::<Vec<_>>(), [("nodes", 7), ("peak", 5)]);
    }

    proptest! {
        #[test]
        fn sizes_print_no_less_than_they_are(bytes in 1u64..1 << 50) {
            let shown = Bytes(bytes).to_string().parse::<Bytes>().unwrap().0;
            prop_assert!(shown + 1 >= bytes && shown as f64 <= bytes as f64 * 1.11 + 1.0);
        }
    }
}
