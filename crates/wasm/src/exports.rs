//! The functions that a page's worker calls, and the one that they call.
#![expect(unsafe_code, reason = "a page has no other way to call functions")]

use std::cell::{OnceCell, RefCell};

use crate::PageService;

/// The memory for one question, in bytes.
const RAM: u64 = 1 << 30;

#[link(wasm_import_module = "everymove")]
unsafe extern "C" {
    /// An event: its name and its JSON, both UTF-8.
    fn event(name: *const u8, name_length: usize, json: *const u8, json_length: usize);
}

thread_local! {
    static SERVICE: OnceCell<PageService> = const { OnceCell::new() };
    /// What is asked, then what was answered.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn tell(name: &str, json: &str) {
    // SAFETY: the page reads the two texts before it returns.
    unsafe { event(name.as_ptr(), name.len(), json.as_ptr(), json.len()) }
}

/// A buffer of `length` bytes: for the name of a command and its request, one after the other.
#[unsafe(no_mangle)]
extern "C" fn buffer(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// Answers what is in the buffer, of which the first `name` bytes are the command. Returns the
/// length of the answer, or of the problem, negated.
#[unsafe(no_mangle)]
extern "C" fn ask(name: usize) -> isize {
    let asked = BUFFER.take();
    let (command, request) = asked.split_at(name.min(asked.len()));
    let command = String::from_utf8_lossy(command);
    let answer = SERVICE.with(|service| {
        let service = service.get_or_init(|| PageService::new(RAM));
        service.answer(&command, request, tell)
    });
    let (bytes, sign) = match answer {
        Ok(answer) => (answer, 1),
        Err(problem) => (serde_json::to_vec(&problem).unwrap_or_default(), -1),
    };
    let length = bytes.len() as isize;
    BUFFER.set(bytes);
    sign * length
}

/// The place of the answer.
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    BUFFER.with_borrow(|buffer| buffer.as_ptr())
}
