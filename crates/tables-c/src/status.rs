//! Status codes, and the message of the last error of a thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use everymove_kernel::files::FileError;
use everymove_tables::TableError;

/// What a function returns. Anything but `EM_STATUS_OK` leaves the results unwritten;
/// `em_last_error` has the reason in words.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The results are written.
    Ok = 0,
    /// No table of the folders determines the value. Positions with castling rights are in no
    /// table.
    NoTable = 1,
    /// The position is not legal: kings missing, the side not to move in check, a pawn on the first
    /// or last rank.
    BadPosition = 2,
    /// A null pointer, a text that is not a FEN, or an array that is too small.
    BadArgument = 3,
    /// A table is damaged, or is not what its name says.
    Damaged = 4,
    /// The system could not read a file or a folder.
    Io = 5,
    /// A fault of this library.
    Internal = 6,
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    status: Status,
    message: String,
}

impl Failure {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
        }
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        let status = match &error {
            TableError::Missing { .. } => Status::NoTable,
            TableError::Position(_) => Status::BadPosition,
            TableError::File(FileError::Io { .. }) => Status::Io,
            TableError::File(_) | TableError::Wrong { .. } => Status::Damaged,
            _ => Status::Internal,
        };
        Self::new(status, error.to_string())
    }
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Runs the work of a call: an error, or a panic, becomes a status and a message.
pub(crate) fn answer(work: impl FnOnce() -> Result<(), Failure>) -> Status {
    // What a panic leaves half done is not seen again: caches of tables are only filled by whole
    // values.
    let failure = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return Status::Ok,
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new(Status::Internal, "a fault of the library"),
    };
    let message = CString::new(failure.message.replace('\0', "?")).unwrap_or_default();
    LAST_ERROR.set(message);
    failure.status
}

/// Returns the message of the last call of this thread that failed, in English, UTF-8; an empty
/// text if none has failed. It is valid until the next call that fails in the same thread, and must
/// not be freed.
#[unsafe(no_mangle)]
pub extern "C" fn em_last_error() -> *const c_char {
    LAST_ERROR.with_borrow(|message| message.as_ptr())
}

/// Returns the name of a status, for example "no table". It is valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn em_status_name(status: i32) -> *const c_char {
    let name = match status {
        0 => c"ok",
        1 => c"no table",
        2 => c"bad position",
        3 => c"bad argument",
        4 => c"damaged table",
        5 => c"input error",
        6 => c"internal error",
        _ => c"unknown status",
    };
    name.as_ptr()
}
