//! Prepared maps against the edits, edits against labelled pairs.

use everymove_kernel::rng::SplitMix64;

use super::*;

fn image(map: &RankMap, r: u32) -> u32 {
    map.image(r)
}

fn all_edits(endpoints: u8) -> Vec<Edit> {
    let mut edits = Vec::new();
    for a in 0..endpoints {
        for b in 0..endpoints {
            edits.push(Edit::Move { from: a, to: b });
        }
        edits.extend((a + 1..endpoints).map(|b| Edit::Contract { a, b }));
    }
    for a in 0..endpoints + 2 {
        edits.extend((a + 1..endpoints + 2).map(|b| Edit::Insert { a, b }));
    }
    edits
}

/// One cut agrees with the edit on every matching, at a size where all can be tried.
#[test]
fn peeling_is_the_edit() {
    let endpoints = 8;
    for edit in all_edits(endpoints as u8)
        .into_iter()
        .filter(|&e| !edit_is_hard(e))
    {
        if matches!(edit, Edit::Insert { a: 0, .. }) {
            continue;
        }
        for r in 0..matchings(endpoints) as u32 {
            let size = matchings(endpoints - 2) as u32;
            let cut = peel(edit, endpoints, (1 + r / size) as u8).map_or(LOST, |(inner, base)| {
                match direct(inner, endpoints - 2, r % size) {
                    LOST => LOST,
                    image => base + image,
                }
            });
            assert_eq!(cut, direct(edit, endpoints, r), "{edit:?} {r}");
        }
    }
}

#[test]
fn prepared_maps_are_the_edits() {
    let maps = Maps::new(u64::MAX);
    let mut rng = SplitMix64::new(11);
    for endpoints in [2, 4, 6, 8, 10, 12, 14, 16] {
        for edit in all_edits(endpoints as u8) {
            let map = maps.edit(edit, endpoints);
            let all = matchings(endpoints) as u32;
            let tried = match all {
                ..=105 => (0..all).collect(),
                _ => Vec::from_iter((0..6).map(|_| rng.below(all.into()) as u32)),
            };
            for r in tried {
                assert_eq!(image(map, r), direct(edit, endpoints, r), "{edit:?} {r}");
            }
        }
    }
}

#[test]
fn prepared_renumberings_are_the_renumberings() {
    let maps = Maps::new(u64::MAX);
    let mut rng = SplitMix64::new(5);
    for endpoints in [0, 2, 4, 6, 8, 10, 12] {
        for _ in 0..6 {
            let mut to: Vec<u8> = (0..endpoints).collect();
            for i in (1..to.len()).rev() {
                to.swap(i, rng.below(i as u64 + 1) as usize);
            }
            let table = maps.permutation(&to).unwrap();
            for r in 0..matchings(to.len()) as u32 {
                assert_eq!(table[r as usize], permuted(&to, r), "{to:?} {r}");
            }
        }
    }
}

/// Edits against a model: segments as sets of labelled endpoints.
#[test]
fn edits_keep_labelled_pairs() {
    for r in 0..matchings(6) {
        let mates = unrank(r, 6);
        for edit in all_edits(6) {
            let out = edit.apply(6, &mates);
            match edit {
                Edit::Contract { a, b } if mates[usize::from(a)] == b => assert_eq!(out, None),
                Edit::Contract { a, b } => {
                    let out = out.unwrap();
                    let old: Vec<u8> = (0..6).filter(|&x| x != a && x != b).collect();
                    let joined = (mates[usize::from(a)], mates[usize::from(b)]);
                    for (new, &x) in old.iter().enumerate() {
                        let y = old[usize::from(out[new])];
                        let kept = mates[usize::from(x)] == y;
                        assert!(kept || (x, y) == joined || (y, x) == joined);
                    }
                }
                Edit::Move { from, to } => {
                    let out = out.unwrap();
                    let mut labels: Vec<u8> = (0..6).filter(|&x| x != from).collect();
                    labels.insert(usize::from(to), from);
                    for (new, &x) in labels.iter().enumerate() {
                        assert_eq!(mates[usize::from(x)], labels[usize::from(out[new])]);
                    }
                }
                Edit::Insert { a, b } => {
                    let out = out.unwrap();
                    let mut labels: Vec<Option<u8>> = (0..6).map(Some).collect();
                    labels.insert(usize::from(a), None);
                    labels.insert(usize::from(b), None);
                    assert_eq!(out[usize::from(a)], b);
                    for (new, x) in labels.iter().enumerate() {
                        let mate = labels[usize::from(out[new])];
                        assert_eq!(x.map(|x| mates[usize::from(x)]), mate);
                    }
                }
                Edit::Keep | Edit::Close => unreachable!(),
            }
        }
    }
}

/// Without memory for tables the maps are the same, computed matching by matching.
#[test]
fn maps_without_tables_are_the_same() {
    let (tables, none) = (Maps::new(u64::MAX), Maps::new(0));
    let image = |map: &RankMap, r: u32| match map {
        RankMap::Shift(base) => r + base,
        RankMap::Table(table) => table[r as usize],
        RankMap::Direct(edit, endpoints) => direct(*edit, *endpoints, r),
        RankMap::Pieces(pieces) => {
            let piece = pieces.list.iter().find(|piece| r < piece.end).unwrap();
            piece.image(r)
        }
    };
    for edit in [
        Edit::Move { from: 2, to: 0 },
        Edit::Move { from: 0, to: 5 },
        Edit::Contract { a: 1, b: 4 },
        Edit::Insert { a: 1, b: 3 },
    ] {
        for r in 0..matchings(10) as u32 {
            let expected = image(tables.edit(edit, 10), r);
            assert_eq!(image(none.edit(edit, 10), r), expected, "{edit:?} {r}");
        }
    }
    assert!(none.permutation(&[1, 0, 2, 3]).is_none());
}
