//! Input from outside: files, pipes and devices of which nothing is known, read within limits.
//!
//! - [`Input`]: bytes. Reading ends when the run is stopped, even while a pipe has nothing to give,
//!   and at a limit on the total;
//! - [`Lines`]: the lines of an input, as UTF-8, none longer than a limit, in memory taken from the
//!   run's budget;
//! - [`read_text`]: a whole text; [`read_older_text`]: the same where it may be ISO 8859-1.
//!
//! Every error names the input, and the line where there is one.
//!
//! ```
//! use everymove_kernel::input::{Input, Lines};
//! use everymove_kernel::run::Run;
//!
//! let run = Run::serial();
//! let input = Input::new("moves.txt", &b"a1 b3\r\nc5 d7"[..], &run);
//! let mut lines = Lines::new(input, 1 << 10);
//! assert_eq!(lines.next_line()?, Some("a1 b3"));
//! assert_eq!(lines.next_line()?, Some("c5 d7"));
//! assert_eq!(lines.next_line()?, None);
//! assert_eq!(lines.number(), 2);
//!
//! let endless = Input::new("endless", std::io::repeat(b'x'), &run);
//! let error = Lines::new(endless, 1 << 10).next_line().unwrap_err();
//! assert_eq!(error.to_string(), "endless, line 1 is longer than 1K");
//! # Ok::<(), everymove_kernel::input::InputError>(())
//! ```

mod error;
mod lines;
mod source;
#[cfg(test)]
mod tests;

pub use error::InputError;
pub use lines::{Lines, Text, decoded, read_older_text, read_text};
pub use source::Input;
