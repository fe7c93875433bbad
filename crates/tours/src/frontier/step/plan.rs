//! Where the elimination starts, where its halves meet, and which half takes which of the edges in
//! the middle.
//!
//! One half eliminates the rows from the bottom, the other those from the top, until only `reach`
//! rows remain, which both have as their frontier. The edges among the remaining rows belong to one
//! half each. On a board that looks the same upside down, edges are distributed so that both halves
//! are the same computation; whatever they still have in common at the beginning is computed once.

use std::ops::{Index, IndexMut, Range};

use everymove_kernel::grid::{Square, Symmetry};
use everymove_kernel::run::Stop;

use crate::board::{Board, Kind};
use crate::frontier::FrontierError;
use crate::frontier::step::strip::{Images, Strip};
use crate::frontier::step::{Action, Edges, Fold, Step};

/// A part of a count with steps of its own, in the order in which they are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// What both halves begin with; all of a count without halves.
    Common,
    Second,
    First,
}

impl Phase {
    /// `common`, `second` or `first`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::Second => "second",
            Self::First => "first",
        }
    }
}

/// Something of each phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Phases<T> {
    pub(crate) common: T,
    pub(crate) first: T,
    pub(crate) second: T,
}

impl<T> Phases<T> {
    pub(crate) fn each(&self) -> [&T; 3] {
        [&self.common, &self.first, &self.second]
    }
}

impl<T> Index<Phase> for Phases<T> {
    type Output = T;

    fn index(&self, phase: Phase) -> &T {
        match phase {
            Phase::Common => &self.common,
            Phase::First => &self.first,
            Phase::Second => &self.second,
        }
    }
}

impl<T> IndexMut<Phase> for Phases<T> {
    fn index_mut(&mut self, phase: Phase) -> &mut T {
        match phase {
            Phase::Common => &mut self.common,
            Phase::First => &mut self.first,
            Phase::Second => &mut self.second,
        }
    }
}

/// The steps of a count.
pub(crate) struct Plan {
    pub(crate) steps: Phases<Vec<Step>>,
    /// Where the halves meet; without halves the last common layer holds the answer.
    pub(crate) meet: Option<Meet>,
}

/// A plan of two halves.
pub(crate) struct Halves {
    pub(crate) plan: Plan,
    /// The strip upside down, which the second half eliminates.
    pub(crate) other: Strip,
    /// The numbers of the squares of either strip that remain in the middle.
    pub(crate) middles: [Range<usize>; 2],
}

/// Where two halves meet.
#[derive(Clone)]
pub(crate) struct Meet {
    /// The second half's slot for each slot of the first half's last frontier.
    pub(crate) facing: Vec<u8>,
    /// The mirror symmetry of the second half's last frontier.
    pub(crate) second_fold: Option<Fold>,
    /// Both halves are one layer.
    pub(crate) alike: bool,
}

impl Meet {
    /// The sum over all pairs is this many times the number of undirected tours.
    pub(crate) fn multiplicity(&self) -> u32 {
        match self.second_fold {
            Some(_) => 2,
            None => 1,
        }
    }
}

impl Plan {
    /// Plans the count of tours of `board`, all of them or those that begin at `start`.
    pub(crate) fn new(
        board: &Board,
        kind: Kind,
        start: Option<Square>,
        stop: &Stop,
    ) -> Result<Self, FrontierError> {
        let strip = Strip::new(board, kind, start);
        Ok(match Self::halved(&strip, board, Images::Together, stop)? {
            Some(halves) => halves.plan,
            None => Self::one_way(strip.elimination(strip.rows(), Images::Together, stop)?),
        })
    }

