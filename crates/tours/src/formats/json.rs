//! Tours as JSON objects.

use std::io::{self, BufReader, Read};

use everymove_kernel::grid::{Grid, Square};
use everymove_kernel::input::InputError;
use everymove_kernel::run::{Ram, Reservation, Run};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Serialize, Serializer};

use super::parsed::{self, Parsed};
use super::write::rows_from_top;
use super::{Hints, Place, ReadError};
use crate::board::{Board, Kind, Leaper};
use crate::tour::Tour;

/// A tour to be serialized as an object: `board` ("8x8"), `leaper` ("1,2") or `piece` (of a sum of
/// leapers, "WF"), `kind` ("open" or "closed"), `holes` (names), `start`, `end` (names) and `steps`
/// (rows from the top, numbers from 1, `null` for a hole).
#[derive(Clone, Copy, Debug)]
pub struct Json<'a>(pub &'a Tour);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tour = self.0;
        let board = tour.board();
        let name = |square| board.grid().name(square);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("board", &board.grid().to_string())?;
        let key = match board.leaper().legs() {
            [_] => "leaper",
            _ => "piece",
        };
        map.serialize_entry(key, &board.leaper().to_string())?;
        map.serialize_entry("kind", &tour.kind().to_string())?;
        let holes: Vec<String> = board.holes().iter().map(|&hole| name(hole)).collect();
        map.serialize_entry("holes", &holes)?;
        let last = board.playable() as u32 - 1;
        for (key, step) in [("start", 0), ("end", last)] {
            let square = tour.steps().iter().position(|&s| s == step);
            map.serialize_entry(key, &square.map(name))?;
        }
        map.serialize_entry("steps", &Rows(tour))?;
        map.end()
    }
}

struct Rows<'a>(&'a Tour);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.0.board().grid().rows()))?;
        for row in rows_from_top(self.0) {
            rows.serialize_element(&Row(row))?;
        }
        rows.end()
    }
}

struct Row<'a>(&'a [u32]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let printed = |&step: &u32| (step != Tour::HOLE).then(|| u64::from(step) + 1);
        serializer.collect_seq(self.0.iter().map(printed))
    }
}

/// What a reader takes: a tour, as `steps` or as `order` (a list of names), or any object that
/// holds tours as `tour` or `tours`; other fields are passed over.
#[derive(Deserialize)]
struct Object {
    board: Option<String>,
    leaper: Option<String>,
    piece: Option<String>,
    kind: Option<String>,
    holes: Option<Vec<String>>,
    steps: Option<Vec<Vec<Option<f64>>>>,
    order: Option<Vec<String>>,
    tour: Option<Box<Object>>,
    #[serde(default)]
    tours: Vec<Object>,
}

/// Bytes for each byte of JSON text: a cell of two bytes (`1,`) becomes an optional number of 16.
const BYTES_PER_BYTE: u64 = 8;

/// Reads all tours of a JSON text: objects one after the other, or lists of objects.
pub(super) fn read(text: &[u8], hints: &Hints, run: &Run) -> Result<Vec<Tour>, ReadError> {
    let objects = run
        .ram
        .reserve("reading the tours", BYTES_PER_BYTE * text.len() as u64)?;
    let mut tours = Tours::new(hints, &run.ram);
    let is_list = text.first() == Some(&b'[');
    let source = BufReader::with_capacity(1 << 16, Stoppable { text, run });
    let json = serde_json::Deserializer::from_reader(source);
    if is_list {
        for list in json.into_iter::<Vec<Object>>() {
            for object in list? {
                tours.collect(object)?;
            }
        }
    } else {
        for object in json.into_iter::<Object>() {
            tours.collect(object?)?;
        }
    }
    drop(objects);
    tours.all()
}

/// A text that ends with an error when the run is stopped.
struct Stoppable<'a> {
    text: &'a [u8],
    run: &'a Run,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.run.stop.check().map_err(InputError::from)?;
        self.text.read(buffer)
    }
}

/// The tours that were read, and the memory that they take while more are read.
pub(super) struct Tours<'a> {
    list: Vec<Tour>,
    held: Vec<Reservation>,
    hints: &'a Hints,
    ram: &'a Ram,
}

