//! Windows.
#![expect(unsafe_code, reason = "functions of the system are called by address")]

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::FileExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command};
use std::ptr::null;

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::ProcessStatus::{GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Registry::{HKEY_LOCAL_MACHINE, RRF_RT_REG_SZ, RegGetValueW};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, GetCurrentProcess, GetProcessTimes,
};

pub(super) use super::plain::advise_large_pages;
pub use super::plain::{
    OPENS_PAGES, Reader, bound_to, file_limit, is_at, path_of_bytes, release_freed_memory,
    report_size_limit, return_large_buffers, write_part,
};
pub(crate) use super::plain::{
    forget_cached, open_any, open_stream, processors, standard_input, sync_folder, wait_for_input,
};

pub(super) fn advise_random_reads(_map: &memmap2::Mmap) {}

pub(crate) fn process_cpu_seconds() -> f64 {
    let mut times = [FILETIME::default(); 4];
    let [created, exited, kernel, user] = &mut times;
    // SAFETY: the four places live during the call.
    let done = unsafe { GetProcessTimes(GetCurrentProcess(), created, exited, kernel, user) };
    let seconds = |time: &FILETIME| {
        let ticks = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
        ticks as f64 * 1e-7
    };
    match done {
        0 => 0.0,
        _ => seconds(kernel) + seconds(user),
    }
}

pub(crate) fn peak_rss_bytes() -> Option<u64> {
    let mut counters = PROCESS_MEMORY_COUNTERS::default();
    let size = size_of_val(&counters) as u32;
    // SAFETY: the counters live during the call, and their size is given.
    let done = unsafe { GetProcessMemoryInfo(GetCurrentProcess(), &mut counters, size) };
    (done != 0).then_some(counters.PeakWorkingSetSize as u64)
}

fn memory() -> Option<MEMORYSTATUSEX> {
    let mut status = MEMORYSTATUSEX {
        dwLength: size_of::<MEMORYSTATUSEX>() as u32,
        ..MEMORYSTATUSEX::default()
    };
    // SAFETY: the status lives during the call and says its size.
    let done = unsafe { GlobalMemoryStatusEx(&mut status) };
    (done != 0).then_some(status)
}

pub(crate) fn free_memory_bytes() -> Option<u64> {
    Some(memory()?.ullAvailPhys)
}

pub(crate) fn memory_bytes() -> Option<u64> {
    Some(memory()?.ullTotalPhys)
}

/// Text as the system takes it, with a zero at the end.
fn wide(text: &std::ffi::OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}

pub(crate) fn processor() -> Option<String> {
    let key = wide(r"HARDWARE\DESCRIPTION\System\CentralProcessor\0".as_ref());
    let name = wide("ProcessorNameString".as_ref());
    let mut text = [0u16; 128];
    let mut bytes = size_of_val(&text) as u32;
    // SAFETY: the names end with zeros, and the place for the text lives during the call and has
    // the size that is given.
    let code = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key.as_ptr(),
            name.as_ptr(),
            RRF_RT_REG_SZ,
            std::ptr::null_mut(),
            text.as_mut_ptr().cast(),
            &mut bytes,
        )
    };
    let text = text.split(|&unit| unit == 0).next()?;
    let name = String::from_utf16_lossy(text).trim().to_owned();
    (code == 0 && !name.is_empty()).then_some(name)
}

pub(crate) fn free_disk_bytes(folder: &Path) -> Option<u64> {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let folder = wide(folder.as_os_str());
    let mut free = 0u64;
    let (all, rest) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the path ends with a zero, and the place for the number lives during the call; null
    // asks for nothing.
    let done = unsafe { GetDiskFreeSpaceExW(folder.as_ptr(), &mut free, all, rest) };
    (done != 0).then_some(free)
}

pub(crate) fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_read(bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => {
                bytes = &mut bytes[n..];
                at += n as u64;
            }
        }
    }
    Ok(())
}

pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_write(bytes, at)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            n => {
                bytes = &bytes[n..];
                at += n as u64;
            }
        }
    }
    Ok(())
}

/// A program that was started with all that it starts: a job of the system, which ends with its
/// last handle, and so with this process, however that ends.
#[derive(Debug)]
pub struct Group(Option<OwnedHandle>);

impl Group {
    /// Puts the program to be started into a group of its own, so that an interrupt from the
    /// terminal does not reach it.
    pub fn prepare(command: &mut Command) {
        command.creation_flags(CREATE_NEW_PROCESS_GROUP);
    }

    /// The group of a program that was started after [`prepare`](Self::prepare).
    pub fn of(child: &Child) -> Self {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // SAFETY: a job without a name; a handle that is not null is this process's own.
        let job = unsafe {
            let job = CreateJobObjectW(null(), null());
            if job.is_null() {
                return Self(None);
            }
            OwnedHandle::from_raw_handle(job)
        };
        // SAFETY: the limits live during the call, and both handles are open.
        let is_set = unsafe {
            SetInformationJobObject(
                job.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast::<c_void>(),
                size_of_val(&limits) as u32,
            ) != 0
                && AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) != 0
        };
        Self(is_set.then_some(job))
    }

    /// Kills the group of a child that has not been waited for yet.
    pub fn kill(&self, child: &mut Child) {
        if let Some(job) = &self.0 {
            // SAFETY: the handle is open.
            unsafe { TerminateJobObject(job.as_raw_handle(), 1) };
        }
        // An error means that it has ended.
        let _ = child.kill();
    }

    /// A write to a child that does not read its input waits here.
    ///
    /// # Errors
    /// None.
    pub fn set_nonblocking(_input: &ChildStdin) -> io::Result<()> {
        Ok(())
    }
}
