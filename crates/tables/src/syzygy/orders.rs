//! Which order of men makes the smallest file: all that there are, tried on a sample.

use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Run;
use rustc_hash::FxHashMap;

use crate::library::TableError;
use crate::material::{Kind, Material};
use crate::schedule::in_parallel;
use crate::syzygy::arrangement::{Arrangement, NO_PAWNS, Piece, leading_men};
use crate::syzygy::classes::Field;
use crate::syzygy::file::Contents;
use crate::syzygy::fill::fill;
use crate::syzygy::lens::Lens;

/// Windows of a small table's samples: for the first choice, by which most orders are dropped, and the last.
const WINDOWS: [u64; 2] = [128, 512];
/// Of a large table's samples.
const MANY_WINDOWS: [u64; 2] = [512, 4096];
/// Values of a window.
const WINDOW: u64 = 1024;
/// Tables of up to so many positions are small.
const SMALL: u64 = 1 << 21;
/// Orders that are left for the second sample.
const FINALISTS: usize = 8;
/// Orders of a small table that are tried in full.
const TRIED: usize = 6;
/// Only those are tried in full that seem to take at most this much more than the best, as a part of it.
const MARGIN: u64 = 8;
/// Beyond this many orders only those whose leading group changes last are tried.
const MANY: usize = 60;

/// The men of an ending as Syzygy names them.
pub(crate) fn pieces(material: &Material) -> Vec<Piece> {
    let side = |black| {
        let army = if black {
            material.black()
        } else {
            material.white()
        };
        let men = army.men().iter().copied().chain([Kind::King]);
        men.map(move |kind| Piece { kind, black })
            .collect::<Vec<_>>()
    };
    [side(false), side(true)].concat()
}

/// Whether the black pawns lead: those of the side with fewer, white's if there is no difference.
pub(crate) fn black_leads(material: &Material) -> bool {
    let (white, black) = (material.white().pawns(), material.black().pawns());
    black > 0 && (white == 0 || black < white)
}

/// Every arrangement that an ending may have.
pub(crate) fn arrangements(material: &Material, file: usize) -> Vec<Arrangement> {
    let men = pieces(material);
    let mut orders = Vec::new();
    if material.has_pawns() {
        let lead = Piece {
            kind: Kind::Pawn,
            black: black_leads(material),
        };
        let pawns = |wanted: bool| {
            let own = men
                .iter()
                .filter(|p| p.kind == Kind::Pawn && (**p == lead) == wanted);
            own.copied().collect::<Vec<_>>()
        };
        let first = [pawns(true), pawns(false)].concat();
        let rest: Vec<Piece> = men
            .iter()
            .copied()
            .filter(|p| p.kind != Kind::Pawn)
            .collect();
        for rest in permutations(&groups(&rest)) {
            orders.push([first.clone(), rest.concat()].concat());
        }
    } else {
        for order in permutations(&groups(&men)) {
            let order = order.concat();
            if leading_men(&order).is_some() {
                orders.push(order);
            }
        }
    }
    let mut all = Vec::new();
    for men in &orders {
        for lead in 0..men.len() as u8 {
            for other in (0..men.len() as u8).chain([NO_PAWNS]) {
                all.extend(Arrangement::new(men, [lead, other], file));
            }
        }
    }
    let both_pawns = material.white().pawns() > 0 && material.black().pawns() > 0;
    all.retain(|a| both_pawns || a.orders[1] == NO_PAWNS);
    // Three leading men change last in all published files that were compared, and take long if they do not.
    let three = |a: &Arrangement| !material.has_pawns() && a.leading() == 3;
    all.retain(|a| !three(a) || usize::from(a.orders[0]) + 1 == a.groups());
    if all.len() > MANY {
        let last = all.iter().map(|a| a.orders[0]).max();
        let best: Vec<_> = all
            .iter()
            .filter(|a| Some(a.orders[0]) == last)
            .cloned()
            .collect();
        // With both sides' pawns, the other pawns may change last instead.
        if !both_pawns {
            return best;
        }
    }
    all
}

/// Men grouped with those like them.
fn groups(men: &[Piece]) -> Vec<Vec<Piece>> {
    let mut men = men.to_vec();
    men.sort_unstable();
    men.chunk_by(|a, b| a == b).map(<[Piece]>::to_vec).collect()
}

fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for first in 0..items.len() {
        let mut rest = items.to_vec();
        let item = rest.remove(first);
        for mut tail in permutations(&rest) {
            tail.insert(0, item.clone());
            all.push(tail);
        }
    }
    all
}

