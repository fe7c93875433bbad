//! Making Syzygy files from tables of distances to zeroing moves.

use std::path::Path;

use everymove_kernel::files::{Disk, publish, remove_stale_drafts};
use everymove_kernel::run::{Run, Work};

use crate::error::TableError;
use crate::metric::Metric;
use crate::parallel::in_parallel;
use crate::position::index_space::IndexSpace;
use crate::position::material::{Half, Material};
use crate::store::directory::Tables;
use crate::syzygy::compress::encode::{Encoded, Singles, encode};
use crate::syzygy::compress::repair::grammar::grammar_bytes;
use crate::syzygy::file::parse::{BLACK, Contents, SyzygyFile};
use crate::syzygy::file::write::{Part, bytes, put};
use crate::syzygy::index::leading::pawn_rank;
use crate::syzygy::index::piece_order::Arrangement;
use crate::syzygy::order_search::{Choice, Shortlist};
use crate::syzygy::values::captures::Captures;
use crate::syzygy::values::dont_care::ANY;
use crate::syzygy::values::dtz_map::Values;
use crate::syzygy::values::permute::Lens;
use crate::syzygy::values::required_values::{Distances, wdl};
use crate::syzygy::values::value_table::Field;

/// Largest blocks, as powers of two of bytes: WDL is looked up often and everywhere, DTZ rarely.
const WDL_BLOCK: u8 = 6;
const DTZ_BLOCK: u8 = 10;
/// Orders of men are tried in full as long as they make fewer bytes together: of large tables the samples tell enough, and each
/// try takes long.
const EFFORT: u64 = 32_000;
/// Positions of which values are fetched in one go.
const BATCH: u64 = 1 << 16;

/// Batches that are fetched by each thread before they are put together.
const WAVE: usize = 8;

/// Bytes of what is fetched and not yet put together.
pub(crate) fn wave_bytes(threads: u64) -> u64 {
    threads * WAVE as u64 * BATCH
}

/// The name of an ending's file.
pub fn file_name(material: &Material, contents: Contents) -> String {
    format!("{material}.{}", contents.extension())
}

/// Makes both Syzygy files of an ending, in the folder of its table and the tables it needs, as far as they are not there;
/// those that are there are compared with their checksums. Gives the names of those made.
///
/// Each file is whole or not there; the same tables give the same bytes for any number of threads.
///
/// # Errors
/// [`TableError`] if a table is missing or damaged, the folder cannot be written, or the run is stopped or too small.
///
/// # Panics
/// If the tables are of another metric than [`Metric::Zeroing`].
pub fn write(
    material: &Material,
    tables: &Tables,
    run: &Run,
    work: &mut Work,
) -> Result<Vec<String>, TableError> {
    write_to(material, tables, tables.folder(), run, work)
}

/// As [`write()`], in another folder.
///
/// # Errors
/// As [`write()`].
///
/// # Panics
/// As [`write()`].
pub fn write_to(
    material: &Material,
    tables: &Tables,
    folder: &Path,
    run: &Run,
    work: &mut Work,
) -> Result<Vec<String>, TableError> {
    assert_eq!(
        tables.metric(),
        Metric::Zeroing,
        "Syzygy files tell plies to zeroing moves"
    );
    let disk = Disk::exclusive(folder)?;
    remove_stale_drafts(&disk)?;
    let mut made = Vec::new();
    for contents in [Contents::Wdl, Contents::Dtz] {
        let name = file_name(material, contents);
        let path = folder.join(&name);
        if path.is_file() {
            let found = SyzygyFile::open(&path)?;
            found.check_sum().map_err(|error| error.in_file(&path))?;
            continue;
        }
        run.progress.start(name.clone(), 0);
        let maker = Maker {
            material,
            tables,
            run,
        };
        run.ram.require(&name, maker.bytes_needed())?;
        let files = match contents {
            Contents::Wdl => maker.wdl()?,
            Contents::Dtz => maker.dtz()?,
        };
        let bytes = bytes(contents, material, &files);
        work.add("bytes", bytes.len() as u64);
        let sizes = files.iter().flatten().map(|part| part.arrangement.size());
        work.add("positions", sizes.sum());
        publish(&disk, &name, |draft| put(draft, &bytes))?;
        made.push(name);
    }
    Ok(made)
}

pub(crate) struct Maker<'a> {
    pub(crate) material: &'a Material,
    pub(crate) tables: &'a Tables,
    pub(crate) run: &'a Run,
}

