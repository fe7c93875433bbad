//! Boards of any size as a mosaic of tiles, numbered in parallel.
//!
//! The tiles form a tree: a spine of one tile in each band of rows, and from each spine tile a
//! chain to the right and one to the left. The step numbers of a tile depend only on its first step
//! and its direction, and those follow from the sizes of the subtrees on the way from the root: so
//! the work is linear and every part of the board can be numbered by itself. For 10^8 squares that
//! is a third of a second (Parberry's divide and conquer is linear as well).

use std::collections::HashMap;

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::{Run, Stopped};

use super::joint::{Joint, Shape, Side};
use super::tile::{self, Origin, Role, Tile};

/// How many different tiles of each role are used, so that a tour looks irregular.
const VARIANTS: usize = 4;
/// Nodes for one tile; they are found in hundreds.
const TILE_NODES: u64 = 200_000;

/// How a board is cut, and where the tour begins.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Heights of the bands of rows, from below.
    pub(super) bands: Vec<usize>,
    /// Widths of the columns of tiles, from the left.
    pub(super) widths: Vec<usize>,
    /// The band and the column of the root.
    pub(super) root: (usize, usize),
    /// What the root is: [`Origin::Closed`] or [`Origin::Open`] with squares of the root tile.
    pub(super) origin: Origin,
    pub(super) joint: Joint,
    pub(super) seed: u64,
    /// Nodes that the search for the root may take; it may be larger than other tiles.
    pub(super) root_nodes: u64,
}

/// A tile with both directions of its path.
struct Variant {
    forward: Tile,
    backward: Tile,
}

/// The position of a tile in the tour: its first step, and whether it is entered at x.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) base: u64,
    pub(super) forward: bool,
}

/// A layout with all its tiles found: ready to be numbered.
pub(super) struct Mosaic {
    pub(super) layout: Layout,
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// The first column of each column of tiles.
    pub(super) lefts: Vec<usize>,
    /// The first row of each band.
    pub(super) bottoms: Vec<usize>,
    /// All tiles, each in its variants.
    tiles: Vec<Vec<Variant>>,
    /// Bands of a height are alike off the spine: the kind of each band.
    kinds: Vec<u32>,
    /// The tiles off the spine by kind of band, then by column.
    chain_tiles: Vec<Vec<u32>>,
    /// The tile of each band on the spine.
    spine_tiles: Vec<u32>,
    /// The position of each band's spine tile.
    pub(super) spine: Vec<Entry>,
}

impl Mosaic {
    /// Finds the tiles of a layout; `None` if one of them was not found.
    pub(super) fn new(layout: Layout, run: &Run, nodes: &mut u64) -> Result<Option<Self>, Stopped> {
        let starts = |sizes: &[usize]| {
            let sums = sizes.iter().scan(0, |sum, &size| {
                *sum += size;
                Some(*sum - size)
            });
            sums.collect::<Vec<_>>()
        };
        let mut mosaic = Self {
            rows: layout.bands.iter().sum(),
            cols: layout.widths.iter().sum(),
            lefts: starts(&layout.widths),
            bottoms: starts(&layout.bands),
            tiles: Vec::new(),
            kinds: Vec::new(),
            chain_tiles: Vec::new(),
            spine_tiles: Vec::new(),
            spine: Vec::new(),
            layout,
        };
        if !mosaic.find_tiles(run, nodes)? {
            return Ok(None);
        }
        mosaic.walk_the_spine();
        Ok(Some(mosaic))
    }

