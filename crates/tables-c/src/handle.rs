//! Folders of tables, opened and closed.

use std::ffi::{CStr, c_char};
use std::path::PathBuf;

use everymove_kernel::system;
use everymove_tables::{Tablebase, search_path};

use crate::pointers;
use crate::status::{Failure, Status, answer};

/// The tables of some folders. Files are opened on first use and stay open; blocks that were
/// decoded are cached.
pub struct CTables {
    pub(crate) tables: Tablebase,
}

/// Opens the tables of folders, whose names are separated as in the variable PATH of the system (by
/// `:` on Linux), into `*tables`. Files of both kinds are used, everymove's own (.dtm, .dtz,
/// .dtm50) and Syzygy's (.rtbw, .rtbz); those that are added later are missed. Captures
/// lead into smaller endings, whose files must be there too. A folder without tables is no error:
/// see `em_largest`. `*tables` is null after a failure.
///
/// # Safety
/// `folders` is null or points to a text that ends with a zero byte, `tables` is null or points to
/// memory for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn em_open(folders: *const c_char, tables: *mut *mut CTables) -> Status {
    answer(|| {
        // SAFETY: by the condition of this function.
        unsafe { pointers::write(tables, std::ptr::null_mut(), "tables") }?;
        // SAFETY: by the condition of this function.
        let folders = paths(unsafe { pointers::text(folders, "folders") }?)?;
        let (found, [unreadable, _]) = Tablebase::open(&folders, &folders);
        if let Some(error) = unreadable.into_iter().next() {
            return Err(error.into());
        }
        let handle = Box::into_raw(Box::new(CTables { tables: found }));
        // SAFETY: by the condition of this function.
        unsafe { pointers::write(tables, handle, "tables") }
    })
}

/// Closes tables and frees their memory. Null is allowed.
///
/// # Safety
/// `tables` is null or comes from `em_open` and is not used any more, by any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn em_close(tables: *mut CTables) {
    if !tables.is_null() {
        let close = || {
            // SAFETY: the pointer comes from `Box::into_raw` in `em_open`, and nothing else uses
            // it.
            drop(unsafe { Box::from_raw(tables) });
            Ok(())
        };
        // Nobody waits for a status here.
        let _ = answer(close);
    }
}

/// Returns the most pieces, kings included, of an ending that the folders had a table of when they
/// were opened; 0 if there was none, or if `tables` is null.
///
/// # Safety
/// `tables` is null or comes from `em_open`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn em_largest(tables: *const CTables) -> u32 {
    // SAFETY: by the condition of this function.
    let tables = unsafe { pointers::borrow(tables, "tables") };
    tables.map_or(0, |tables| tables.tables.most_pieces() as u32)
}

/// The folders of a list.
fn paths(list: &CStr) -> Result<Vec<PathBuf>, Failure> {
    let list = system::path_of_bytes(list.to_bytes())
        .ok_or_else(|| Failure::new(Status::BadArgument, "the folders are not UTF-8"))?;
    Ok(search_path(list))
}
