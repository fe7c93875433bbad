//! Values as files tell them: classes as they are, distances as ranks of how frequent they are.

use crate::syzygy::file::parse::{Contents, LOSS_PLIES, Maps, WIN_PLIES};
use crate::syzygy::values::dont_care::{ANY, counts, fill};
use crate::syzygy::values::required_values::Meaning;
use crate::syzygy::values::wdl::{BLESSED, CURSED, LOSS, WIN};

/// What the bytes of a field stand for.
#[derive(Clone, Copy)]
pub(crate) enum Values<'a> {
    /// Classes.
    Classes,
    /// Distances with a meaning.
    Distances(&'a Meaning),
}

impl Values<'_> {
    pub(crate) fn contents(self) -> Contents {
        match self {
            Self::Classes => Contents::Wdl,
            Self::Distances(_) => Contents::Dtz,
        }
    }

    /// Makes bytes into the values that a file tells, with certain ones everywhere. Gives the maps of ranks, if any, and the
    /// flags.
    pub(crate) fn settle(self, bytes: &mut [u8]) -> (Option<Maps>, u8) {
        let told = match self {
            Self::Classes => (None, 0),
            Self::Distances(meaning) => rank(bytes, meaning),
        };
        fill(bytes, self.contents());
        told
    }
}

/// Makes ranks of bytes: by class the most frequent distance is 0, unless there is only one class; then the values are the
/// distances. Gives the maps, if any, and the flags.
fn rank(values: &mut [u8], meaning: &Meaning) -> (Option<Maps>, u8) {
    let counts = counts(values);
    let mut by_class: [Vec<(u64, u16, usize)>; 4] = [const { Vec::new() }; 4];
    for (byte, &(class, distance)) in meaning.distances.iter().enumerate() {
        if counts[byte] > 0 {
            let place = match class {
                WIN => 0,
                LOSS => 1,
                CURSED => 2,
                _ => {
                    debug_assert_eq!(class, BLESSED);
                    3
                }
            };
            by_class[place].push((counts[byte], distance, byte));
        }
    }
    let classes = by_class.iter().filter(|list| !list.is_empty()).count();
    let [wins, _, cursed, blessed] = &by_class;
    let only_wins_at_once = wins.iter().all(|&(_, distance, _)| distance == 0);
    let one = classes <= 1 || (only_wins_at_once && cursed.is_empty() && blessed.is_empty());
    let direct = one
        && by_class
            .iter()
            .flatten()
            .all(|&(_, distance, _)| distance < 240);
    let mut names = [ANY; 256];
    let mut maps = [const { Vec::new() }; 4];
    for (list, map) in by_class.iter_mut().zip(&mut maps) {
        list.sort_by_key(|&(count, distance, _)| (std::cmp::Reverse(count), distance));
        for (rank, &(_, distance, byte)) in list.iter().enumerate() {
            names[byte] = if direct { distance as u8 } else { rank as u8 };
            map.push(distance);
        }
    }
    for value in values.iter_mut() {
        *value = names[usize::from(*value)];
    }
    let flag = |of: usize, bit: u8| if meaning.plies[of] { bit } else { 0 };
    let flags = flag(0, WIN_PLIES) | flag(1, LOSS_PLIES);
    ((!direct).then_some(maps), flags)
}
