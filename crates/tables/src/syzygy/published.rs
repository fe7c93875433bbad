//! Sizes of the published Syzygy files of three to six pieces, for estimates and comparisons.

use crate::position::material::Material;

/// A line for each ending: its name and the bytes of its `.rtbw` and `.rtbz`; lines that begin with `#` name the source.
const SIZES: &str = include_str!("../../data/syzygy_sizes.tsv");

/// The bytes of the published WDL and DTZ file of an ending; `None` for endings of more than six pieces.
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
    fn every_ending_of_up_to_six_pieces_has_two_sizes() {
        let sum = |pieces| {
            let sizes = Material::all(pieces).into_iter().map(|material| {
                let sizes = published_bytes(&material);
                sizes.unwrap_or_else(|| panic!("{material} is not listed"))
            });
            sizes.flatten().sum::<u64>()
        };
        assert_eq!(sum(3) + sum(4) + sum(5), 983_957_920);
        assert_eq!(sum(6), 160_225_616_032);
        assert_eq!(Material::all(6).len(), 365);
    }
}
