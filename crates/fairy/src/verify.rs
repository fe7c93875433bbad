//! Every value derived again from the rules: definitions are read by another reader, moves are
//! walked square by square on a board of men, and each value, draws too, must follow from those of
//! the moves. Nothing of `moves` and of the reader of notation in the kernel is used.

use std::path::Path;

use everymove_kernel::parallel;
use everymove_kernel::run::Run;

use crate::ending::{BareKing, Ending, Metric, Side, Stalemate};
use crate::error::FairyError;
use crate::store::{open, open_file};
use crate::table::{Blocks, Table, Value};

/// What was verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Positions whose values were compared.
    pub positions: u64,
    /// Moves that were walked.
    pub moves: u64,
    /// The first wrong value.
    pub wrong: Option<String>,
}

/// Verifies every position of a table file by the tables of its folder that captures lead to.
///
/// # Errors
/// [`FairyError`] if a table cannot be read.
pub fn verify(path: &Path, run: &Run) -> Result<Verified, FairyError> {
    let table = Table::read(&open_file(path)?, run)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let ending = table.ending();
    let smaller =
        (0..ending.men.len()).map(|man| Table::read(&open(&ending.without(man), folder)?, run));
    let smaller = smaller.collect::<Result<Vec<_>, FairyError>>()?;
    let game = Game::new(&table, &smaller);
    let slices = 0..table.index().slices.len();
    let threads = parallel::for_each(run, slices, Verified::default, |sum, slice| {
        if sum.wrong.is_none() {
            game.slice(slice, sum);
        }
    })?;
    let mut sum = Verified::default();
    for thread in threads {
        sum.positions += thread.positions;
        sum.moves += thread.moves;
        sum.wrong = sum.wrong.or(thread.wrong);
    }
    Ok(sum)
}

/// A walk: steps of one size, up to a number of them.
#[derive(Clone, Copy, Debug)]
struct Walk {
    step: (i32, i32),
    most: i32,
    to_vacant: bool,
    to_enemy: bool,
    over: Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    Nothing,
    /// The squares between must be vacant.
    Legs,
    OneMan,
    ManBefore,
}

/// A man on the board.
#[derive(Clone, Copy)]
struct Stone {
    side: Side,
    /// `None` is the royal.
    man: Option<usize>,
}

struct Game<'a> {
    ending: &'a Ending,
    table: &'a Table,
    smaller: &'a [Table],
    files: i32,
    ranks: i32,
    royals: [Vec<Walk>; 2],
    men: Vec<Vec<Walk>>,
}

/// A position while it is verified.
struct Setup {
    stones: Vec<Option<Stone>>,
    royals: [usize; 2],
    men: Vec<usize>,
}

impl<'a> Game<'a> {
    fn new(table: &'a Table, smaller: &'a [Table]) -> Self {
        let ending = table.ending();
        let walks = |side: Side, notation: &str| {
            let forward = if side == 0 { 1 } else { -1 };
            walks(notation, forward)
        };
        let men = ending.men.iter();
        Self {
            ending,
            table,
            smaller,
            files: ending.board.cols() as i32,
            ranks: ending.board.rows() as i32,
            royals: [0, 1].map(|side| walks(side, &ending.royals[side].notation)),
            men: men
                .map(|man| walks(man.side, &man.definition.notation))
                .collect(),
        }
    }

    fn slice(&self, slice: usize, sum: &mut Verified) {
        let squares = self.ending.board.len();
        let royals = self.table.index().slices[slice].map(usize::from);
        let mut setup = Setup {
            stones: vec![None; squares],
            royals,
            men: vec![0; self.ending.men.len()],
        };
        for position in 0..squares.pow(self.ending.men.len() as u32) {
            let mut rest = position;
            for man in setup.men.iter_mut().rev() {
                (*man, rest) = (rest % squares, rest / squares);
            }
            for side in 0..2 {
                let found = self.table.value(side, royals, &setup.men);
                let expected = self.value(&mut setup, side, sum);
                sum.positions += 1;
                if found != expected {
                    let name = |&square: &usize| self.ending.board.name(square);
                    let men: Vec<String> = royals.iter().chain(&setup.men).map(name).collect();
                    let line = format!(
                        "{} {} to move, royals and men on {}: {found:?}, but {expected:?} follows from the moves",
                        self.ending,
                        crate::ending::SIDES[side],
                        men.join(" ")
                    );
                    sum.wrong = Some(line);
                    return;
                }
            }
        }
    }

