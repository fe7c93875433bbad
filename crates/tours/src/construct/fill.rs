//! Writing the numbers of a mosaic, in parallel.

use std::ops::RangeInclusive;

use everymove_kernel::parallel;
use everymove_kernel::run::{Run, Stopped};

use super::joint::Side;
use super::mosaic::{Entry, Mosaic};
use super::tile::Tile;

/// Squares that one thread numbers at a time, at least.
const JOB: usize = 1 << 16;

/// A part of the board for one thread.
enum Job<'a> {
    /// Whole bands: the first, their number, their rows.
    Bands(usize, usize, &'a mut [u32]),
    /// A part of a band.
    Segment(Segment, Vec<&'a mut [u32]>),
}

/// Successive tiles of a chain.
struct Segment {
    band: usize,
    side: Side,
    /// The tile nearest to the spine, and its position in the tour.
    first: usize,
    entry: Entry,
    /// The columns of tiles.
    tiles: RangeInclusive<usize>,
}

/// The steps of all squares, the tour begun at step `shift` of the mosaic's.
pub(super) fn fill(mosaic: &Mosaic, shift: u64, run: &Run) -> Result<Vec<u32>, Stopped> {
    let squares = mosaic.rows * mosaic.cols;
    // Zeroed pages are mapped by the system when they are first written, so each thread maps its
    // own.
    let mut steps = vec![0; squares];
    let numbering = Numbering {
        mosaic,
        squares: squares as u64,
        shift,
    };
    let jobs = jobs(mosaic, &mut steps, run.threads.get());
    run.progress
        .start("numbering the squares", jobs.len() as u64);
    parallel::for_each(
        run,
        jobs,
        || (),
        |(), job| {
            numbering.fill(job);
            run.progress.advance(1);
        },
    )?;
    Ok(steps)
}

fn jobs<'a>(mosaic: &Mosaic, steps: &'a mut [u32], threads: usize) -> Vec<Job<'a>> {
    let heights = &mosaic.layout.bands;
    let widest = heights
        .iter()
        .max()
        .map_or(0, |height| height * mosaic.cols);
    let mut jobs = Vec::new();
    let mut rest = steps;
    if threads > 1 && heights.len() < 4 * threads && widest >= 2 * JOB {
        for (band, height) in heights.iter().enumerate() {
            let (rows, above) = rest.split_at_mut(height * mosaic.cols);
            rest = above;
            segments(mosaic, band, rows, &mut jobs);
        }
        return jobs;
    }
    let mut band = 0;
    while band < heights.len() {
        let mut squares = 0;
        let mut next = band;
        while next < heights.len() && squares < JOB {
            squares += heights[next] * mosaic.cols;
            next += 1;
        }
        let (rows, above) = rest.split_at_mut(squares);
        rest = above;
        jobs.push(Job::Bands(band, next - band, rows));
        band = next;
    }
    jobs
}

/// Cuts a band into segments.
fn segments<'a>(mosaic: &Mosaic, band: usize, rows: &'a mut [u32], jobs: &mut Vec<Job<'a>>) {
    let height = mosaic.layout.bands[band];
    let spine = mosaic.layout.root.1;
    let mut segments: Vec<Segment> = Vec::new();
    for side in [Side::Left, Side::Right] {
        let mut squares = usize::MAX;
        mosaic.walk_chain(band, side, |col, _, entry| {
            // The spine tile belongs to the right.
            if side == Side::Left && col == spine {
                return true;
            }
            match segments.last_mut() {
                Some(segment) if squares < JOB => {
                    segment.tiles = col.min(*segment.tiles.start())..=col.max(*segment.tiles.end());
                }
                _ => {
                    squares = 0;
                    segments.push(Segment {
                        band,
                        side,
                        first: col,
                        entry,
                        tiles: col..=col,
                    });
                }
            }
            squares += height * mosaic.layout.widths[col];
            true
        });
    }
    segments.sort_by_key(|segment| *segment.tiles.start());
    let mut parts: Vec<Vec<&mut [u32]>> = segments
        .iter()
        .map(|_| Vec::with_capacity(height))
        .collect();
    for mut row in rows.chunks_mut(mosaic.cols) {
        for (segment, part) in segments.iter().zip(&mut parts) {
            let width = mosaic.layout.widths[segment.tiles.clone()].iter().sum();
            let (mine, rest) = row.split_at_mut(width);
            row = rest;
            part.push(mine);
        }
    }
    jobs.extend(
        segments
            .into_iter()
            .zip(parts)
            .map(|(segment, part)| Job::Segment(segment, part)),
    );
}

