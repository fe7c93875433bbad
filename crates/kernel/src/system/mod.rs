//! All that differs between systems: one file for each, with the same functions.
//!
//! Where a system has no such thing, a question about the machine has the answer `None`, and advice
//! has no effect.

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(not(unix))]
mod plain;

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(any(unix, windows)), path = "wasm.rs")]
mod this;

#[cfg(not(target_family = "wasm"))]
use native as parts;
#[cfg(target_family = "wasm")]
use this as parts;

pub(crate) use parts::{Compressor, Decompressor, Map, process_id};
pub use parts::{split_paths, try_lock, try_lock_shared, with_stack};
pub use this::{
    Group, OPENS_PAGES, Reader, bound_to, file_limit, is_at, path_of_bytes, release_freed_memory,
    report_size_limit, return_large_buffers, write_part,
};
pub(crate) use this::{
    forget_cached, free_disk_bytes, free_memory_bytes, memory_bytes, open_any, open_stream,
    peak_rss_bytes, process_cpu_seconds, processor, processors, read_exact_at, standard_input,
    sync_folder, wait_for_input, write_all_at,
};

/// Asks the system to back memory with large pages (2 MiB on x86-64) when it is first written:
/// random accesses then need fewer translations of addresses. It has no effect but on time and on
/// the rounding of the memory in use. Memory that was written before keeps its pages.
///
/// ```
/// use everymove_kernel::system;
///
/// let mut table: Vec<u64> = Vec::with_capacity(1 << 20);
/// system::request_large_pages(table.spare_capacity_mut());
/// table.resize(1 << 20, 0);
/// ```
pub fn request_large_pages<T>(memory: &mut [T]) {
    const LARGE: usize = 2 << 20;
    let skipped = memory.as_mut_ptr().cast::<u8>().align_offset(LARGE);
    if let Some(rest) = size_of_val(memory).checked_sub(skipped) {
        this::advise_large_pages(memory, skipped, rest / LARGE * LARGE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_keeps_its_contents() {
        for n in [0, 1, 511, 512, 4096, 1 << 20] {
            let mut words: Vec<u64> = (0..n).collect();
            request_large_pages(&mut words);
            assert!(words.iter().copied().eq(0..n));
            let mut later: Vec<u64> = Vec::with_capacity(n as usize);
            request_large_pages(later.spare_capacity_mut());
            later.extend(0..n);
            assert!(later.into_iter().eq(0..n));
        }
    }
}
