//! Pointers that a C program passes: compared with null, then read or written.

use std::ffi::{CStr, c_char};

use crate::status::{Failure, Status};

fn null(what: &str) -> Failure {
    Failure::new(Status::BadArgument, format!("{what} is a null pointer"))
}

/// Borrows what a pointer points to; `what` names it in the error.
///
/// # Safety
/// The pointer is null, or points to a value that is not written to while the result is used.
pub(crate) unsafe fn borrow<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: by the condition of this function.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(what))
}

/// Writes a value to where a pointer points, without reading what was there.
///
/// # Safety
/// The pointer is null, or points to memory for a `T` that nothing else accesses now.
pub(crate) unsafe fn write<T>(pointer: *mut T, value: T, what: &str) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: not null, and by the condition of this function.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Writes values to an array.
///
/// # Safety
/// The pointer is null, or points to memory for as many `T` as there are values, which nothing else
/// accesses now.
pub(crate) unsafe fn write_all<T: Copy>(
    pointer: *mut T,
    values: &[T],
    what: &str,
) -> Result<(), Failure> {
    if values.is_empty() {
        return Ok(());
    }
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: not null, by the condition of this function, and memory that only the caller has does
    // not overlap ours.
    unsafe { pointer.copy_from_nonoverlapping(values.as_ptr(), values.len()) };
    Ok(())
}

/// Borrows a text that ends with a zero byte.
///
/// # Safety
/// The pointer is null, or points to bytes with a zero among them, which are not written to while
/// the result is used.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a CStr, Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: not null, and by the condition of this function.
    Ok(unsafe { CStr::from_ptr(pointer) })
}
