//! Large pages of memory, where the system has them.

/// Asks the system to back memory with large pages (2 MiB on x86-64) when it is first written: random accesses then need fewer
/// translations of addresses. It has no effect but on time and on the rounding of the memory in use, and none at all where the system
/// does not offer it. Memory that was written before keeps its pages.
///
/// ```
/// use everymove_kernel::large_pages;
///
/// let mut table: Vec<u64> = Vec::with_capacity(1 << 20);
/// large_pages::request(table.spare_capacity_mut());
/// table.resize(1 << 20, 0);
/// ```
#[cfg_attr(
    target_os = "linux",
    expect(
        unsafe_code,
        reason = "advice about memory is a system call on an address"
    )
)]
pub fn request<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        const LARGE: usize = 2 << 20;
        let begin = memory.as_mut_ptr().cast::<u8>();
        let skipped = begin.align_offset(LARGE);
        let Some(rest) = size_of_val(memory).checked_sub(skipped) else {
            return;
        };
        let bytes = rest / LARGE * LARGE;
        if bytes > 0 {
            // SAFETY: the range lies within the slice, and this advice changes nothing that the program can observe. A refusal (a system
            // without large pages) leaves everything as it was.
            let _ = unsafe { madvise(begin.add(skipped).cast(), bytes, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_keeps_its_contents() {
        for n in [0, 1, 511, 512, 4096, 1 << 20] {
            let mut words: Vec<u64> = (0..n).collect();
            request(&mut words);
            assert!(words.iter().copied().eq(0..n));
            let mut later: Vec<u64> = Vec::with_capacity(n as usize);
            request(later.spare_capacity_mut());
            later.extend(0..n);
            assert!(later.into_iter().eq(0..n));
        }
    }
}
