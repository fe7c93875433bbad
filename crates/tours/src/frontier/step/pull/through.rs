//! Adds the states of a block to sums, each at the image of its rank under a prepared map.

use crate::frontier::states::block::{Block, Cell};
use crate::frontier::states::edit::Edit;
use crate::frontier::states::maps::{Action, LOST, Maps, RankMap, direct};

/// Adds a block through a map.
pub(crate) fn pull<C: Cell>(block: Block<'_>, map: &RankMap, sums: &mut [C]) {
    let lost = sums.len() - 1;
    match map {
        RankMap::Shift(base) => {
            let sums = &mut sums[*base as usize..];
            block.for_each(|r, count: C| add(sums, r as usize, count));
        }
        RankMap::Table(table) => {
            let table = &table[..];
            block.for_each(|r, count: C| add(sums, (table[r as usize] as usize).min(lost), count));
        }
        RankMap::Pieces(pieces) => block.visit(|mut states| {
            for piece in &pieces.list {
                let (start, base) = (piece.start, piece.base);
                match &piece.action {
                    Action::Lose => states.below(piece.end, |_, _: C| ()),
                    Action::Shift => states.below(piece.end, |r, count: C| {
                        add(sums, (r - start + base) as usize, count);
                    }),
                    Action::Table(table) => states.below(piece.end, |r, count: C| {
                        let image = base.saturating_add(table[(r - start) as usize]);
                        add(sums, (image as usize).min(lost), count);
                    }),
                    Action::Direct(..) => states.below(piece.end, |r, count: C| {
                        add(sums, (piece.image(r) as usize).min(lost), count);
                    }),
                }
            }
        }),
        RankMap::Direct(edit, endpoints) => block.for_each(|r, count: C| {
            add(
                sums,
                (direct(*edit, *endpoints, r) as usize).min(lost),
                count,
            );
        }),
    }
}

/// Adds a block through two maps in turn.
pub(crate) fn pull_two<C: Cell>(
    block: Block<'_>,
    maps: &Maps,
    e: Edit,
    f: Edit,
    endpoints: usize,
    sums: &mut [C],
) {
    let lost = sums.len() - 1;
    let between = e.endpoints_after(endpoints);
    match (maps.edit(e, endpoints), maps.edit(f, between)) {
        (RankMap::Shift(base), second) if !matches!(second, RankMap::Pieces(_)) => {
            let image = |r: u32| match second {
                RankMap::Shift(more) => r + base + more,
                RankMap::Table(table) => table[(r + base) as usize],
                _ => direct(f, between, r + base),
            };
            block.for_each(|r, count: C| add(sums, (image(r) as usize).min(lost), count));
        }
        (RankMap::Table(first), RankMap::Shift(base)) => block.for_each(|r, count: C| {
            let image = first[r as usize];
            let image = if image == LOST {
                lost
            } else {
                (image + base) as usize
            };
            add(sums, image, count);
        }),
        (RankMap::Table(first), RankMap::Table(second)) => block.for_each(|r, count: C| {
            let image = second
                .get(first[r as usize] as usize)
                .copied()
                .unwrap_or(LOST);
            add(sums, (image as usize).min(lost), count);
        }),
        (first, second) => block.for_each(|r, count: C| {
            let image = match first.image(r) {
                LOST => LOST,
                image => second.image(image),
            };
            add(sums, (image as usize).min(lost), count);
        }),
    }
}

#[inline(always)]
fn add<C: Cell>(sums: &mut [C], at: usize, count: C) {
    sums[at] = sums[at].plus(count);
}
