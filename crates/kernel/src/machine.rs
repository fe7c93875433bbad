//! What a computation costs and what the machine offers: clocks, memory, processor.
//!
//! Where a system does not tell, the answer is `None`, never a guess.

use std::fs;
use std::path::Path;
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

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
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The most memory the process ever had in RAM, in bytes.
pub fn peak_rss_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// Memory that could be used without pushing anything out, in bytes: what the system calls available, or less in a
/// container that is held shorter.
pub fn free_memory_bytes() -> Option<u64> {
    let system = field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    let number = |path: &str| -> Option<u64> { fs::read_to_string(path).ok()?.trim().parse().ok() };
    let container = number("/sys/fs/cgroup/memory.max").map(|max| {
        let used = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
        max.saturating_sub(used)
    });
    Some(container.map_or(system, |container| container.min(system)))
}

/// All memory of the machine, in bytes.
pub fn memory_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")
}

/// The processor as its maker names it.
pub fn processor() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Threads that can run at the same time, at least 1.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The numbers of the processors that this process may use: the first one of each core, then the others of cores that run several threads.
/// Empty where the system does not tell.
pub fn processors() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity};
        let Ok(allowed) = sched_getaffinity(None) else {
            return Vec::new();
        };
        // `0,4` or `0-1`.
        let is_first = |processor: usize| {
            let path =
                format!("/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list");
            fs::read_to_string(path).map_or(true, |text| {
                let mut numbers = text.split(|c: char| !c.is_ascii_digit());
                numbers.next().and_then(|text| text.parse().ok()) == Some(processor)
            })
        };
        let all = (0..CpuSet::MAX_CPU).filter(|&processor| allowed.is_set(processor));
        let (first, others): (Vec<_>, Vec<_>) = all.partition(|&processor| is_first(processor));
        [first, others].concat()
    }
    #[cfg(not(target_os = "linux"))]
    {
        Vec::new()
    }
}

/// Bytes that may still be written where a folder is.
pub fn free_disk_bytes(folder: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let found = rustix::fs::statvfs(folder).ok()?;
        found.f_bavail.checked_mul(found.f_frsize)
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// A line such as `VmHWM:  1024 kB` of the files in `/proc`, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_bytes() {
        let text = "VmPeak:\t  99 kB\nVmHWM:\t  12 kB\nVmRSS: 7 MB\n";
        assert_eq!(field(text, "VmHWM:"), Some(12 * 1024));
        assert_eq!(field(text, "VmRSS:"), None);
        assert_eq!(field(text, "Swap:"), None);
    }

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
