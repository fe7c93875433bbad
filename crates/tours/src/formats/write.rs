//! Writing tours.

use std::io::{self, Write};

use everymove_kernel::grid::Grid;

use super::json::Json;
use super::{Format, bin};
use crate::tour::Tour;

/// Bytes buffered before they are written.
const BUFFER: usize = 1 << 16;

/// Writes tours one after the other. The output is buffered here; call [`Writer::finish`] at the
/// end.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    format: Format,
    buffer: Vec<u8>,
    written: u64,
}

impl<W: Write> Writer<W> {
    /// A writer of tours in one format.
    pub fn new(out: W, format: Format) -> Self {
        Self {
            out,
            format,
            buffer: Vec::with_capacity(BUFFER + 64),
            written: 0,
        }
    }

    /// Writes a tour.
    ///
    /// # Errors
    /// When the output fails.
    ///
    /// # Panics
    /// In the formats `squares` and `csv-row`, if the tour is none: its step numbers must be 0 to
    /// n-1.
    pub fn write(&mut self, tour: &Tour) -> io::Result<()> {
        let separate = self.written > 0 && matches!(self.format, Format::Grid | Format::Csv);
        if separate {
            self.buffer.push(b'\n');
        }
        self.written += 1;
        match self.format {
            Format::Grid => self.grid(tour),
            Format::Csv => self.csv(tour),
            Format::Squares => self.squares(tour, b'-'),
            Format::CsvRow => self.squares(tour, b','),
            Format::Json => {
                self.flush()?;
                let mut out = io::BufWriter::with_capacity(BUFFER, &mut self.out);
                serde_json::to_writer(&mut out, &Json(tour))?;
                out.write_all(b"\n")?;
                out.flush()
            }
            Format::Bin => {
                self.flush()?;
                bin::write(&mut self.out, tour)
            }
        }
    }

    /// Writes what is still buffered and gives the output back.
    ///
    /// # Errors
    /// When the output fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        if self.format == Format::Bin && self.written > 0 {
            bin::write_end(&mut self.out, self.written)?;
        }
        self.out.flush()?;
        Ok(self.out)
    }

    fn grid(&mut self, tour: &Tour) -> io::Result<()> {
        let width = tour.board().playable().to_string().len();
        for row in rows_from_top(tour) {
            for (col, &step) in row.iter().enumerate() {
                if col > 0 {
                    self.buffer.push(b' ');
                }
                if step == Tour::HOLE {
                    self.pad(width - 1);
                    self.buffer.push(b'.');
                } else {
                    self.number(u64::from(step) + 1, width);
                }
                self.spill()?;
            }
            self.buffer.push(b'\n');
        }
        Ok(())
    }

    fn csv(&mut self, tour: &Tour) -> io::Result<()> {
        for row in rows_from_top(tour) {
            for (col, &step) in row.iter().enumerate() {
                if col > 0 {
                    self.buffer.push(b',');
                }
                match step {
                    // An empty line would end the tour.
                    Tour::HOLE if row.len() == 1 => self.buffer.push(b'.'),
                    Tour::HOLE => {}
                    step => self.number(u64::from(step) + 1, 0),
                }
                self.spill()?;
            }
            self.buffer.push(b'\n');
        }
        Ok(())
    }

    fn squares(&mut self, tour: &Tour, separator: u8) -> io::Result<()> {
        let mut order = vec![0u32; tour.board().playable()];
        for (square, &step) in tour.steps().iter().enumerate() {
            if step != Tour::HOLE {
                order[step as usize] = square as u32;
            }
        }
        let grid = tour.board().grid();
        for (step, &square) in order.iter().enumerate() {
            if step > 0 {
                self.buffer.push(separator);
            }
            self.name(grid, square as usize);
            self.spill()?;
        }
        self.buffer.push(b'\n');
        Ok(())
    }

    /// As [`Grid::name`], without a string of its own for each square.
    fn name(&mut self, grid: Grid, square: usize) {
        let (row, mut col) = grid.row_col(square);
        let from = self.buffer.len();
        loop {
            self.buffer.push(b'a' + (col % 26) as u8);
            if col < 26 {
                break;
            }
            col = col / 26 - 1;
        }
        self.buffer[from..].reverse();
        self.number(row as u64 + 1, 0);
    }

    /// A number, padded with blanks on the left to `width`.
    fn number(&mut self, mut number: u64, width: usize) {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.pad(width.saturating_sub(digits.len() - at));
        self.buffer.extend_from_slice(&digits[at..]);
    }

    fn pad(&mut self, blanks: usize) {
        self.buffer.extend(std::iter::repeat_n(b' ', blanks));
    }

    fn spill(&mut self) -> io::Result<()> {
        if self.buffer.len() < BUFFER {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

/// The rows of step numbers as a chess board is seen: the top one first.
pub(super) fn rows_from_top(tour: &Tour) -> impl Iterator<Item = &[u32]> {
    tour.steps().chunks(tour.board().grid().cols()).rev()
}