    /// What the tile of a band and a column of tiles must be.
    fn role(&self, band: usize, col: usize) -> Role {
        let Layout {
            bands,
            widths,
            root,
            origin,
            ..
        } = &self.layout;
        let shape = Shape {
            rows: bands[band],
            cols: widths[col],
        };
        let mut sockets = 0;
        if col >= root.1 && col + 1 < widths.len() {
            sockets |= Side::Right.bit();
        }
        if col <= root.1 && col > 0 {
            sockets |= Side::Left.bit();
        }
        if col == root.1 && band >= root.0 && band + 1 < bands.len() {
            sockets |= Side::Up.bit();
        }
        if col == root.1 && band <= root.0 && band > 0 {
            sockets |= Side::Down.bit();
        }
        let from = if col != root.1 {
            Origin::Side(if col > root.1 {
                Side::Left
            } else {
                Side::Right
            })
        } else if band != root.0 {
            Origin::Side(if band > root.0 { Side::Down } else { Side::Up })
        } else {
            *origin
        };
        Role {
            shape,
            from,
            sockets,
        }
    }

    /// Finds a tile for each role that occurs; whether all were found.
    fn find_tiles(&mut self, run: &Run, nodes: &mut u64) -> Result<bool, Stopped> {
        let mut found: HashMap<Role, Option<u32>> = HashMap::new();
        let mut previous = None;
        let mut tile_at =
            |mosaic: &mut Self, place: (usize, usize)| -> Result<Option<u32>, Stopped> {
                let role = mosaic.role(place.0, place.1);
                if let Some((same, tile)) = previous
                    && same == role
                {
                    return Ok(tile);
                }
                let tile = match found.get(&role) {
                    Some(&tile) => tile,
                    None => {
                        let variants = mosaic.find_variants(&role, run, nodes)?;
                        let tile = variants.map(|variants| {
                            mosaic.tiles.push(variants);
                            mosaic.tiles.len() as u32 - 1
                        });
                        found.insert(role, tile);
                        tile
                    }
                };
                previous = Some((role, tile));
                Ok(tile)
            };
        // The root first: if any tile is missing, it is that.
        let root = self.layout.root;
        if tile_at(self, root)?.is_none() {
            return Ok(false);
        }
        for band in 0..self.bottoms.len() {
            let Some(tile) = tile_at(self, (band, root.1))? else {
                return Ok(false);
            };
            self.spine_tiles.push(tile);
        }
        let mut heights: Vec<usize> = Vec::new();
        for band in 0..self.bottoms.len() {
            let height = self.layout.bands[band];
            let kind = heights.iter().position(|&other| other == height);
            self.kinds.push(kind.unwrap_or(heights.len()) as u32);
            if kind.is_some() {
                continue;
            }
            heights.push(height);
            let mut tiles = Vec::with_capacity(self.lefts.len());
            for col in 0..self.lefts.len() {
                let on_spine = col == root.1;
                let tile = if on_spine {
                    Some(0)
                } else {
                    tile_at(self, (band, col))?
                };
                let Some(tile) = tile else {
                    return Ok(false);
                };
                tiles.push(tile);
            }
            self.chain_tiles.push(tiles);
        }
        Ok(true)
    }

    fn find_variants(
        &self,
        role: &Role,
        run: &Run,
        nodes: &mut u64,
    ) -> Result<Option<Vec<Variant>>, Stopped> {
        let is_root = !matches!(role.from, Origin::Side(_));
        let (count, limit) = if is_root {
            (1, self.layout.root_nodes)
        } else {
            (VARIANTS, TILE_NODES)
        };
        let mut variants = Vec::with_capacity(count);
        for variant in 0..count as u64 {
            let seed = mix(self.layout.seed, variant, 0);
            let joint = &self.layout.joint;
            let Some(forward) = tile::find(role, joint, seed, limit, &run.stop, nodes)? else {
                return Ok(None);
            };
            let backward = forward.reversed();
            variants.push(Variant { forward, backward });
        }
        Ok(Some(variants))
    }

    /// How many squares hang on a socket of the tile.
    pub(super) fn hanging(&self, band: usize, col: usize, side: Side) -> u64 {
        let height = self.layout.bands[band];
        let squares = match side {
            Side::Right => height * (self.cols - self.lefts[col] - self.layout.widths[col]),
            Side::Left => height * self.lefts[col],
            Side::Up => (self.rows - self.bottoms[band] - height) * self.cols,
            Side::Down => self.bottoms[band] * self.cols,
        };
        squares as u64
    }

