//! `everymove engine uci`: the engine for chess programs.

use everymove_api as api;
use everymove_engine::{Options, uci as protocol};
use everymove_kernel::input::Input;
use everymove_kernel::run::Stopped;

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
        true => Err(api::Error::from(Stopped).into()),
        false => Ok(Outcome::Yes),
    }
}
