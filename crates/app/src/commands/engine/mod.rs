//! The chess engine: for chess programs, and measured by itself.

pub(super) mod bench;
pub(super) mod datagen;
pub(super) mod perft;
pub(super) mod train;

use everymove_api as api;
use everymove_engine::{Options, uci as protocol};
use everymove_kernel::input::Input;

use crate::answer::Outcome;
use crate::failure::Failure;
use crate::session::Session;

/// Bytes of the engine with one thread and the smallest hash table, beside the program itself.
const MEMORY: u64 = 18 << 20;

/// `everymove engine uci`.
pub(super) fn uci(session: &Session) -> Result<Outcome, Failure> {
    let options = Options {
        threads: session.threads.first().copied().unwrap_or(1),
        ..Options::default()
    };
    let alone = Options {
        threads: 1,
        ..options.clone()
    };
    let more = options.bytes() - alone.bytes();
    let _held = (session.run.ram)
        .reserve("the engine", MEMORY + more)
        .map_err(api::Error::from)?;
    let input = Input::standard(&session.run).map_err(api::Error::from)?;
    protocol::serve_with(input.buffered(), session.out(), options, &session.run);
    match session.run.stop.is_raised() {
        true => Err(Failure::stopped("")),
        false => Ok(Outcome::Yes),
    }
}
