//! Unix; what only Linux or only the C library of GNU has is marked.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process_group};
use rustix::time::{ClockId, clock_gettime};

use crate::run::{Stop, Stopped};

/// The program that shows an address in the browser.
pub const OPENS_PAGES: &str = if cfg!(target_os = "macos") {
    "open"
} else {
    "xdg-open"
};

/// How often the stop flag is looked at while the process waits for others.
const EVERY: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 50_000_000,
};

pub(crate) fn process_cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

pub(crate) fn peak_rss_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

pub(crate) fn free_memory_bytes() -> Option<u64> {
    let system = field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    let number = |path: &str| -> Option<u64> { fs::read_to_string(path).ok()?.trim().parse().ok() };
    let container = number("/sys/fs/cgroup/memory.max").map(|max| {
        let used = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
        max.saturating_sub(used)
    });
    Some(container.map_or(system, |container| container.min(system)))
}

pub(crate) fn memory_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")
}

pub(crate) fn processor() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(target_os = "linux")]
pub(crate) fn processors() -> Vec<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let Ok(allowed) = sched_getaffinity(None) else {
        return Vec::new();
    };
    // `0,4` or `0-1`.
    let is_first = |processor: usize| {
        let path = format!("/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list");
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
pub(crate) fn processors() -> Vec<usize> {
    Vec::new()
}

/// Calls `start` while this thread is bound to `processors`, which a process that it starts
/// inherits with all its threads. Only for Linux; elsewhere no
/// [`processors`](crate::machine::processors) are named.
///
/// # Errors
/// What `start` or the system reports.
pub fn bound_to<T>(processors: &[usize], start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        let before = sched_getaffinity(None)?;
        let mut wanted = CpuSet::new();
        processors
            .iter()
            .for_each(|&processor| wanted.set(processor));
        sched_setaffinity(None, &wanted)?;
        let started = start();
        sched_setaffinity(None, &before)?;
        started
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = processors;
        start()
    }
}

/// A line such as `VmHWM:  1024 kB` of the files in `/proc`, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

pub(crate) fn free_disk_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

/// How many files may be open at once.
pub fn file_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Advises large pages for some bytes of a slice.
#[cfg_attr(
    target_os = "linux",
    expect(
        unsafe_code,
        reason = "advice about memory is a system call on an address"
    )
)]
pub(super) fn advise_large_pages<T>(memory: &mut [T], skipped: usize, bytes: usize) {
    #[cfg(target_os = "linux")]
    {
        assert!(skipped.saturating_add(bytes) <= size_of_val(memory));
        if bytes > 0 {
            use rustix::mm::{Advice, madvise};
            let begin = memory.as_mut_ptr().cast::<u8>();
            // SAFETY: the range lies within the slice, and this advice changes nothing that the
            // program can observe. A refusal (a system without large pages) leaves
            // everything as it was.
            let _ = unsafe { madvise(begin.add(skipped).cast(), bytes, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, skipped, bytes);
}

/// Returns freed memory to the system, as far as the allocator keeps whole pages of it for later.
///
/// After work with many buffers the allocator may hold half of their bytes although all were
/// dropped, and memory that is reserved next comes on top. Only for the C library of GNU; elsewhere
/// it has no effect.
///
/// ```
/// let buffers: Vec<Vec<u8>> = (0..1000).map(|i| vec![1; 1000 + i]).collect();
/// drop(buffers);
/// everymove_kernel::system::release_freed_memory();
/// ```
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "a function of the C library")
)]
pub fn release_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function takes any number of bytes to keep, may be called by any thread at any
    // time, and changes only memory that is free.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Returns buffers of a megabyte or more to the system as soon as they are dropped, from here on
/// and in the whole process.
///
/// Otherwise the allocator of the GNU C library learns from the first large buffers that are
/// dropped to keep them, and smaller ones that are placed in their gaps keep whole megabytes in
/// use. It costs time to clear pages anew. Only for that library; elsewhere it has no effect.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "a function of the C library")
)]
pub fn return_large_buffers() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function may be called by any thread at any time, and changes only how later
    // buffers are allocated.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
}

/// Lets writes beyond the limit on the size of files fail with an error, in place of a signal that
/// ends the process and leaves drafts. Programs call it when they start.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "a function of the C library")
)]
pub fn report_size_limit() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the signal is ignored, so no code of ours runs in a handler.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Opens whatever has the name for reading; a pipe without waiting for somebody who writes to it,
/// and then reads end at once where it has no bytes.
pub(crate) fn open_any(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits() as i32)
        .open(path)
}

