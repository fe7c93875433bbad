//! The programs of the course in parallel computing, measured: a file for each document.
//!
//! Every experiment has a table `printed` with the figures of the document beside ours, a table
//! `simulated` with the speed-up that each schedule could reach on processors that are not there,
//! and the same question asked of the real solver.

pub(super) mod chess;
pub(super) mod leapfrog;
pub(super) mod pegs;
pub(super) mod symmetric;
pub(super) mod tours;

use everymove_course::schedule::{Interval, Schedule};
use everymove_course::simulate::{bound, speed_up};
use everymove_draw::chart::{Axis, Lines, Series, Timeline};

use crate::Options;
use crate::report::{Cell, Section, Table};

/// The schedules that the documents tried.
const SCHEDULES: [Schedule; 3] = [Schedule::Static, Schedule::Dynamic(1), Schedule::Guided];

fn name(schedule: Schedule) -> String {
    match schedule {
        Schedule::Static => "static".into(),
        Schedule::Dynamic(chunk) => format!("dynamic({chunk})"),
        Schedule::Guided => "guided".into(),
    }
}

/// The numbers of simulated processors: those that were asked for, else those of a usual course.
fn processors(options: &Options) -> Vec<usize> {
    match options.asked {
        true => options.threads().iter().copied().collect(),
        false => vec![1, 2, 4, 8, 16],
    }
}

/// A loop whose items have known work, in counted steps. Several loops that follow one another,
/// each in parallel, make one case.
struct Case {
    /// What is searched, and what the items are.
    what: (String, String),
    loops: Vec<Vec<u64>>,
}

impl Case {
    fn of(what: impl Into<String>, items: impl Into<String>, log: &[Interval]) -> Self {
        let mut work: Vec<(usize, u64)> = log.iter().map(|done| (done.item, done.work)).collect();
        work.sort_unstable();
        Self {
            what: (what.into(), items.into()),
            loops: vec![work.into_iter().map(|(_, steps)| steps).collect()],
        }
    }

    fn work(&self) -> u64 {
        self.loops.iter().flatten().sum()
    }

    /// Steps of the longest item of each loop: no number of processors needs fewer.
    fn critical_path(&self) -> u64 {
        let longest = self.loops.iter().map(|work| work.iter().max());
        longest.map(|most| most.copied().unwrap_or(0)).sum()
    }

    /// The ratio of all work to the sum of the times of the loops.
    fn speed_up(&self, schedule: Schedule, processors: usize) -> f64 {
        let time = |work: &Vec<u64>| {
            let all: u64 = work.iter().sum();
            all as f64 / speed_up(schedule, processors, work).max(f64::MIN_POSITIVE)
        };
        let time: f64 = self.loops.iter().map(time).sum();
        self.work() as f64 / time.max(1.0)
    }

    fn bound(&self) -> f64 {
        match &self.loops[..] {
            [work] => bound(work),
            _ => self.work() as f64 / self.critical_path().max(1) as f64,
        }
    }
}

/// The speed-up of each case, schedule and number of simulated processors.
fn simulated(cases: &[Case], processors: &[usize]) -> Table {
    let mut rows = Vec::new();
    for case in cases {
        for schedule in SCHEDULES {
            for &count in processors.iter().filter(|&&count| count > 1) {
                rows.push(vec![
                    Cell::text(&case.what.0),
                    Cell::text(&case.what.1),
                    Cell::text(name(schedule)),
                    Cell::count(count),
                    Cell::count(case.work()),
                    Cell::count(case.critical_path()),
                    Cell::Ratio(case.bound()),
                    Cell::Ratio(case.speed_up(schedule, count)),
                ]);
            }
        }
    }
    Table {
        name: "simulated",
        title: "Simulated processors: counted steps of the items, divided among processors that do nothing else".into(),
        head: vec![
            "problem", "items", "schedule", "processors", "work", "critical path", "bound", "speed-up",
        ],
        rows,
    }
}

/// The speed-ups of one case beside the ideal.
fn speed_up_chart(case: &Case, processors: &[usize]) -> Section {
    let line = |name: String, value: &dyn Fn(usize) -> f64| Series {
        name,
        points: processors
            .iter()
            .map(|&p| (p as f64, value(p).into()))
            .collect(),
    };
    let mut series = vec![line("ideal".into(), &|p| p as f64)];
    for schedule in SCHEDULES {
        series.push(line(name(schedule), &|p| case.speed_up(schedule, p)));
    }
    let lines = Lines {
        title: format!(
            "{}, {}: speed-up on simulated processors",
            case.what.0, case.what.1
        ),
        x: Axis::linear("processors"),
        y: Axis::linear("times as fast as one"),
        series,
    };
    Section::Lines("speed-up", lines)
}

/// What the threads of a run did. Threads that did nothing have an empty row.
fn timeline(title: String, unit: &str, threads: usize, log: &[Interval]) -> Section {
    let mut rows = vec![Vec::new(); threads];
    for done in log {
        rows[done.thread].push((done.from, done.to));
    }
    for row in &mut rows {
        row.sort_by(|a: &(f64, f64), b| a.0.total_cmp(&b.0));
    }
    let x = Axis::linear(unit);
    Section::Timeline("timeline", Timeline { title, x, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_follow_one_another() {
        let case = Case {
            what: ("two".into(), "loops".into()),
            loops: vec![vec![4, 4], vec![6, 1, 1]],
        };
        assert_eq!((case.work(), case.critical_path()), (16, 10));
        assert_eq!(case.speed_up(Schedule::Dynamic(1), 2), 1.6);
        assert_eq!(case.speed_up(Schedule::Dynamic(1), 1), 1.0);
        assert_eq!(case.bound(), 1.6);
    }
}