    /// The value that the values after all moves give; none if the position is not legal.
    fn value(&self, setup: &mut Setup, side: Side, sum: &mut Verified) -> Option<Value> {
        let royals = setup.royals;
        let mut all: Vec<(usize, Stone)> = Vec::with_capacity(8);
        all.extend((0..2).map(|side| (royals[side], Stone { side, man: None })));
        for (man, &square) in setup.men.iter().enumerate() {
            let side = self.ending.men[man].side;
            all.push((
                square,
                Stone {
                    side,
                    man: Some(man),
                },
            ));
        }
        let is_distinct = (1..all.len()).all(|i| all[..i].iter().all(|other| other.0 != all[i].0));
        if !is_distinct {
            return None;
        }
        for &(square, stone) in &all {
            setup.stones[square] = Some(stone);
        }
        let value = self.value_of(&all, setup, side, sum);
        for &(square, _) in &all {
            setup.stones[square] = None;
        }
        value
    }

    fn value_of(
        &self,
        all: &[(usize, Stone)],
        setup: &Setup,
        side: Side,
        sum: &mut Verified,
    ) -> Option<Value> {
        let is_attacked = |by: Side| {
            let target = setup.royals[1 - by];
            let mut hit = false;
            for &(from, stone) in all.iter().filter(|(_, stone)| stone.side == by) {
                self.walk(from, stone, &setup.stones, |to, is_capture| {
                    hit |= is_capture && to == target
                });
            }
            hit
        };
        if is_attacked(side) {
            return None;
        }
        let rules = &self.ending.rules;
        let (mut win, mut loss, mut has_draw) = (None::<u16>, None::<u16>, false);
        let (mut can_bare, mut any) = (false, false);
        for &(from, stone) in all.iter().filter(|(_, stone)| stone.side == side) {
            self.walk(from, stone, &setup.stones, |to, is_capture| {
                let taken = setup.stones[to].filter(|_| is_capture);
                if taken.is_some_and(|taken| taken.side == side || taken.man.is_none()) {
                    return;
                }
                let (mut royals, mut men) = (setup.royals, setup.men.clone());
                match stone.man {
                    None => royals[side] = to,
                    Some(man) => men[man] = to,
                }
                let taken = taken.and_then(|taken| taken.man);
                let after = match taken {
                    None => self.table.value(1 - side, royals, &men),
                    Some(man) => {
                        men.remove(man);
                        self.smaller[man].value(1 - side, royals, &men)
                    }
                };
                let Some(after) = after else { return };
                sum.moves += 1;
                any = true;
                can_bare |= taken.is_some() && self.ending.men_of(1 - side) == 2;
                let converts = taken.is_some() && rules.metric == Metric::Conversion;
                let plies = |plies: u16| if converts { 1 } else { plies + 1 };
                match after {
                    Value::Draw => has_draw = true,
                    Value::Loss(n) => win = Some(win.map_or(plies(n), |best| best.min(plies(n)))),
                    Value::Win(n) => {
                        loss = Some(loss.map_or(plies(n), |worst| worst.max(plies(n))))
                    }
                }
            });
        }
        let in_check = is_attacked(1 - side);
        if !any && in_check {
            return Some(Value::Loss(0));
        }
        let is_bare = |side| self.ending.men_of(side) == 1;
        if rules.bare_king != BareKing::None && is_bare(0) != is_bare(1) {
            return Some(match is_bare(side) {
                true if can_bare && rules.bare_king == BareKing::Shatranj => Value::Draw,
                true => Value::Loss(0),
                false => Value::Win(0),
            });
        }
        Some(match (any, win, has_draw, loss) {
            (false, ..) => match rules.stalemate {
                Stalemate::Draw => Value::Draw,
                Stalemate::Win => Value::Win(0),
                Stalemate::Loss => Value::Loss(0),
            },
            (_, Some(plies), ..) => Value::Win(plies),
            (_, None, true, _) => Value::Draw,
            (_, None, false, loss) => Value::Loss(loss.unwrap_or(0)),
        })
    }

