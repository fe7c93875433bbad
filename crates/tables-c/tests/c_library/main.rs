//! The C library: its functions called with good and bad arguments, and C programs that use it.

#![expect(unsafe_code, reason = "the functions of a C interface are called")]

mod arguments;
mod programs;