/// Whether the men come as black and white, kings first, strongest first (without pawns two kings alone lead white first), and
/// the leading group changes last.
fn is_plain(arrangement: &Arrangement) -> bool {
    let men = &arrangement.men;
    let lead_last = arrangement.orders[0] + 1 == arrangement.groups() as u8;
    let kings_lead = men[0].kind != Kind::Pawn && arrangement.leading() == 2;
    let key = |p: &Piece| (p.black == kings_lead, p.kind);
    if kings_lead {
        return !men[0].black && arrangement.orders[0] == 0;
    }
    lead_last && men.is_sorted_by_key(key)
}

/// Whether several orders of a table of so many positions are tried in full.
pub(crate) fn is_small(positions: u64) -> bool {
    positions <= SMALL
}

/// Bytes of the samples of a table of so many positions.
pub(crate) fn sample_bytes(positions: u64, threads: u64) -> u64 {
    let windows = if is_small(positions) {
        WINDOWS
    } else {
        MANY_WINDOWS
    };
    // What was sampled, and room to grow or a window more.
    threads * (2 * positions.min(windows[1] * WINDOW) + (1 << 18))
}

/// The best arrangements, the best first, and about how many bits the best takes. Of a large table it is one, of a small one
/// there are several to be tried in full; if all values are one, it does not matter.
pub(crate) fn choose(
    material: &Material,
    file: usize,
    field: &Field,
    black_to_move: bool,
    contents: Contents,
    one_value: bool,
    run: &Run,
) -> Result<(Vec<Arrangement>, u64), TableError> {
    let mut left: Vec<(u64, Arrangement)> = arrangements(material, file)
        .into_iter()
        .map(|arrangement| (0, arrangement))
        .collect();
    // Where all orders are as good, as for tables of one value, the one that the published files have.
    left.sort_by_key(|(_, arrangement)| !is_plain(arrangement));
    let largest = left.iter().map(|(_, a)| a.size()).max().unwrap_or(0);
    let small = is_small(largest);
    if one_value {
        left.truncate(1);
    }
    let held = sample_bytes(largest, run.threads.get() as u64);
    let _held = run.ram.reserve(&material.to_string(), held)?;
    for windows in if small { WINDOWS } else { MANY_WINDOWS } {
        if left.len() == 1 {
            break;
        }
        let costs = in_parallel(
            &left,
            run,
            || (),
            |(), (_, arrangement)| {
                let lens = Lens::new(field, arrangement, black_to_move);
                cost(&lens, arrangement.size(), contents, windows)
            },
        )?;
        for (entry, cost) in left.iter_mut().zip(costs) {
            entry.0 = cost;
        }
        left.sort_by_key(|&(cost, _)| cost);
        left.truncate(FINALISTS);
    }
    let cost = left.first().map_or(0, |&(cost, _)| cost);
    left.truncate(if small && cost > 0 { TRIED } else { 1 });
    left.retain(|&(own, _)| own <= cost + cost / MARGIN);
    Ok((
        left.into_iter()
            .map(|(_, arrangement)| arrangement)
            .collect(),
        cost,
    ))
}

/// Bits of a sample, scaled to the whole.
fn cost(lens: &Lens<'_>, size: u64, contents: Contents, windows: u64) -> u64 {
    let mut sample = Vec::new();
    if size <= windows * WINDOW {
        sample = lens.bytes(0, size);
    } else {
        let mut rng = SplitMix64::new(windows);
        let part = size / windows;
        for window in 0..windows {
            let from = window * part + rng.below(part - WINDOW + 1);
            sample.extend(lens.bytes(from, from + WINDOW));
        }
    }
    fill(&mut sample, contents);
    (information(&sample) * size as f64 / sample.len() as f64) as u64
}

/// Bits that tell runs of values: what each run is, given the value before it, as rare as that is among all of them.
fn information(values: &[u8]) -> f64 {
    let mut counts: FxHashMap<(u8, u8, u8), u32> = FxHashMap::default();
    let (mut runs, mut before) = (0u32, 0);
    for run in values.chunk_by(|a, b| a == b) {
        // Lengths to the bit up to seven, then by half powers of two.
        let length = match run.len() {
            short @ ..8 => short as u8,
            long => 6 + (2.0 * (long as f64).log2()) as u8,
        };
        *counts.entry((before, run[0], length)).or_default() += 1;
        before = run[0];
        runs += 1;
    }
    let bits = |&count: &u32| f64::from(count) * (f64::from(runs) / f64::from(count)).log2();
    counts.values().map(bits).sum()
}