    /// Reports the squares that a man can go to, and whether another man is there.
    fn walk(
        &self,
        from: usize,
        stone: Stone,
        stones: &[Option<Stone>],
        mut on: impl FnMut(usize, bool),
    ) {
        let walks = match stone.man {
            None => &self.royals[stone.side],
            Some(man) => &self.men[man],
        };
        let (file, rank) = (from as i32 % self.files, from as i32 / self.files);
        let square = |file: i32, rank: i32| {
            let is_on = (0..self.files).contains(&file) && (0..self.ranks).contains(&rank);
            is_on.then(|| (rank * self.files + file) as usize)
        };
        for walk in walks {
            let (dx, dy) = walk.step;
            let (mut men, mut distance, mut before) = (0, 0, false);
            loop {
                distance += 1;
                let most = walk
                    .most
                    .saturating_add(i32::from(walk.over == Over::ManBefore));
                if distance > most {
                    break;
                }
                let Some(to) = square(file + dx * distance, rank + dy * distance) else {
                    break;
                };
                let is_man = stones[to].is_some();
                let may_land = match walk.over {
                    Over::Nothing => men == 0,
                    Over::OneMan => men == 1,
                    Over::ManBefore => men == 1 && before,
                    Over::Legs => {
                        // Along the longer side to the square before the target's line, or
                        // straight.
                        let longer = dx.abs().max(dy.abs());
                        let leg = |i: i32| {
                            let is_straight = dx == 0 || dy == 0 || dx.abs() == dy.abs();
                            let part = |d: i32| match is_straight || d.abs() == longer {
                                true => d.signum() * i,
                                false => 0,
                            };
                            square(file + part(dx), rank + part(dy))
                        };
                        let vacant = |at: Option<usize>| at.is_some_and(|at| stones[at].is_none());
                        (1..longer).all(|i| vacant(leg(i)))
                    }
                };
                if may_land
                    && if is_man {
                        walk.to_enemy
                    } else {
                        walk.to_vacant
                    }
                {
                    on(to, is_man);
                }
                men += i32::from(is_man);
                before = is_man;
                if men > 1 {
                    break;
                }
            }
        }
    }
}