struct Numbering<'m> {
    mosaic: &'m Mosaic,
    squares: u64,
    shift: u64,
}

impl Numbering<'_> {
    fn fill(&self, job: Job) {
        match job {
            Job::Bands(first, count, mut rows) => {
                let mosaic = self.mosaic;
                let spine = mosaic.layout.root.1;
                for band in first..first + count {
                    let height = mosaic.layout.bands[band];
                    let (mine, above) =
                        std::mem::take(&mut rows).split_at_mut(height * mosaic.cols);
                    rows = above;
                    let mut mine: Vec<&mut [u32]> = mine.chunks_mut(mosaic.cols).collect();
                    let mut put = |col: usize, path: &Tile, entry: Entry| {
                        self.tile(&mut mine, mosaic.lefts[col], (band, col), path, entry);
                        true
                    };
                    mosaic.walk_chain(band, Side::Right, &mut put);
                    mosaic.walk_chain(band, Side::Left, |col, path, entry| {
                        col == spine || put(col, path, entry)
                    });
                }
            }
            Job::Segment(segment, mut rows) => {
                let Segment {
                    band,
                    side,
                    first,
                    entry,
                    tiles,
                } = segment;
                let left = self.mosaic.lefts[*tiles.start()];
                let mut remaining = tiles.count();
                self.mosaic
                    .walk_on(band, first, entry, side, |col, path, entry| {
                        let at = self.mosaic.lefts[col] - left;
                        self.tile(&mut rows, at, (band, col), path, entry);
                        remaining -= 1;
                        remaining > 0
                    });
            }
        }
    }

    /// Numbers a tile whose first column is `at` in the given rows.
    fn tile(
        &self,
        rows: &mut [&mut [u32]],
        at: usize,
        (band, col): (usize, usize),
        path: &Tile,
        entry: Entry,
    ) {
        let width = path.shape.cols;
        let size = |side| self.mosaic.hanging(band, col, side);
        let numbered = path.steps.chunks(width);
        let rows = rows
            .iter_mut()
            .map(|row| &mut row[at..at + width])
            .zip(numbered);
        match self.two_parts(path, entry, size) {
            Some([early, late]) => {
                let after = path.sockets.first().map_or(u32::MAX, |socket| socket.after);
                for (row, local) in rows {
                    add(row, local, after, early, late);
                }
            }
            None => {
                for (row, local) in rows {
                    for (step, &local) in row.iter_mut().zip(local) {
                        let before = path.sockets.iter().filter(|socket| socket.after < local);
                        let before: u64 = before.map(|socket| size(socket.side)).sum();
                        *step = self.turned(entry.base + u64::from(local) + before) as u32;
                    }
                }
            }
        }
    }

    /// What to add (modulo 2^32) to the steps of a tile up to its only socket and to those after
    /// it; `None` if there are more sockets, or the tour begins inside.
    fn two_parts(&self, path: &Tile, entry: Entry, size: impl Fn(Side) -> u64) -> Option<[u32; 2]> {
        let last = path.shape.len() as u64 - 1;
        let (after, hanging) = match path.sockets[..] {
            [] => (last, 0),
            [socket] => (u64::from(socket.after), size(socket.side)),
            _ => return None,
        };
        let part = |base: u64, from: u64, to: u64| {
            let (first, end) = (base + from, base + to);
            let begins_inside = first < self.shift && self.shift <= end;
            (!begins_inside).then(|| (self.turned(first) as u32).wrapping_sub(from as u32))
        };
        let early = part(entry.base, 0, after)?;
        let late = if after == last {
            early
        } else {
            part(entry.base + hanging, after + 1, last)?
        };
        Some([early, late])
    }

    /// The step when the tour begins at the shift.
    fn turned(&self, step: u64) -> u64 {
        if step >= self.shift {
            step - self.shift
        } else {
            step + self.squares - self.shift
        }
    }
}

/// Adds `early` to the steps up to `after`, `late` to those beyond.
fn add(row: &mut [u32], local: &[u32], after: u32, early: u32, late: u32) {
    let number = |local: u32| local.wrapping_add(if local > after { late } else { early });
    // Nearly all tiles are eight wide: a length known beforehand becomes two vector operations.
    if let (Ok(row), Ok(local)) = (
        <&mut [u32; 8]>::try_from(&mut *row),
        <&[u32; 8]>::try_from(local),
    ) {
        for (step, &local) in row.iter_mut().zip(local) {
            *step = number(local);
        }
        return;
    }
    for (step, &local) in row.iter_mut().zip(local) {
        *step = number(local);
    }
}
