//! Values of many positions, one after the other, from tables whose files stay open.

use everymove_arena::fen::Epd;
use everymove_kernel::run::Run;
use everymove_tables::probe::read_position;
use everymove_tables::syzygy::Rounding;
use everymove_tables::{Tablebase, Value, Wanted};
use schemars::JsonSchema;
use serde::Serialize;
use shakmaty::Position;

use super::probe::{AtClock, TablesKind, ValueName, wanted};
use super::source::{Distance, SourceRequest, open};
use crate::error::{Error, ErrorKind};

/// The tables of a directory, from which positions are looked up one after the other by any number
/// of threads.
#[derive(Debug)]
pub(super) struct Positions {
    tables: Tablebase,
    wanted: Wanted,
    clock: bool,
}

/// The value of a position, one line of JSON.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct PositionValue {
    /// The position with its counters; the whole line if there is no value.
    pub fen: String,
    /// The kind of tables that was read; none for two kings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<TablesKind>,
    /// The value for the side to move, with a half-move clock of 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<ValueName>,
    /// Plies, in the field of the metric of the tables.
    #[serde(flatten)]
    pub distance: Distance,
    /// Whether the plies may be one too few, as in Syzygy files.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rounded: bool,
    /// The value with the half-move clock of the position, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_clock: Option<AtClock>,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Positions {
    /// Returns the tables of a request: Syzygy files, or those that the request names; `clock` asks
    /// for values with the half-move clock. Blocks of tables are cached within the memory
    /// budget of the run.
    ///
    /// # Errors
    /// [`Error`] if plies to mate are asked of Syzygy files.
    pub(super) fn new(
        source: &SourceRequest,
        syzygy: bool,
        clock: bool,
        run: &Run,
    ) -> Result<Self, Error> {
        Ok(Self {
            tables: open(Some(&source.folder()), None, run),
            wanted: wanted(source, syzygy, clock)?,
            clock,
        })
    }

    /// Returns the value of a position in FEN or EPD; one that is not legal or that no table has is
    /// answered with the reason.
    ///
    /// # Errors
    /// [`Error`] if a table cannot be read or is damaged.
    pub(super) fn value(&self, line: &str) -> Result<PositionValue, Error> {
        let epd = Epd::read(line).map_err(Error::field("fen"));
        let found = epd.and_then(|epd| self.find(&epd.fen));
        found.or_else(|error| match error.kind() {
            ErrorKind::Input => Ok(PositionValue {
                error: Some(error.to_string()),
                ..PositionValue::new(line)
            }),
            _ => Err(error),
        })
    }

    fn find(&self, fen: &str) -> Result<PositionValue, Error> {
        let position = read_position(fen).map_err(Error::field("fen"))?;
        let mut found = PositionValue::new(fen);
        if position.board().occupied().count() == 2 {
            found.value = Some(ValueName::Draw);
            found.at_clock = (self.clock).then(|| AtClock::draw(&position));
            return Ok(found);
        }
        let source = self.tables.source(&position, self.wanted);
        let source = source.map_err(Error::field("fen"))?;
        let (value, rounding) = self.tables.value(source, &position)?;
        found.distance = Distance::new(source.metric().into(), value.plies());
        found.tables = Some(source.into());
        found.value = Some(ValueName::new(value, source.metric()));
        found.rounded = rounding == Rounding::Rounded && value != Value::Draw;
        if self.clock {
            found.at_clock = Some(AtClock::of(&self.tables, source, &position)?);
        }
        Ok(found)
    }
}

impl PositionValue {
    fn new(fen: &str) -> Self {
        Self {
            fen: fen.to_owned(),
            ..Self::default()
        }
    }
}
