//! Sizes of the published Syzygy files of three to five pieces, for estimates and comparisons.

use crate::position::material::Material;

/// A line for each ending: its name and the bytes of its `.rtbw` and `.rtbz`; lines that begin with `#` name the source.
const SIZES: &str = include_str!("../../data/syzygy_sizes.tsv");

/// The bytes of the published WDL and DTZ file of an ending; `None` for endings of more than five pieces.
pub fn published_bytes(material: &Material) -> Option<[u64; 2]> {
    let name = material.to_string();
    let line = SIZES.lines().find_map(|line| {
        let (own, sizes) = line.split_once('\t')?;
        (own == name).then_some(sizes)
    })?;
    let (wdl, dtz) = line.split_once('\t')?;
    Some([wdl.parse().ok()?, dtz.parse().ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_of_up_to_five_pieces_has_two_sizes() {
        let endings: Vec<Material> = (3..=5).flat_map(Material::all).collect();
        assert_eq!(endings.len(), 145);
        let sizes = endings.iter().map(|material| {
            published_bytes(material).unwrap_or_else(|| panic!("{material} is not listed"))
        });
        let sum: u64 = sizes.flatten().sum();
        assert_eq!(sum, 983_957_920);
        assert_eq!(published_bytes(&"KRRBvKR".parse().unwrap()), None);
    }
}
