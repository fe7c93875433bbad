//! Which process joins which pair of facing blocks.

use super::super::degrees::Degrees;
use super::super::join::cycle_work;
use super::super::plan::Meet;
use super::count::Part;

/// The time to join two blocks besides the additions of counts, in additions: as measured on 8x8 closed.
const PAIR: u64 = 2000;

/// The work to join two blocks of this many endpoints, in additions of counts.
pub(super) fn pair_work(endpoints: usize) -> u64 {
    PAIR + cycle_work(endpoints) as u64
}

/// The pairs of the last layers of two halves.
pub(super) struct Pairs<'a> {
    first: &'a Part,
    second: &'a Part,
    /// Whether both halves are the same layer, of which one of two facing blocks has the pair.
    alike: bool,
    shares: &'a Shares,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(meet: &Meet, first: &'a Part, second: &'a Part, shares: &'a Shares) -> Self {
        Self {
            first,
            second,
            alike: meet.first.is_empty() && meet.second.is_empty(),
            shares,
        }
    }

    /// Whether a process joins its block of the first half with one of the second: it does if both halves differ; if they are the same layer,
    /// one of the owners of both blocks does.
    pub(super) fn joins(&self, process: usize, first: Degrees, second: Degrees) -> bool {
        let owners = [self.first.owners.of(first), self.second.owners.of(second)];
        match owners {
            [own, _] if own != process => false,
            _ if !self.alike => true,
            // Whoever owns both has the pair once.
            [own, other] if own == other => first <= second,
            [own, other] => {
                // The top bits of a multiplicative hash of both.
                let hash = u64::from((first ^ second).wrapping_mul(0x9e37_79b1) >> 16);
                match own < other {
                    true => hash < self.shares.of(own, other),
                    false => hash >= self.shares.of(other, own),
                }
            }
        }
    }
}

/// The range of the hash of a pair.
const RANGE: i128 = 1 << 16;

/// How many of the pairs of blocks of two processes the one with the lower number joins, of [`RANGE`].
pub(super) struct Shares {
    processes: usize,
    parts: Vec<u64>,
}

impl Shares {
    /// Half of them.
    pub(super) fn equal(processes: usize) -> Self {
        Self {
            processes,
            parts: vec![RANGE as u64 / 2; processes * processes],
        }
    }

    /// So that all join about as much, given what several processes say of the work of the pairs of blocks of each two processes: at
    /// `processes * a + b` that of blocks of processes `a` and `b`, all of it once.
    pub(super) fn new(processes: usize, said: &[Vec<u64>]) -> Self {
        let work = |a: usize, b: usize| -> i128 {
            let said = said.iter().map(|said| i128::from(said[processes * a + b]));
            said.sum()
        };
        let of_both = |a: usize, b: usize| work(a, b) + work(b, a);
        // Twice what each lacks to the mean if all pairs are halved.
        let all: i128 = (0..processes)
            .map(|a| (0..processes).map(|b| work(a, b)).sum::<i128>())
            .sum();
        let lacks = |a: usize| {
            let others = (0..processes).filter(|&b| b != a);
            let own = 2 * work(a, a) + others.map(|b| of_both(a, b)).sum::<i128>();
            2 * all / processes as i128 - own
        };
        let lacks: Vec<i128> = (0..processes).map(lacks).collect();
        let part = |a: usize, b: usize| {
            // If each two processes exchange the same part of their difference, all have the mean.
            let more =
                RANGE * (lacks[a] - lacks[b]) / (2 * processes as i128 * of_both(a, b)).max(1);
            (RANGE / 2 + more).clamp(0, RANGE) as u64
        };
        let parts = (0..processes).flat_map(|a| (0..processes).map(move |b| (a, b)));
        Self {
            processes,
            parts: parts.map(|(a, b)| part(a, b)).collect(),
        }
    }

    fn of(&self, lower: usize, higher: usize) -> u64 {
        self.parts[self.processes * lower + higher]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_join_as_much() {
        for work in [
            vec![50, 0, 30, 20],
            vec![10, 12, 8, 20],
            vec![10, 9, 8, 11, 20, 12, 10, 9, 11],
        ] {
            let processes = work.len().isqrt();
            let [one, other]: [Vec<u64>; 2] = [0, 1].map(|odd| {
                let of = |(i, &work): (usize, &u64)| if i % 2 == odd { 1000 * work } else { 0 };
                work.iter().enumerate().map(of).collect()
            });
            let shares = Shares::new(processes, &[one, other]);
            let mut loads = vec![0.0; processes];
            for (i, &work) in work.iter().enumerate() {
                let (a, b) = (i / processes, i % processes);
                let (lower, higher) = (a.min(b), a.max(b));
                let part = shares.of(lower, higher) as f64 / RANGE as f64;
                loads[lower] += part * work as f64;
                loads[higher] += (1.0 - part) * work as f64;
            }
            let mean = work.iter().sum::<u64>() as f64 / processes as f64;
            for load in &loads {
                assert!((load / mean - 1.0).abs() < 0.01, "{loads:?}");
            }
        }
    }
}
