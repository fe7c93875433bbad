//! The last step before compression: distances replaced by their rank, and don't-care entries filled.

use crate::syzygy::file::parse::{Contents, LOSS_PLIES, Maps, WIN_PLIES};
use crate::syzygy::values::dont_care::{DONT_CARE, counts, fill};
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

    /// Replaces the bytes of a table, or of a sample of it, by the values that the file stores. Returns the maps from ranks to
    /// distances, if any, and the accuracy flags.
    pub(crate) fn finish(self, bytes: &mut [u8]) -> (Option<Maps>, u8) {
        let (maps, flags) = match self {
            Self::Wdl => (None, 0),
            Self::Dtz(meaning) => replace_by_rank(bytes, meaning),
        };
        fill(bytes, self.contents());
        (maps, flags)
    }
}

/// Replaces each distance by its rank by frequency among the distances of its class (win, loss, cursed win, blessed loss), 0 being the
/// most frequent. If there is only one class, the distances themselves are stored and there are no maps.
fn replace_by_rank(values: &mut [u8], meaning: &DtzMeaning) -> (Option<Maps>, u8) {
    let counts = counts(values);
    let mut by_class: [Vec<(u64, u16, usize)>; 4] = [const { Vec::new() }; 4];
    for (byte, &(class, distance)) in meaning.distances.iter().enumerate() {
        if counts[byte] > 0 {
            let class = match class {
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
    let single = classes <= 1 || (wins_at_once && cursed.is_empty() && blessed.is_empty());
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
    for value in values.iter_mut() {
        *value = stored[usize::from(*value)];
    }
    let flag = |of: usize, bit: u8| if meaning.in_plies[of] { bit } else { 0 };
    let flags = flag(0, WIN_PLIES) | flag(1, LOSS_PLIES);
    ((!unmapped).then_some(maps), flags)
}