impl<'a> Tours<'a> {
    pub(super) fn new(hints: &'a Hints, ram: &'a Ram) -> Self {
        Self {
            list: Vec::new(),
            held: Vec::new(),
            hints,
            ram,
        }
    }

    pub(super) fn push(&mut self, tour: Tour) -> Result<(), ReadError> {
        let held = self.ram.reserve("reading the tours", tour.bytes())?;
        self.held.push(held);
        self.list.push(tour);
        Ok(())
    }

    /// All of them, at least one.
    pub(super) fn all(self) -> Result<Vec<Tour>, ReadError> {
        match self.list.is_empty() {
            true => Err(ReadError::Empty),
            false => Ok(self.list),
        }
    }

    fn collect(&mut self, object: Object) -> Result<(), ReadError> {
        if object.steps.is_some() || object.order.is_some() {
            let tour = tour(&object, self.hints, self.list.len() as u64 + 1, self.ram)?;
            self.push(tour)?;
        }
        let inner = object.tour.map(|tour| *tour).into_iter();
        inner
            .chain(object.tours)
            .try_for_each(|object| self.collect(object))
    }
}

fn tour(object: &Object, hints: &Hints, number: u64, ram: &Ram) -> Result<Tour, ReadError> {
    let problem = |problem: String| ReadError::Object { number, problem };
    let named = object
        .board
        .as_ref()
        .map(|text| text.parse::<Grid>())
        .transpose();
    let named = named.map_err(|error| problem(error.to_string()))?;
    let known = named.or(hints.board.as_ref().map(Board::grid));
    let leaper = match (&object.leaper, &object.piece) {
        (Some(legs), _) => Some(legs.parse()),
        (None, piece) => piece.as_deref().map(Leaper::piece),
    };
    let leaper = leaper.transpose();
    let leaper = leaper.map_err(|error| problem(error.to_string()))?;
    let kind = match object.kind.as_deref() {
        None => None,
        Some("open") => Some(Kind::Open),
        Some("closed") => Some(Kind::Closed),
        Some(other) => {
            return Err(problem(format!(
                "'{other}' is no kind: expected open or closed"
            )));
        }
    };
    let place = Place::Tour(number);
    let (grid, steps) = match (&object.steps, &object.order) {
        (Some(rows), _) => {
            let squares = rows.iter().map(Vec::len).sum::<usize>();
            ram.require("reading the tour", 4 * squares as u64)?;
            let (steps, cols) = flat(rows).map_err(problem)?;
            let (grid, steps) = parsed::from_rows(steps, cols, place)?;
            if let Some(named) = named
                && named != grid
            {
                return Err(problem(format!(
                    "the steps are of a {grid} board, but the field board is {named}"
                )));
            }
            (grid, steps)
        }
        (None, Some(order)) => {
            let names = order.iter().map(|name| name.as_bytes());
            parsed::from_names(names, known, place, ram)?
        }
        (None, None) => return Err(problem("neither steps nor order".to_owned())),
    };
    let holes = object.holes.as_ref().map(|holes| {
        let squares = holes.iter().map(|name| grid.parse_square(name));
        squares.collect::<Result<Vec<Square>, _>>()
    });
    let holes = holes
        .transpose()
        .map_err(|error| problem(error.to_string()))?;
    Parsed {
        grid,
        leaper,
        holes,
        kind,
        steps,
    }
    .complete(hints, place)
}

/// The steps of all rows as they are printed, and how many each row has.
fn flat(rows: &[Vec<Option<f64>>]) -> Result<(Vec<u32>, usize), String> {
    let cols = rows.first().map_or(0, Vec::len);
    let mut steps = Vec::with_capacity(rows.len() * cols);
    for row in rows {
        if row.len() != cols {
            return Err(format!(
                "a row of {} squares, but the first has {cols}",
                row.len()
            ));
        }
        for &cell in row {
            let step = cell.map_or(Some(Tour::HOLE), parsed::step);
            steps.push(step.ok_or_else(|| {
                let cell = cell.unwrap_or_default();
                format!(
                    "{cell} is not a step number: expected a number from 0 or 1 up, or null for a hole"
                )
            })?);
        }
    }
    Ok((steps, cols))
}
