//! Sizes and checksums of the published Syzygy files of three to six pieces, for estimates and
//! comparisons.

use crate::position::material::Material;
use crate::syzygy::Contents;

/// A line for each ending: its name, the bytes of its `.rtbw` and `.rtbz`, and their checksums;
/// lines that begin with `#` name the source.
const PUBLISHED: &str = include_str!("../../data/syzygy_published.tsv");

/// The fields of an ending after its name.
fn fields(material: &Material) -> Option<[&'static str; 4]> {
    let name = material.to_string();
    let line = PUBLISHED.lines().find_map(|line| {
        let (own, fields) = line.split_once('\t')?;
        (own == name).then_some(fields)
    })?;
    line.split('\t').collect::<Vec<_>>().try_into().ok()
}

/// The bytes of the published WDL and DTZ file of an ending; `None` for endings of more than six
/// pieces.
pub fn published_bytes(material: &Material) -> Option<[u64; 2]> {
    let [wdl, dtz, ..] = fields(material)?;
    Some([wdl.parse().ok()?, dtz.parse().ok()?])
}

/// The checksum at the end of a published file, in hexadecimal digits; `None` for endings of more
/// than six pieces.
pub(crate) fn published_checksum(material: &Material, contents: Contents) -> Option<&'static str> {
    let [_, _, wdl, dtz] = fields(material)?;
    Some(match contents {
        Contents::Wdl => wdl,
        Contents::Dtz => dtz,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

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

    #[test]
    fn every_file_has_a_checksum_of_its_own() {
        let endings = (3..=6).flat_map(Material::all);
        let sums = endings.flat_map(|material| {
            [Contents::Wdl, Contents::Dtz]
                .map(|contents| published_checksum(&material, contents).unwrap())
        });
        let sums: BTreeSet<&str> = sums.collect();
        assert_eq!(sums.len(), 2 * (5 + 30 + 110 + 365));
        assert!(sums.iter().all(|sum| sum.len() == 32));
    }
}
