//! Where the elimination starts, where its halves meet, and which half takes which of the edges in the middle.
//!
//! One half eliminates the rows from the bottom, the other those from the top, until only `reach` rows remain, which
//! both have as their frontier. The edges among the remaining rows belong to one half each. On a board that looks the
//! same upside down, edges are distributed so that both halves are the same computation; whatever they still have in
//! common at the beginning is computed once.

use everymove_kernel::grid::{Square, Symmetry};
use everymove_kernel::run::Stop;

use super::FrontierError;
use super::steps::{Action, Edges, Fold, Step};
use super::strip::{Images, Strip};
use crate::board::{Board, Kind};

/// The steps of a count.
pub(super) enum Plan {
    /// Eliminate every square; the last layer holds the answer.
    OneWay(Vec<Step>),
    /// Two halves that meet in the middle.
    Meet(Meet),
}

/// Two halves with a common beginning.
pub(super) struct Meet {
    /// The steps that both halves begin with.
    pub(super) common: Vec<Step>,
    /// The steps of the first half after that.
    pub(super) first: Vec<Step>,
    /// The steps of the second half after that.
    pub(super) second: Vec<Step>,
    /// The second half's slot for each slot of the first half's last frontier.
    pub(super) facing: Vec<u8>,
    /// The mirror symmetry of the second half's last frontier.
    pub(super) second_fold: Option<Fold>,
}

impl Plan {
    /// Plans the count of tours of `board`, all of them or those that begin at `start`.
    pub(super) fn new(
        board: &Board,
        kind: Kind,
        start: Option<Square>,
        stop: &Stop,
    ) -> Result<Self, FrontierError> {
        let strip = Strip::new(board, kind, start);
        let Some((above, below)) = halves(&strip) else {
            return Ok(Self::OneWay(strip.elimination(
                strip.rows(),
                Images::Together,
                stop,
            )?));
        };
        let other = strip.flipped(board);
        let mut first = strip.elimination(below, Images::Together, stop)?;
        let mut second = other.elimination(above, Images::Together, stop)?;
        let middle = Middle::new(&strip, below);
        let (ours, theirs) = middle.distribute(below == above && strip.flips());
        first.extend(ours.into_iter().map(|group| middle.step(&strip, group)));
        let theirs: Vec<Group> = theirs
            .iter()
            .map(|group| group.iter().map(|&(a, b)| middle.flipped(a, b)).collect())
            .collect();
        second.extend(theirs.into_iter().map(|group| middle.step(&other, group)));
        Ok(Self::Meet(Meet::of(
            [&strip, &other],
            [below, above],
            first,
            second,
            usize::MAX,
        )))
    }
}

impl Meet {
    /// Two halves, given the strip, the rows that are eliminated and all steps of each; at most `most_common` steps are
    /// taken together.
    fn of(
        strips: [&Strip; 2],
        rows: [usize; 2],
        mut first: Vec<Step>,
        mut second: Vec<Step>,
        most_common: usize,
    ) -> Self {
        let [strip, other] = strips;
        let same = first
            .iter()
            .zip(&second)
            .take(most_common)
            .take_while(|(a, b)| a == b)
            .count();
        let common = first.drain(..same).collect();
        second.drain(..same);
        Self {
            common,
            first,
            second,
            facing: facing(
                strip,
                other,
                &strip.numbers_in(rows[0]..rows[0] + strip.reach()),
                &other.numbers_in(rows[1]..rows[1] + strip.reach()),
            ),
            second_fold: strip
                .mirrors()
                .then(|| Middle::new(other, rows[1]).fold(other)),
        }
    }

    /// The halves of a count by classes: the first eliminates one row more (or equally many) and takes no edge of the
    /// middle; its last row is its own and not folded, so that the degrees on one side are a class. The second takes all edges of
    /// the middle. `None` if the board has too few rows to meet in the middle.
    pub(super) fn by_classes(
        strip: &Strip,
        board: &Board,
        stop: &Stop,
    ) -> Result<Option<Self>, FrontierError> {
        let Some((above, below)) = halves(strip) else {
            return Ok(None);
        };
        let other = strip.flipped(board);
        let mut first = strip.elimination(above, Images::Together, stop)?;
        if let Some(last) = first.last_mut() {
            last.fold = None;
        }
        let mut second = other.elimination(below, Images::Together, stop)?;
        let middle = Middle::new(&other, below);
        let (groups, _) = middle.distribute(false);
        second.extend(groups.into_iter().map(|group| middle.step(&other, group)));
        let shared = strip.numbers_in(0..above - 1).len();
        Ok(Some(Self::of(
            [strip, &other],
            [above, below],
            first,
            second,
            shared,
        )))
    }
}

/// The rows that the larger and the smaller half eliminate; `None` if there are too few.
fn halves(strip: &Strip) -> Option<(usize, usize)> {
    let halves = strip.rows() - strip.reach();
    let gap = (0..strip.rows()).any(|row| strip.numbers_in(row..row + 1).is_empty());
    (halves >= 2 && !gap).then(|| (halves - halves / 2, halves / 2))
}