impl Maker<'_> {
    pub(crate) fn half(&self, black_to_move: bool) -> Half {
        let (white, black) = (self.material.white().clone(), self.material.black().clone());
        let (attacker, defender) = if black_to_move {
            (black, white)
        } else {
            (white, black)
        };
        Half { attacker, defender }
    }

    pub(crate) fn files(&self) -> usize {
        if self.material.has_pawns() { 4 } else { 1 }
    }

    pub(crate) fn sides(&self) -> &'static [bool] {
        if self.material.is_symmetric() {
            &[false]
        } else {
            &[false, true]
        }
    }

    fn wdl(&self) -> Result<Vec<Vec<Part>>, TableError> {
        let mut parts: Vec<Vec<Part>> = (0..self.files()).map(|_| Vec::new()).collect();
        for &black in self.sides() {
            let half = self.half(black);
            let space = self.tables.space(&half);
            let captures = Captures::new(&half, &space, self.tables, self.run)?;
            for (file, parts) in parts.iter_mut().enumerate() {
                let slices = self.slices(&space, black, file);
                let mut field = wdl(&half, slices, &captures, self.tables, self.run)?;
                let one_value = !field.has_several(ANY);
                let choice = self.choice(file, black, Values::Classes);
                let shortlist = choice.shortlist(&mut field, one_value)?;
                let arrangements = choice.best(&mut field, shortlist)?;
                parts.push(self.smallest(field, arrangements, black, Values::Classes)?);
            }
        }
        Ok(parts)
    }

    fn dtz(&self) -> Result<Vec<Vec<Part>>, TableError> {
        let mut cheapest: Option<DtzPlan> = None;
        // Most files tell of white to move: what is planned last is at hand.
        for &black in self.sides().iter().rev() {
            let plan = self.plan(black, cheapest.is_some())?;
            if cheapest
                .as_ref()
                .is_none_or(|least| plan.bits <= least.bits)
            {
                cheapest = Some(plan);
            }
        }
        let plan = cheapest.expect("there is a side to move");
        let mut parts = Vec::new();
        let side = if plan.black { BLACK } else { 0 };
        for (file, (shortlist, field)) in plan.files.into_iter().enumerate() {
            let again = || self.distances(&plan.of, plan.black, file);
            let mut field = field.map_or_else(again, Ok)?;
            let values = Values::Distances(&plan.of.distances.meaning);
            let choice = self.choice(file, plan.black, values);
            let arrangements = choice.best(&mut field, shortlist)?;
            let mut part = self.smallest(field, arrangements, plan.black, values)?;
            part.flags |= side;
            parts.push(vec![part]);
        }
        Ok(parts)
    }

    /// The likely arrangements of a side's distances, and about what they take. The other side's plan may be there.
    fn plan(&self, black: bool, other_is_there: bool) -> Result<DtzPlan, TableError> {
        let half = self.half(black);
        let space = self.tables.space(&half);
        let of = Sources {
            captures: Captures::new(&half, &space, self.tables, self.run)?,
            distances: Distances::of(&half, self.tables, self.run)?,
            half,
            space,
        };
        let one_value = of.distances.meaning.is_one_value();
        let (mut files, mut bits) = (Vec::new(), 0);
        for file in 0..self.files() {
            let mut field = self.distances(&of, black, file)?;
            let values = Values::Distances(&of.distances.meaning);
            let choice = self.choice(file, black, values);
            let shortlist = choice.shortlist(&mut field, one_value)?;
            bits += shortlist.bits();
            // What comes next takes memory too, and comes first.
            let next = match (self.files(), other_is_there) {
                (1, true) => 0,
                (1, false) => self.bytes_planned(),
                _ => self.bytes_needed(),
            };
            let kept = self.run.ram.left() >= next;
            files.push((shortlist, kept.then_some(field)));
        }
        Ok(DtzPlan {
            of,
            black,
            files,
            bits,
        })
    }

    fn distances(&self, of: &Sources, black: bool, file: usize) -> Result<Field, TableError> {
        let slices = self.slices(&of.space, black, file);
        of.distances
            .field(&of.half, slices, &of.captures, self.tables, self.run)
    }

    fn choice<'a>(&'a self, file: usize, black_to_move: bool, values: Values<'a>) -> Choice<'a> {
        Choice {
            material: self.material,
            file,
            black_to_move,
            values,
            run: self.run,
        }
    }

    /// The slices whose leading pawn is on a file or its mirror; all of them without pawns.
    pub(crate) fn slices(
        &self,
        space: &IndexSpace,
        black_to_move: bool,
        file: usize,
    ) -> Vec<usize> {
        if space.pawns == 0 {
            return (0..space.slices()).collect();
        }
        let leads = leading_pawns(self.material, space, black_to_move);
        let flip = if black_to_move { 56 } else { 0 };
        let on_file = |&slice: &usize| {
            let own = &space.p_slices[slice][leads.clone()];
            let lead = own.iter().map(|&s| s ^ flip).max_by_key(|&s| pawn_rank(s));
            lead.is_some_and(|s| usize::from((s & 7).min(7 - (s & 7))) == file)
        };
        (0..space.slices()).filter(on_file).collect()
    }

    /// A field's bytes in the order of an arrangement.
    pub(crate) fn bytes(
        &self,
        field: &mut Field,
        arrangement: &Arrangement,
        black_to_move: bool,
    ) -> Result<Vec<u8>, TableError> {
        let lens = Lens::new(&field.space, arrangement, black_to_move);
        field.bring_together(lens.digit(), self.run)?;
        let field = &*field;
        let size = arrangement.size();
        let mut bytes = Vec::with_capacity(size as usize);
        let starts: Vec<u64> = (0..size).step_by(BATCH as usize).collect();
        for wave in starts.chunks(WAVE * self.run.threads.get()) {
            let parts = in_parallel(
                wave,
                self.run,
                || (),
                |(), &from| lens.bytes(field, from, (from + BATCH).min(size)),
            )?;
            parts.iter().for_each(|part| bytes.extend(part));
        }
        Ok(bytes)
    }

    fn encode(&self, values: &[u8], contents: Contents) -> Result<Encoded, TableError> {
        let (singles, block) = match contents {
            Contents::Wdl => (Singles::All, WDL_BLOCK),
            Contents::Dtz => (Singles::Zero, DTZ_BLOCK),
        };
        encode(values, singles, block, &self.material.to_string(), self.run)
    }

    /// The smallest part that a field makes by one of some arrangements, the likeliest first: as many of them as a certain
    /// effort allows.
    fn smallest(
        &self,
        field: Field,
        arrangements: Vec<Arrangement>,
        black_to_move: bool,
        values: Values<'_>,
    ) -> Result<Part, TableError> {
        let mut field = Some(field);
        let mut smallest: Option<Part> = None;
        let (mut tried, mut effort) = (0, 0);
        let count = arrangements.len();
        for arrangement in arrangements {
            let Some(own) = &mut field else { break };
            if effort > EFFORT {
                break;
            }
            let what = self.material.to_string();
            let threads = self.run.threads.get() as u64;
            let held = arrangement.size() + wave_bytes(threads);
            let _held = self.run.ram.reserve(&what, held)?;
            let mut bytes = self.bytes(own, &arrangement, black_to_move)?;
            tried += 1;
            if tried == count {
                // Large fields make room for the work on their values.
                field = None;
            }
            let grammar = grammar_bytes(arrangement.size(), threads);
            let _grammar = self.run.ram.reserve(&what, grammar)?;
            let (maps, flags) = values.settle(&mut bytes);
            let part = Part {
                arrangement,
                flags,
                maps,
                encoded: self.encode(&bytes, values.contents())?,
            };
            effort += part.encoded.bytes();
            if smallest
                .as_ref()
                .is_none_or(|least| part.encoded.bytes() < least.encoded.bytes())
            {
                smallest = Some(part);
            }
        }
        Ok(smallest.expect("there is an arrangement for any men"))
    }
}

/// What a side's distances are made from.
struct Sources {
    half: Half,
    space: std::sync::Arc<IndexSpace>,
    captures: Captures,
    distances: Distances,
}

struct DtzPlan {
    of: Sources,
    black: bool,
    /// By file of the leading pawn; the distances, if there is room to keep them.
    files: Vec<(Shortlist, Option<Field>)>,
    bits: u64,
}

/// Which of a constellation's pawns lead.
fn leading_pawns(
    material: &Material,
    space: &IndexSpace,
    black_to_move: bool,
) -> std::ops::Range<usize> {
    let (white, black) = (material.white().pawns(), material.black().pawns());
    let black_leads = black > 0 && (white == 0 || black < white);
    let attackers = space.half.attacker.pawns();
    // The attacker's pawns come first.
    if black_leads == black_to_move {
        0..attackers
    } else {
        attackers..space.pawns
    }
}