/// Another reader of Betza's notation, by the angles between directions and leaps. The text is
/// known to be sound.
fn walks(notation: &str, forward: i32) -> Vec<Walk> {
    let named = everymove_kernel::pieces::NAMES.iter();
    let named = named.filter(|(name, _)| name.eq_ignore_ascii_case(notation));
    let notation = named.map(|&(_, text)| text).next().unwrap_or(notation);
    let mut rest = notation;
    let mut walks = Vec::new();
    while let Some(at) = rest.find(|c: char| c.is_ascii_uppercase() || c == '(') {
        let (modifiers, from_letter) = rest.split_at(at);
        let letter = from_letter.chars().next().unwrap_or('W');
        let length = match letter {
            '(' => from_letter.find(')').map_or(1, |end| end + 1),
            _ => 1,
        };
        let (word, mut after) = from_letter.split_at(length);
        let pairs: &[(i32, i32)] = match letter {
            'W' | 'R' => &[(1, 0)],
            'F' | 'B' => &[(1, 1)],
            'K' | 'Q' => &[(1, 0), (1, 1)],
            'D' => &[(2, 0)],
            'N' => &[(2, 1)],
            'A' => &[(2, 2)],
            'H' => &[(3, 0)],
            'C' | 'L' => &[(3, 1)],
            'Z' | 'J' => &[(3, 2)],
            'G' => &[(3, 3)],
            _ => {
                let mut sides = word[1..word.len() - 1]
                    .split(',')
                    .map(|side| side.parse().unwrap_or(0));
                &[(sides.next().unwrap_or(0), sides.next().unwrap_or(0))]
            }
        };
        let mut most = if "RBQ".contains(letter) { i32::MAX } else { 1 };
        if letter != '(' && !"KQRB".contains(letter) && after.starts_with(letter) {
            (most, after) = (i32::MAX, &after[1..]);
        }
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            most = match after[..digits].parse().unwrap_or(0) {
                0 => i32::MAX,
                number => number,
            };
        }
        rest = &after[digits..];
        let has = |mode: char| modifiers.contains(mode);
        let over = match (has('n'), has('p'), has('g')) {
            (true, ..) => Over::Legs,
            (_, true, _) => Over::OneMan,
            (_, _, true) => Over::ManBefore,
            _ => Over::Nothing,
        };
        let directions: Vec<char> = modifiers
            .chars()
            .filter(|c| "fblrvsh".contains(*c))
            .collect();
        for &(a, b) in pairs {
            let mut steps = Vec::new();
            for (x, y) in [(a, b), (b, a)] {
                for (x, y) in [(x, y), (-x, y), (x, -y), (-x, -y)] {
                    if !steps.contains(&(x, y)) {
                        steps.push((x, y));
                    }
                }
            }
            let wanted = wanted(&steps, &directions);
            walks.extend(wanted.into_iter().map(|(x, y)| Walk {
                step: (x * forward, y * forward),
                most,
                to_vacant: has('m') || !has('c'),
                to_enemy: has('c') || !has('m'),
                over,
            }));
        }
    }
    walks
}

/// The leaps of a kind that some directions mean.
fn wanted(steps: &[(i32, i32)], directions: &[char]) -> Vec<(i32, i32)> {
    if directions.is_empty() {
        return steps.to_vec();
    }
    let vectors = |direction: char| -> &'static [(i32, i32)] {
        match direction {
            'f' => &[(0, 1)],
            'b' => &[(0, -1)],
            'l' => &[(-1, 0)],
            'r' => &[(1, 0)],
            'v' => &[(0, 1), (0, -1)],
            _ => &[(-1, 0), (1, 0)],
        }
    };
    let along = |step: (i32, i32), vector: (i32, i32)| step.0 * vector.0 + step.1 * vector.1;
    // Those of some leaps that are nearest to a direction.
    let nearest = |steps: Vec<(i32, i32)>, vector: (i32, i32)| {
        let most = steps
            .iter()
            .map(|&step| along(step, vector))
            .max()
            .unwrap_or(0);
        steps
            .into_iter()
            .filter(move |&step| most > 0 && along(step, vector) == most)
    };
    let towards = |vector: (i32, i32)| {
        let steps = steps.iter().copied();
        steps
            .filter(move |&step| along(step, vector) > 0)
            .collect::<Vec<_>>()
    };
    let is_straight = steps.len() == 4 && steps[0].0 * steps[0].1 == 0;
    let is_vertical = |c: char| matches!(c, 'f' | 'b' | 'v');
    let (mut all, mut i) = (Vec::new(), 0);
    while i < directions.len() {
        let first = directions[i];
        let second = directions.get(i + 1).copied();
        i += 1;
        match second {
            Some('h') => {
                i += 1;
                vectors(first).iter().for_each(|&v| all.extend(towards(v)));
            }
            Some(second)
                if second != first && !is_straight && is_vertical(first) != is_vertical(second) =>
            {
                i += 1;
                for &one in vectors(first) {
                    for &two in vectors(second) {
                        let both = towards(one)
                            .into_iter()
                            .filter(|&step| along(step, two) > 0);
                        all.extend(nearest(both.collect(), two));
                    }
                }
            }
            _ => {
                i += usize::from(second == Some(first));
                vectors(first)
                    .iter()
                    .for_each(|&v| all.extend(nearest(towards(v), v)));
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}
