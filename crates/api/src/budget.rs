//! Threads and memory of a run where a person left them open, and the limits of what may be given.

use std::path::Path;

use everymove_kernel::machine;
use everymove_kernel::run::Bytes;

use crate::error::Error;

/// More threads than this are taken for a typing error.
const MOST_THREADS: usize = 4096;

/// More threads than this for each core are not started: they would only wait.
const THREADS_PER_CORE: usize = 8;

/// The budget in bytes where the system does not report its free memory.
const UNKNOWN_MEMORY: u64 = 2 << 30;

/// Checks a number of threads.
///
/// # Errors
/// If it is 0 or above 4096; the field is `threads`.
pub fn check_threads(number: usize) -> Result<(), Error> {
    match number {
        1..=MOST_THREADS => Ok(()),
        _ => {
            let line = format!("cannot use {number} threads: expected 1 to {MOST_THREADS}");
            Err(Error::message(Some("threads"), line))
        }
    }
}

/// The threads that are started where this many are wanted: at most eight for each core.
pub fn useful_threads(number: usize) -> usize {
    number.min(THREADS_PER_CORE * machine::cores())
}

/// The threads of a run: those that were given, as far as they are useful, otherwise one for each
/// core.
///
/// # Errors
/// As [`check_threads`].
pub fn threads(given: Option<usize>) -> Result<usize, Error> {
    let number = given.unwrap_or_else(machine::cores);
    check_threads(number)?;
    Ok(useful_threads(number))
}

/// The memory budget of a run in bytes: the given amount, such as `512M`, otherwise half of the
/// free memory.
///
/// # Errors
/// If the text is no amount of memory; the field is `ram`.
pub fn ram(given: Option<&str>) -> Result<u64, Error> {
    match given {
        Some(text) => Ok(text.parse::<Bytes>().map_err(Error::field("ram"))?.0),
        None => Ok(usual_ram()),
    }
}

/// A number of bytes that a field may hold, such as `20G`.
///
/// # Errors
/// If the text is no size.
pub(crate) fn size(field: &'static str, text: Option<&str>) -> Result<Option<u64>, Error> {
    let bytes = text.map(str::parse::<Bytes>).transpose();
    let bytes = bytes.map_err(|e| Error::input(Some(field), e))?;
    Ok(bytes.map(|bytes| bytes.0))
}

/// The bytes of disk that files may take: those given, else half of what is free where the folder
/// is or will be; none without a folder.
///
/// # Errors
/// As [`size`]; the field is `disk`.
pub(crate) fn disk(text: Option<&str>, folder: Option<&Path>) -> Result<u64, Error> {
    let free = |folder: &Path| {
        // A folder that is not there yet is made in the first of its parents that is.
        let parents = folder
            .ancestors()
            .map(|path| match path.as_os_str().is_empty() {
                true => Path::new("."),
                false => path,
            });
        let mut free = parents.filter_map(machine::free_disk_bytes);
        free.next().map_or(u64::MAX, |free| free / 2)
    };
    Ok(size("disk", text)?.unwrap_or_else(|| folder.map_or(0, free)))
}

/// The memory budget in bytes where none is given: half of the free memory.
pub fn usual_ram() -> u64 {
    machine::free_memory_bytes().map_or(UNKNOWN_MEMORY, |free| free / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_limited_by_the_cores() {
        assert_eq!(threads(Some(1)).unwrap(), 1);
        assert_eq!(threads(None).unwrap(), machine::cores());
        assert_eq!(threads(Some(4096)).unwrap(), useful_threads(4096));
        assert!(useful_threads(4096) <= 8 * machine::cores());
        for number in [0, 4097] {
            assert_eq!(
                threads(Some(number)).unwrap_err().wrong_field(),
                Some("threads")
            );
        }
    }

    #[test]
    fn memory_is_read_with_its_unit() {
        assert_eq!(ram(Some("512M")).unwrap(), 512 << 20);
        assert_eq!(ram(Some("much")).unwrap_err().wrong_field(), Some("ram"));
        assert!(ram(None).unwrap() > 0);
    }

    #[test]
    fn disk_is_that_of_the_folder_unless_given() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("not/there");
        assert_eq!(disk(Some("3M"), Some(&new)).unwrap(), 3 << 20);
        assert_eq!(disk(None, None).unwrap(), 0);
        assert!(disk(None, Some(&new)).unwrap() > 0);
        assert!(disk(None, Some(Path::new("not-there"))).unwrap() > 0);
        let wrong = disk(Some("much"), None).unwrap_err();
        assert_eq!(wrong.wrong_field(), Some("disk"));
    }
}