impl Plan {
    /// All steps, each of which makes a layer.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        let steps = match self {
            Self::OneWay(steps) => [&steps[..], &[], &[]],
            Self::Meet(meet) => [&meet.common[..], &meet.first, &meet.second],
        };
        steps.into_iter().flatten()
    }

    /// The most slots that a frontier has.
    pub(super) fn slots(&self) -> usize {
        self.steps().map(|step| step.slots_out).max().unwrap_or(0)
    }
}

/// The second half's slot for each slot of the first half.
fn facing(
    strip: &Strip,
    other: &Strip,
    window: &std::ops::Range<usize>,
    other_window: &std::ops::Range<usize>,
) -> Vec<u8> {
    let apex = usize::from(strip.apex());
    let place = |square: Square| {
        let rows = strip.rows();
        let (row, col) = (square / strip.cols(), square % strip.cols());
        (rows - 1 - row) * strip.cols() + col
    };
    let slots = window.clone().map(|n| {
        let there = place(strip.square(n));
        let number = other_window.clone().find(|&m| other.square(m) == there);
        (number.expect("both halves face the same rows") - other_window.start + apex) as u8
    });
    (0..apex as u8).chain(slots).collect()
}

/// Edges between slots of the middle that are chosen in one step.
type Group = Vec<(u8, u8)>;

/// The rows that remain between the halves.
struct Middle {
    /// The numbers of their squares.
    window: std::ops::Range<usize>,
    /// The image of each slot under reflection left to right, and upside down, where the board is symmetric.
    mirror: Vec<u8>,
    flip: Vec<u8>,
    edges: Vec<(u8, u8)>,
    /// The edge that every tour takes.
    forced: Option<(u8, u8)>,
}

impl Middle {
    fn new(strip: &Strip, row: usize) -> Self {
        let window = strip.numbers_in(row..row + strip.reach());
        let apex = usize::from(strip.apex());
        let slot = |n: usize| (n - window.start + apex) as u8;
        let mut edges = Vec::new();
        let mut forced = None;
        for n in window.clone() {
            if strip.may_end_on(n) {
                edges.push((0, slot(n)));
                if strip.start() == Some(strip.square(n)) {
                    forced = Some((0, slot(n)));
                }
            }
            let later = strip.later(n).into_iter().filter(|&w| w < window.end);
            edges.extend(later.map(|w| (slot(n), slot(w))));
        }
        let same: Vec<u8> = (0..(apex + window.len()) as u8).collect();
        let images = |symmetric: bool, symmetry| {
            if symmetric {
                strip.slot_images(&window, symmetry)
            } else {
                same.clone()
            }
        };
        let centred = 2 * row + strip.reach() == strip.rows();
        Self {
            mirror: images(strip.mirrors(), Symmetry::FlipCols),
            flip: images(centred && strip.flips(), Symmetry::FlipRows),
            window,
            edges,
            forced,
        }
    }

    /// Distributes the edges to the halves in groups that are their own mirror images. If the halves are to be alike, each
    /// gets the upside-down images of the other's groups, but for the groups that are their own image.
    fn distribute(&self, alike: bool) -> (Vec<Group>, Vec<Group>) {
        let image = |(a, b): (u8, u8), to: &[u8]| ordered(to[usize::from(a)], to[usize::from(b)]);
        let mut left = self.edges.clone();
        let (mut ours, mut theirs, mut single) = (vec![], vec![], vec![]);
        while let Some(&edge) = left.first() {
            let mut group = vec![edge, image(edge, &self.mirror)];
            group.dedup();
            let facing: Vec<_> = group.iter().map(|&e| image(e, &self.flip)).collect();
            left.retain(|e| !group.contains(e));
            if !alike || group.contains(&facing[0]) {
                single.push(group);
            } else {
                left.retain(|e| !facing.contains(e));
                ours.push(group);
                theirs.push(facing);
            }
        }
        ours.extend(single);
        (ours, theirs)
    }

    fn flipped(&self, a: u8, b: u8) -> (u8, u8) {
        ordered(self.flip[usize::from(a)], self.flip[usize::from(b)])
    }

    fn step(&self, strip: &Strip, group: Group) -> Step {
        let slots = self.mirror.len();
        let forced = self.forced.is_some_and(|edge| group.contains(&edge));
        Step {
            slots_in: slots,
            slots_out: slots,
            action: Action::Edges(Edges {
                edges: group,
                forced,
            }),
            fold: strip.mirrors().then(|| self.fold(strip).into()),
        }
    }

    fn fold(&self, strip: &Strip) -> Fold {
        Fold::new(strip.slot_images(&self.window, Symmetry::FlipCols))
    }
}

fn ordered(a: u8, b: u8) -> (u8, u8) {
    (a.min(b), a.max(b))
}
