//! The last step before compression: distances replaced by their rank, and don't-care entries
//! filled.

use everymove_kernel::run::Run;

use crate::error::TableError;
use crate::store::buffer::Buffer;
use crate::syzygy::compress::runs::CHUNK;
use crate::syzygy::file::parse::{Contents, LOSS_PLIES, Maps, WIN_PLIES};
use crate::syzygy::values::dont_care::{
    DONT_CARE, Earlier, FillRule, Filler, add_counts, counts, fill,
};
use crate::syzygy::values::required_values::DtzMeaning;
use crate::syzygy::values::wdl::{BLESSED_LOSS, CURSED_WIN, LOSS, WIN};

/// What the bytes of a value table mean.
#[derive(Clone, Copy)]
pub(crate) enum StoredValues<'a> {
    /// Win to loss.
    Wdl,
    /// Distances, by number.
    Dtz(&'a DtzMeaning),
}

impl StoredValues<'_> {
    pub(crate) fn contents(self) -> Contents {
        match self {
            Self::Wdl => Contents::Wdl,
            Self::Dtz(_) => Contents::Dtz,
        }
    }

    /// Replaces the bytes of a sample of a table by the values that the file would store, given how
    /// often each byte occurs in the table; if not, as often as in the sample.
    pub(crate) fn finish(self, bytes: &mut [u8], counted: Option<&[u64; 256]>, rule: FillRule) {
        let replacement = self.replacement(counted.copied().unwrap_or_else(|| counts(bytes)));
        replacement.stored.replace(bytes);
        fill(bytes, replacement.counts, self.contents(), rule);
    }

    /// Replaces the bytes of a table by the values that the file stores. Returns the maps from
    /// ranks to distances, if any, and the accuracy flags.
    ///
    /// # Errors
    /// [`TableError`] if a scratch file fails, or the run is stopped.
    pub(crate) fn finish_table(
        self,
        table: &mut Buffer,
        rule: FillRule,
        run: &Run,
    ) -> Result<(Option<Maps>, u8), TableError> {
        let mut counted = [0; 256];
        table.for_each_chunk(CHUNK, |_, chunk| {
            add_counts(chunk, &mut counted);
            Ok(())
        })?;
        let replacement = self.replacement(counted);
        let mut filler = Filler::new(replacement.counts, self.contents(), rule);
        let mut chunk = vec![0; CHUNK];
        for at in (0..table.len()).step_by(CHUNK) {
            run.stop.check()?;
            let length = (table.len() - at).min(CHUNK as u64) as usize;
            let chunk = &mut chunk[..length];
            table.read(at, chunk)?;
            replacement.stored.replace(chunk);
            let earlier = filler.add(at, chunk);
            table.write(at, chunk)?;
            earlier.iter().try_for_each(|own| fill_range(table, own))?;
        }
        let end = filler.finish(table.len());
        end.iter().try_for_each(|own| fill_range(table, own))?;
        Ok((replacement.maps, replacement.flags))
    }

    /// What the values of a table are replaced by, given how often each occurs.
    fn replacement(self, counts: [u64; 256]) -> Replacement {
        match self {
            Self::Wdl => Replacement {
                stored: Stored(None),
                counts,
                maps: None,
                flags: 0,
            },
            Self::Dtz(meaning) => by_rank(counts, meaning),
        }
    }
}

/// Stores a value in a range of a table.
fn fill_range(table: &mut Buffer, Earlier { range, value }: &Earlier) -> Result<(), TableError> {
    let same = [*value; 1 << 12];
    for at in range.clone().step_by(same.len()) {
        let length = (range.end - at).min(same.len() as u64) as usize;
        table.write(at, &same[..length])?;
    }
    Ok(())
}

/// Distances replaced by what the file stores.
struct Replacement {
    stored: Stored,
    /// By stored value: how often it occurs.
    counts: [u64; 256],
    maps: Option<Maps>,
    flags: u8,
}

/// By byte: the stored value; `None` if it is the byte itself.
struct Stored(Option<[u8; 256]>);

impl Stored {
    fn replace(&self, bytes: &mut [u8]) {
        if let Some(stored) = &self.0 {
            for byte in bytes {
                *byte = stored[usize::from(*byte)];
            }
        }
    }
}

/// Each distance replaced by its rank by frequency among the distances of its class (win, loss,
/// cursed win, blessed loss), 0 being the most frequent. If there is only one class, the distances
/// themselves are stored and there are no maps. If the classes share bytes, all have the same map,
/// and ranks are those among all distances.
fn by_rank(counts: [u64; 256], meaning: &DtzMeaning) -> Replacement {
    let mut by_class: [Vec<(u64, u16, usize)>; 4] = [const { Vec::new() }; 4];
    for (byte, &(class, distance)) in meaning.distances.iter().enumerate() {
        if counts[byte] > 0 {
            let class = match class {
                _ if meaning.is_shared => 0,
                WIN => 0,
                LOSS => 1,
                CURSED_WIN => 2,
                _ => {
                    debug_assert_eq!(class, BLESSED_LOSS);
                    3
                }
            };
            by_class[class].push((counts[byte], distance, byte));
        }
    }
    let classes = by_class.iter().filter(|list| !list.is_empty()).count();
    let [wins, _, cursed, blessed] = &by_class;
    let wins_at_once = wins.iter().all(|&(_, distance, _)| distance == 0);
    let single = !meaning.is_shared
        && (classes <= 1 || (wins_at_once && cursed.is_empty() && blessed.is_empty()));
    let unmapped = single
        && by_class
            .iter()
            .flatten()
            .all(|&(_, distance, _)| distance < 240);
    let mut stored = [DONT_CARE; 256];
    let mut maps = [const { Vec::new() }; 4];
    for (list, map) in by_class.iter_mut().zip(&mut maps) {
        list.sort_by_key(|&(count, distance, _)| (std::cmp::Reverse(count), distance));
        for (rank, &(_, distance, byte)) in list.iter().enumerate() {
            stored[byte] = if unmapped { distance as u8 } else { rank as u8 };
            map.push(distance);
        }
    }
    if meaning.is_shared {
        let shared = maps[0].clone();
        maps[1..].fill(shared);
    }
    let mut stored_counts = [0; 256];
    for (count, &to) in counts.iter().zip(&stored) {
        stored_counts[usize::from(to)] += count;
    }
    let flag = |of: usize, bit: u8| if meaning.in_plies[of] { bit } else { 0 };
    let flags = flag(0, WIN_PLIES) | flag(1, LOSS_PLIES);
    Replacement {
        stored: Stored(Some(stored)),
        counts: stored_counts,
        maps: (!unmapped).then_some(maps),
        flags,
    }
}
