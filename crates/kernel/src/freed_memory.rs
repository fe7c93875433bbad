//! Freed memory that the allocator keeps.

/// Returns freed memory to the system, as far as the allocator keeps whole pages of it for later.
///
/// After work with many buffers the allocator may hold half of their bytes although all were dropped, and memory that is reserved next
/// comes on top. Only for the C library of GNU; elsewhere it has no effect.
///
/// ```
/// let buffers: Vec<Vec<u8>> = (0..1000).map(|i| vec![1; 1000 + i]).collect();
/// drop(buffers);
/// everymove_kernel::freed_memory::release();
/// ```
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "a function of the C library")
)]
pub fn release() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function takes any number of bytes to keep, may be called by any thread at any time, and changes only memory that is free.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Bytes from which on [`return_large_buffers`] gives a buffer back at once.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: libc::c_int = 1 << 20;

/// Returns buffers of a megabyte or more to the system as soon as they are dropped, from here on and in the whole process.
///
/// Otherwise the allocator of the GNU C library learns from the first large buffers that are dropped to keep them, and smaller ones that are
/// placed in their gaps keep whole megabytes in use. It costs time to clear pages anew. Only for that library; elsewhere it has no effect.
#[cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "a function of the C library")
)]
pub fn return_large_buffers() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function may be called by any thread at any time, and changes only how later buffers are allocated.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
}
