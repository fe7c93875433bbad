//! A hint to load a cache line before it is read.

/// Asks the processor to load the cache line of `place` into its nearest cache. It has no effect
/// but on time, and none at all on processors other than x86-64.
#[inline(always)]
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "a prefetch is an intrinsic")
)]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction belongs to SSE, which every x86-64 processor has, reads nothing
        // that the program can observe, and faults for no address; this one is that of a
        // live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
