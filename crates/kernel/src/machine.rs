//! What a computation costs and what the machine offers: clocks, memory, processor.
//!
//! Where a system does not tell, the answer is `None`, never a guess.

use std::path::Path;
use std::time::Instant;

use crate::system;

/// Started before some work, read after it.
///
/// ```
/// use everymove_kernel::machine::Meter;
///
/// let meter = Meter::start();
/// let sum: u64 = (0..1000).sum();
/// assert_eq!(sum, 499_500);
/// assert!(meter.wall_seconds() >= 0.0 && meter.cpu_seconds() >= 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    wall: Instant,
    cpu: f64,
}

impl Meter {
    /// Starts both clocks.
    pub fn start() -> Self {
        Self {
            wall: Instant::now(),
            cpu: process_cpu_seconds(),
        }
    }

    /// Seconds on the wall clock since the start.
    pub fn wall_seconds(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }

    /// Processor seconds, of all threads of the process together, since the start.
    pub fn cpu_seconds(&self) -> f64 {
        process_cpu_seconds() - self.cpu
    }
}

/// Processor seconds of all threads since the process began.
pub fn process_cpu_seconds() -> f64 {
    system::process_cpu_seconds()
}

/// The most memory the process ever had in RAM, in bytes.
pub fn peak_rss_bytes() -> Option<u64> {
    system::peak_rss_bytes()
}

/// Memory that could be used without pushing anything out, in bytes: what the system calls
/// available, or less in a container that is held shorter.
pub fn free_memory_bytes() -> Option<u64> {
    system::free_memory_bytes()
}

/// All memory of the machine, in bytes.
pub fn memory_bytes() -> Option<u64> {
    system::memory_bytes()
}

/// The processor as its maker names it.
pub fn processor() -> Option<String> {
    system::processor()
}

/// Threads that can run at the same time, at least 1.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The numbers of the processors that this process may use: the first one of each core, then the
/// others of cores that run several threads. Empty where the system does not tell.
pub fn processors() -> Vec<usize> {
    system::processors()
}

/// Bytes that may still be written where a folder is.
pub fn free_disk_bytes(folder: &Path) -> Option<u64> {
    system::free_disk_bytes(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn processors_are_those_of_the_process() {
        let mut processors = processors();
        let count = processors.len();
        processors.sort_unstable();
        processors.dedup();
        assert_eq!(processors.len(), count);
        // Fewer where the system limits the share of time.
        assert!(count >= cores());
    }

    #[test]
    fn work_takes_processor_time() {
        let meter = Meter::start();
        let mut x = 1u64;
        while meter.cpu_seconds() <= 0.0 {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        assert!(meter.cpu_seconds() > 0.0 && cores() >= 1);
        if let (Some(peak), Some(all)) = (peak_rss_bytes(), memory_bytes()) {
            assert!(peak > 0 && peak < all);
        }
    }
}