    /// The same in halves only; `None` if the board has too few rows to meet in the middle.
    pub(crate) fn halved(
        strip: &Strip,
        board: &Board,
        images: Images,
        stop: &Stop,
    ) -> Result<Option<Halves>, FrontierError> {
        let Some((above, below)) = halves(strip) else {
            return Ok(None);
        };
        let other = strip.flipped(board);
        let mut first = strip.elimination(below, images, stop)?;
        let mut second = other.elimination(above, images, stop)?;
        let middle = Middle::new(strip, below);
        let (ours, theirs) = middle.distribute(below == above && strip.flips());
        first.extend(ours.into_iter().map(|group| middle.step(strip, group)));
        let theirs: Vec<Group> = theirs
            .iter()
            .map(|group| group.iter().map(|&(a, b)| middle.flipped(a, b)).collect())
            .collect();
        second.extend(theirs.into_iter().map(|group| middle.step(&other, group)));
        if images == Images::Apart {
            for step in first.iter_mut().chain(&mut second) {
                step.fold = None;
            }
        }
        let window = |strip: &Strip, row| strip.numbers_in(row..row + strip.reach());
        let middles = [window(strip, below), window(&other, above)];
        let (strips, steps) = ([strip, &other], [first, second]);
        let mut plan = Self::meeting(strips, [below, above], steps, usize::MAX);
        if images == Images::Apart
            && let Some(meet) = &mut plan.meet
        {
            meet.second_fold = None;
        }
        Ok(Some(Halves {
            plan,
            other,
            middles,
        }))
    }

    /// Steps that eliminate every square.
    pub(crate) fn one_way(steps: Vec<Step>) -> Self {
        Self {
            steps: Phases {
                common: steps,
                ..Phases::default()
            },
            meet: None,
        }
    }

    /// Two halves, given the strip and its flipped form, the rows that each eliminates and all
    /// steps of each; at most `most_common` steps are taken together.
    fn meeting(
        [strip, other]: [&Strip; 2],
        rows: [usize; 2],
        [mut first, mut second]: [Vec<Step>; 2],
        most_common: usize,
    ) -> Self {
        let same = first
            .iter()
            .zip(&second)
            .take(most_common)
            .take_while(|(a, b)| a == b)
            .count();
        let common = first.drain(..same).collect();
        second.drain(..same);
        let meet = Meet {
            facing: facing(
                strip,
                other,
                &strip.numbers_in(rows[0]..rows[0] + strip.reach()),
                &other.numbers_in(rows[1]..rows[1] + strip.reach()),
            ),
            second_fold: strip
                .mirrors()
                .then(|| Middle::new(other, rows[1]).fold(other)),
            alike: first.is_empty() && second.is_empty(),
        };
        Self {
            steps: Phases {
                common,
                first,
                second,
            },
            meet: Some(meet),
        }
    }

    /// The halves of a count by classes: the first eliminates one row more (or equally many) and
    /// takes no edge of the middle; its last row is its own and not folded, so that the degrees
    /// on one side are a class. The second takes all edges of the middle. `None` if the board
    /// has too few rows to meet in the middle.
    pub(crate) fn by_classes(
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
        let (strips, rows) = ([strip, &other], [above, below]);
        Ok(Some(Self::meeting(strips, rows, [first, second], shared)))
    }

    /// All steps, each of which makes a layer.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Step> {
        self.steps.each().into_iter().flatten()
    }

    /// The slots before the first step.
    pub(crate) fn first_slots(&self) -> usize {
        self.all().next().map_or(0, |step| step.slots_in)
    }

    /// The most slots that a frontier has.
    pub(crate) fn slots(&self) -> usize {
        self.all().map(|step| step.slots_out).max().unwrap_or(0)
    }
}

/// The rows that the larger and the smaller half eliminate; `None` if there are too few.
fn halves(strip: &Strip) -> Option<(usize, usize)> {
    let halves = strip.rows() - strip.reach();
    let gap = (0..strip.rows()).any(|row| strip.numbers_in(row..row + 1).is_empty());
    (halves >= 2 && !gap).then(|| (halves - halves / 2, halves / 2))
}

/// The second half's slot for each slot of the first half.
fn facing(
    strip: &Strip,
    other: &Strip,
    window: &Range<usize>,
    other_window: &Range<usize>,
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
    window: Range<usize>,
    /// The image of each slot under reflection left to right, and upside down, where the board is
    /// symmetric.
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

    /// Distributes the edges to the halves in groups that are their own mirror images. If the
    /// halves are to be alike, each gets the upside-down images of the other's groups, but for
    /// the groups that are their own image.
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
