//! An exchange of any type, seen as one type: the count is compiled once, in this crate.

use super::Exchange;
use crate::frontier::FrontierError;

/// The exchange of a count.
pub(super) type AnyExchange<'a> = dyn Exchange<Error = Ended> + 'a;

/// Why a count ends early.
#[derive(Debug)]
pub(super) enum Ended {
    /// The count failed.
    Count(FrontierError),
    /// The exchange failed; its link has the error.
    Exchange,
}

impl From<FrontierError> for Ended {
    fn from(error: FrontierError) -> Self {
        Self::Count(error)
    }
}

/// An exchange, and the error with which it ended.
pub(super) struct Link<'a, E: Exchange> {
    exchange: &'a mut E,
    error: Option<E::Error>,
}

impl<'a, E: Exchange> Link<'a, E> {
    /// The result of `work` with the exchange.
    pub(super) fn run<T>(
        exchange: &'a mut E,
        work: impl FnOnce(&mut AnyExchange<'_>) -> Result<T, Ended>,
    ) -> Result<T, E::Error> {
        let mut link = Link {
            exchange,
            error: None,
        };
        match work(&mut link) {
            Ok(done) => Ok(done),
            Err(Ended::Count(error)) => Err(error.into()),
            Err(Ended::Exchange) => Err(link.error.expect("the error of the exchange")),
        }
    }

    fn keep<T>(&mut self, result: Result<T, E::Error>) -> Result<T, Ended> {
        result.map_err(|error| {
            self.error = Some(error);
            Ended::Exchange
        })
    }
}

impl<E: Exchange> Exchange for Link<'_, E> {
    type Error = Ended;

    fn processes(&self) -> usize {
        self.exchange.processes()
    }

    fn process(&self) -> usize {
        self.exchange.process()
    }

    fn begin(&mut self) -> Result<(), Ended> {
        let begun = self.exchange.begin();
        self.keep(begun)
    }

    fn send(&mut self, to: usize, piece: &[u8]) -> Result<(), Ended> {
        let sent = self.exchange.send(to, piece);
        self.keep(sent)
    }

    fn end(&mut self) -> Result<Vec<Vec<u8>>, Ended> {
        let pieces = self.exchange.end();
        self.keep(pieces)
    }

    fn gather(&mut self, values: Vec<u64>) -> Result<Vec<Vec<u64>>, Ended> {
        let said = self.exchange.gather(values);
        self.keep(said)
    }
}
