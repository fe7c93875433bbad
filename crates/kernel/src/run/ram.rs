//! The memory budget.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use super::bytes::Bytes;

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
#[error(
    "{what} needs at least {} of memory, but the budget is {}",
    Bytes(*.need).told_apart(Bytes(*.limit))[0],
    Bytes(*.need).told_apart(Bytes(*.limit))[1],
)]
pub struct OverBudget {
    /// What asked for the memory.
    pub what: String,
    /// Bytes needed in all.
    pub need: u64,
    /// Bytes allowed.
    pub limit: u64,
}

impl OverBudget {
    /// The same refusal of work that is known to need `need` bytes in all, where that is more: a
    /// computation that takes its memory piece by piece is refused over the first piece that
    /// does not fit.
    #[must_use]
    pub fn at_least(self, need: u64) -> Self {
        Self {
            need: self.need.max(need),
            ..self
        }
    }
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

    /// What the program itself occupies before it works on anything: its code, stacks and buffers.
    pub const PROGRAM: u64 = 12 << 20;

    /// A budget of `bytes` for a whole process, of which [`PROGRAM`](Self::PROGRAM) bytes are in
    /// use from the start.
    ///
    /// # Errors
    /// [`OverBudget`] if the budget is smaller than that.
    pub fn of_process(bytes: u64) -> Result<Self, OverBudget> {
        if bytes < Self::PROGRAM {
            return Err(OverBudget {
                what: "the program itself".to_owned(),
                need: Self::PROGRAM,
                limit: bytes,
            });
        }
        let ram = Self::limited(bytes);
        ram.0.used.store(Self::PROGRAM, Ordering::Relaxed);
        ram.0.peak.store(Self::PROGRAM, Ordering::Relaxed);
        Ok(ram)
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
        self.take(what, bytes)?;
        Ok(Reservation {
            ram: self.clone(),
            bytes,
        })
    }

    fn take(&self, what: &str, bytes: u64) -> Result<(), OverBudget> {
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
                    return Ok(());
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

    /// Makes it `bytes` in all, more or fewer than before.
    ///
    /// # Errors
    /// [`OverBudget`] naming `what` if the budget has not that much left; the reservation stays as
    /// it was then.
    pub fn resize(&mut self, what: &str, bytes: u64) -> Result<(), OverBudget> {
        match bytes.checked_sub(self.bytes) {
            Some(more) => self.ram.take(what, more)?,
            None => {
                let fewer = self.bytes - bytes;
                self.ram.0.used.fetch_sub(fewer, Ordering::Relaxed);
            }
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.ram.0.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_refuses_and_gives_back() {
        let ram = Ram::limited(10 << 20);
        let first = ram.reserve("first", 6 << 20).unwrap();
        let error = ram.reserve("a second table", 5 << 20).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a second table needs at least 11M of memory, but the budget is 10M"
        );
        assert!(ram.require("third", 5 << 20).is_err());
        let near = |need, limit| OverBudget {
            what: "a table".to_owned(),
            need,
            limit,
        };
        assert_eq!(error.clone().at_least(7 << 20).need, 11 << 20);
        assert_eq!(error.at_least(30 << 20).need, 30 << 20);
        // Each would read the same in the usual unit.
        assert_eq!(
            near((9700 << 20) + 1, 9700 << 20).to_string(),
            "a table needs at least 9701M of memory, but the budget is 9700M"
        );
        assert_eq!(
            near(1027, 1025).to_string(),
            "a table needs at least 1027 of memory, but the budget is 1025"
        );
        drop(first);
        assert!(ram.require("third", 10 << 20).is_ok());
        assert_eq!((ram.used(), ram.peak()), (0, 6 << 20));
    }

    #[test]
    fn a_reservation_grows_and_shrinks() {
        let ram = Ram::limited(100);
        let mut held = ram.reserve("a buffer", 10).unwrap();
        held.resize("a buffer", 90).unwrap();
        assert_eq!((held.bytes(), ram.used()), (90, 90));
        assert_eq!(held.resize("a buffer", 101).unwrap_err().need, 101);
        held.resize("a buffer", 20).unwrap();
        assert_eq!((held.bytes(), ram.used(), ram.peak()), (20, 20, 90));
        drop(held);
        assert_eq!(ram.used(), 0);
    }

    #[test]
    fn a_budget_for_a_process_includes_the_program() {
        let error = Ram::of_process(10).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the program itself needs at least 12M of memory, but the budget is 10"
        );
        assert!(
            Ram::of_process(Ram::PROGRAM)
                .unwrap()
                .reserve("work", 1)
                .is_err()
        );
        let ram = Ram::of_process(20 << 20).unwrap();
        assert_eq!(ram.left(), 8 << 20);
        assert_eq!(ram.require("work", 13 << 20).unwrap_err().need, 25 << 20);
    }
}