/// Opens a pipe or a device for writing. Waits for a reader of the pipe, unless the process is
/// stopped.
pub(crate) fn open_stream(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK.bits() as i32;
    loop {
        let opened = File::options().write(true).custom_flags(flags).open(path);
        match opened {
            // Only a pipe may get a reader later.
            Err(error)
                if error.raw_os_error() == Some(Errno::NXIO.raw_os_error())
                    && fs::metadata(path)?.file_type().is_fifo() =>
            {
                Stop::of_process().check().map_err(io::Error::other)?;
                std::thread::sleep(Duration::from_millis(50));
            }
            other => {
                let file = other?;
                fcntl_setfl(&file, OFlags::empty())?;
                return Ok(file);
            }
        }
    }
}

pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(bytes, at)
}

pub(crate) fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.write_all_at(bytes, at)
}

/// Lets the system forget what it holds of a file in memory.
pub(crate) fn forget_cached(file: &File) {
    #[cfg(target_os = "linux")]
    // Only a request: a file system may have no way to follow it.
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed);
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}

/// Makes the names of a folder last.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// The bytes of a map will be looked at in no order.
pub(super) fn advise_random_reads(map: &memmap2::Mmap) {
    // Only advice: a system that does not take it reads more than it needs.
    let _ = map.advise(memmap2::Advice::Random);
}

/// Whether an open file is the one that a path names now.
pub fn is_at(file: &File, path: &Path) -> bool {
    let number = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (own, named) = (file.metadata().map(number), fs::metadata(path).map(number));
    matches!((own, named), (Ok(own), Ok(named)) if own == named)
}

/// A path as a program in C gives it.
pub fn path_of_bytes(bytes: &[u8]) -> Option<&OsStr> {
    Some(OsStr::from_bytes(bytes))
}

/// Standard input as a file that can be waited for.
pub(crate) fn standard_input() -> io::Result<Option<File>> {
    let descriptor: OwnedFd = io::stdin().as_fd().try_clone_to_owned()?;
    Ok(Some(File::from(descriptor)))
}

/// Waits until there is something to read (or the end, or an error) or the flag is raised.
pub(crate) fn wait_for_input(file: &File, stop: &Stop) -> Result<(), Stopped> {
    loop {
        stop.check()?;
        // What cannot be waited for is read at once, and says itself what is wrong.
        match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&EVERY)) {
            Ok(0) | Err(Errno::INTR) => {}
            _ => return Ok(()),
        }
    }
}

/// A stream to somebody who reads it.
pub trait Reader: Write + AsFd {}

impl<S: Write + AsFd> Reader for S {}

/// A pipe that polls as ready takes as many bytes at once (`PIPE_BUF`).
const AT_ONCE: usize = 4096;

/// Writes a part of `bytes` to a stream, and returns how many; waits for its reader until the flag
/// is raised.
///
/// # Errors
/// What the stream reports; [`Stopped`] if the flag was raised.
pub fn write_part(stream: &mut impl Reader, bytes: &[u8], stop: &Stop) -> io::Result<usize> {
    loop {
        let mut ready = [PollFd::new(stream, PollFlags::OUT)];
        match poll(&mut ready, Some(&EVERY)) {
            Ok(0) | Err(Errno::INTR) => stop.check().map_err(io::Error::other)?,
            // What cannot be waited for is written to at once, and reports itself what is wrong.
            _ => break,
        }
    }
    let part = &bytes[..bytes.len().min(AT_ONCE)];
    // The standard library's own buffer is emptied at once: its lines would wait for the reader.
    stream.write_all(part)?;
    stream.flush()?;
    Ok(part.len())
}

/// A program that was started with all that it starts.
#[derive(Debug)]
pub struct Group(Option<Pid>);

impl Group {
    /// Puts the program to be started into a group of its own, so that an interrupt from the
    /// terminal does not reach it.
    pub fn prepare(command: &mut Command) {
        command.process_group(0);
    }

    /// The group of a program that was started after [`prepare`](Self::prepare).
    pub fn of(child: &Child) -> Self {
        Self(i32::try_from(child.id()).ok().and_then(Pid::from_raw))
    }

    /// Kills the group of a child that has not been waited for yet.
    pub fn kill(&self, _child: &mut Child) {
        // An error means that the group has no process left.
        let _ = self.0.map(|pid| kill_process_group(pid, Signal::KILL));
    }

    /// Makes a write to a child that does not read its input fail with `WouldBlock` instead of
    /// waiting.
    ///
    /// # Errors
    /// What the system reports.
    pub fn set_nonblocking(input: &ChildStdin) -> io::Result<()> {
        let flags = fcntl_getfl(input)?;
        Ok(fcntl_setfl(input, flags | OFlags::NONBLOCK)?)
    }
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
}