    /// The path of a tile as it is entered.
    pub(super) fn path(&self, band: usize, col: usize, entry: Entry) -> &Tile {
        let tile = if col == self.layout.root.1 {
            self.spine_tiles[band]
        } else {
            self.chain_tiles[self.kinds[band] as usize][col]
        };
        let variants = &self.tiles[tile as usize];
        let pick = mix(self.layout.seed, band as u64, col as u64) as usize % VARIANTS;
        let variant = &variants[pick % variants.len()];
        if entry.forward {
            &variant.forward
        } else {
            &variant.backward
        }
    }

    /// How the neighbour on `side` is entered; `sizes` are the squares that hang on the sockets of
    /// `path`.
    pub(super) fn child(
        path: &Tile,
        entry: Entry,
        side: Side,
        size: impl Fn(Side) -> u64,
    ) -> Entry {
        let mut base = entry.base + 1;
        for socket in &path.sockets {
            if socket.side == side {
                return Entry {
                    base: base + u64::from(socket.after),
                    forward: socket.forward,
                };
            }
            base += size(socket.side);
        }
        unreachable!("a neighbour hangs only where a tile has a socket")
    }

    fn walk_the_spine(&mut self) {
        let (root, col) = self.layout.root;
        let begin = Entry {
            base: 0,
            forward: true,
        };
        self.spine = vec![begin; self.bottoms.len()];
        let upwards = root..self.bottoms.len() - 1;
        let downwards = (1..=root).rev();
        for (band, side) in upwards
            .map(|band| (band, Side::Up))
            .chain(downwards.map(|band| (band, Side::Down)))
        {
            let entry = self.spine[band];
            let path = self.path(band, col, entry);
            let next = if side == Side::Up { band + 1 } else { band - 1 };
            self.spine[next] = Self::child(path, entry, side, |side| self.hanging(band, col, side));
        }
    }

    /// The step of a square in the tour as the root begins it.
    pub(super) fn step_of(&self, row: usize, col: usize) -> u64 {
        let band = self.bottoms.partition_point(|&bottom| bottom <= row) - 1;
        let target = self.lefts.partition_point(|&left| left <= col) - 1;
        let mut step = 0;
        let (row, col) = (row - self.bottoms[band], col - self.lefts[target]);
        let side = if target > self.layout.root.1 {
            Side::Right
        } else {
            Side::Left
        };
        self.walk_chain(band, side, |at, path, entry| {
            if at == target {
                let local = path.steps[row * path.shape.cols + col];
                let before = path.sockets.iter().filter(|socket| socket.after < local);
                let before: u64 = before.map(|s| self.hanging(band, at, s.side)).sum();
                step = entry.base + u64::from(local) + before;
            }
            at != target
        });
        step
    }

    /// Visits the tiles of a band from its spine tile until the visitor breaks.
    pub(super) fn walk_chain<'a>(
        &'a self,
        band: usize,
        side: Side,
        visit: impl FnMut(usize, &'a Tile, Entry) -> bool,
    ) {
        self.walk_on(band, self.layout.root.1, self.spine[band], side, visit);
    }

    /// Goes along a band from any tile.
    pub(super) fn walk_on<'a>(
        &'a self,
        band: usize,
        mut col: usize,
        mut entry: Entry,
        side: Side,
        mut visit: impl FnMut(usize, &'a Tile, Entry) -> bool,
    ) {
        let last = if side == Side::Right {
            self.lefts.len() - 1
        } else {
            0
        };
        loop {
            let path = self.path(band, col, entry);
            if !visit(col, path, entry) || col == last {
                return;
            }
            entry = Self::child(path, entry, side, |side| self.hanging(band, col, side));
            col = if side == Side::Right {
                col + 1
            } else {
                col - 1
            };
        }
    }
}

/// Bits that look random but follow from the three numbers.
fn mix(seed: u64, a: u64, b: u64) -> u64 {
    SplitMix64::new(seed ^ a.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ b.rotate_left(32)).next_u64()
}
