//! The progress line on the terminal: phase, parts done, speed, memory and the time left.

use std::collections::VecDeque;
use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use everymove_kernel::run::{Bytes, Run, Snapshot};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that ends within this time shows no progress line: it would only flicker.
const DELAY: Duration = Duration::from_millis(400);

const INTERVAL: Duration = Duration::from_millis(125);

/// Columns of the bar on a wide terminal.
const BAR: usize = 24;

/// Columns of the bar on others.
const SHORT_BAR: usize = 10;

/// Columns of a wide terminal.
const WIDE: usize = 100;

/// From this number of parts on their share is shown, not their number.
const MANY_PARTS: u64 = 100_000;

/// Reserved memory up to this many bytes is not shown.
const WORTH_SHOWING: u64 = 32 << 20;

/// The fields that fit into a number of columns, most important first; the others are left out
/// whole.
fn fitting(fields: &[String], columns: usize) -> String {
    let mut line = String::new();
    for field in fields {
        let separator = if line.is_empty() { "" } else { " · " };
        let width = line.chars().count() + separator.chars().count() + field.chars().count();
        if line.is_empty() || width <= columns {
            line += separator;
            line += field;
        }
    }
    line
}

/// Draws the progress line from a thread of its own until it is dropped. Does nothing unless
/// standard error is a terminal.
pub(crate) struct Display(Option<(Sender<()>, JoinHandle<()>)>);

impl Display {
    pub(crate) fn start(run: &Run) -> Self {
        if !stderr().is_terminal() {
            return Self(None);
        }
        let (end, ended) = mpsc::channel();
        let run = run.clone();
        let draw = move || {
            if ended.recv_timeout(DELAY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let mut pace = Pace::new();
            loop {
                show(&bar, &run, &mut pace);
                if ended.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            bar.finish_and_clear();
        };
        // Where the system refuses a thread the work goes on without the line.
        let thread = std::thread::Builder::new().spawn(draw).ok();
        Self(thread.map(|thread| (end, thread)))
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

/// The bar, if the parts of the phase are known, with the fields beside it.
fn show(bar: &ProgressBar, run: &Run, pace: &mut Pace) {
    let now = run.progress.snapshot();
    let columns = usize::from(console::Term::stderr().size().1);
    let width = if columns < WIDE { SHORT_BAR } else { BAR };
    let template = match now.total {
        0 => "{spinner} {wide_msg}".to_owned(),
        _ => format!("{{bar:{width}.magenta/black.bright}} {{wide_msg}}"),
    };
    let columns = columns.saturating_sub(if now.total > 0 { width + 1 } else { 2 });
    let held = (run.ram.used() > WORTH_SHOWING).then(|| run.ram.used());
    let fields = fields(&now, pace, run.stop.is_raised(), held);
    // Before the style and the position, which draw the line.
    bar.set_message(fitting(&fields, columns));
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style.progress_chars("━━╌"));
    }
    if now.total > 0 {
        bar.set_length(now.total);
        bar.set_position(now.done.min(now.total));
    }
    bar.tick();
}

/// What is being done, the time that is left or was spent, how far it is, the work, the memory that
/// is `held`: most important first.
fn fields(now: &Snapshot, pace: &mut Pace, is_stopping: bool, held: Option<u64>) -> Vec<String> {
    let names = [
        now.stage.as_deref().unwrap_or_default(),
        &now.part,
        &now.phase,
    ];
    let names = names.into_iter().filter(|name| !name.is_empty());
    let mut fields: Vec<String> = names.map(str::to_owned).collect();
    // A computation of several stages knows its own time; it may be over.
    let left = match (&now.stage, now.left) {
        (Some(_), left) => left.filter(|left| !left.is_zero()),
        (None, _) => pace.left(now),
    };
    let time = match left {
        Some(left) => format!("about {} left", duration(left)),
        None => format!("{} so far", duration(pace.begin.elapsed())),
    };
    fields.insert(1.min(fields.len()), time);
    if is_stopping {
        fields.insert(0, "stopping".into());
    }
    if now.total >= MANY_PARTS {
        let done = now.done.min(now.total);
        fields.push(format!("{:.1} %", 100.0 * done as f64 / now.total as f64));
    } else if now.total > 0 {
        fields.push(format!("{} of {}", now.done, now.total));
    }
    if now.work > 0 {
        fields.push(format!("{} steps", rounded(now.work as f64)));
        if let Some(rate) = pace.rate(now.work) {
            fields.push(format!("{} a second", rounded(rate)));
        }
    }
    fields.extend(held.map(|bytes| format!("{} of memory", Bytes(bytes))));
    fields
}

/// Measures the speed of a phase. No estimate is given before enough of the phase is done, and
/// while estimates disagree: parts may take very different times.
struct Pace {
    begin: Instant,
    phase: String,
    phase_begin: Instant,
    first_done: u64,
    first_work: Option<u64>,
    /// The seconds at which an estimate was made since the begin of the phase, and the estimated
    /// seconds of the phase.
    estimates: VecDeque<(f64, f64)>,
}

/// Estimates of the last half of the time may differ by this factor.
const AGREEMENT: f64 = 1.5;

impl Pace {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            begin: now,
            phase: String::new(),
            phase_begin: now,
            first_done: 0,
            first_work: None,
            estimates: VecDeque::new(),
        }
    }

    fn rate(&mut self, work: u64) -> Option<f64> {
        let first = *self.first_work.get_or_insert(work);
        let seconds = self.begin.elapsed().as_secs_f64();
        (seconds > 1.0 && work > first).then(|| (work - first) as f64 / seconds)
    }

    /// The time left in this phase if its parts take equal times.
    fn left(&mut self, now: &Snapshot) -> Option<Duration> {
        if now.phase != self.phase || now.done < self.first_done {
            self.phase = now.phase.clone();
            self.phase_begin = Instant::now();
            self.first_done = now.done;
            self.estimates.clear();
        }
        let seconds = self.phase_begin.elapsed().as_secs_f64();
        let done = now.done.saturating_sub(self.first_done);
        let all = now.total.saturating_sub(self.first_done);
        self.estimate(seconds, done, all)
    }

    /// The time left after `seconds`, in which `done` parts of `all` were done: `None` until a
    /// twentieth is done, or if the estimates of the last half of the time disagree.
    fn estimate(&mut self, seconds: f64, done: u64, all: u64) -> Option<Duration> {
        if done == 0 || all <= done {
            return None;
        }
        let whole = seconds * all as f64 / done as f64;
        self.estimates.push_back((seconds, whole));
        while self
            .estimates
            .front()
            .is_some_and(|&(at, _)| at < seconds / 2.0)
        {
            self.estimates.pop_front();
        }
        let wholes = self.estimates.iter().map(|&(_, whole)| whole);
        let least = wholes.clone().fold(whole, f64::min);
        let most = wholes.fold(whole, f64::max);
        let enough = seconds > 2.0 && done >= 3 && done * 20 >= all;
        (enough && most <= AGREEMENT * least).then(|| Duration::from_secs_f64(whole - seconds))
    }
}

/// A number in three significant digits: `950`, `12.3 k`, `4.56 G`.
fn rounded(value: f64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match units.iter().find(|(unit, _)| value >= *unit) {
        Some((unit, name)) => format!("{:.3} {name}", value / unit)
            .chars()
            .enumerate()
            .filter(|(i, c)| *i < 4 && !(*i == 3 && *c == '.') || c.is_alphabetic() || *c == ' ')
            .map(|(_, c)| c)
            .collect(),
        None => format!("{value:.0}"),
    }
}

fn duration(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=89 => format!("{seconds} s"),
        seconds @ 90..=5399 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_do_not_fit_are_left_out_whole() {
        let fields = ["counting", "about 40 s left", "3 of 9", "12 M of memory"].map(str::to_owned);
        assert_eq!(
            fitting(&fields, 80),
            "counting · about 40 s left · 3 of 9 · 12 M of memory"
        );
        assert_eq!(fitting(&fields, 36), "counting · about 40 s left · 3 of 9");
        assert_eq!(fitting(&fields, 20), "counting · 3 of 9");
        assert_eq!(fitting(&fields, 3), "counting");
    }

    #[test]
    fn the_most_important_fields_come_first() {
        let now = Snapshot {
            stage: Some("experiment 3 of 9 · pegs-search".into()),
            left: Some(Duration::from_secs(40)),
            part: "5 of 12".into(),
            phase: "searching for a solution".into(),
            done: 262_144,
            total: 1 << 20,
            work: 1_234_567,
        };
        let line = |now: &Snapshot, stopping, columns| {
            fitting(
                &fields(now, &mut Pace::new(), stopping, Some(64 << 20)),
                columns,
            )
        };
        assert_eq!(
            line(&now, false, 69),
            "experiment 3 of 9 · pegs-search · about 40 s left · 5 of 12 · 25.0 %"
        );
        let alone = Snapshot {
            stage: None,
            left: None,
            part: String::new(),
            total: 12,
            done: 3,
            ..now
        };
        assert_eq!(
            line(&alone, false, 69),
            "searching for a solution · 0 s so far · 3 of 12 · 1.23 M steps"
        );
        assert_eq!(line(&alone, true, 30), "stopping · 0 s so far");
        let nothing = Snapshot::default();
        assert_eq!(line(&nothing, false, 69), "0 s so far · 64M of memory");
    }

    #[test]
    fn time_left_is_shown_while_estimates_agree() {
        let mut pace = Pace::new();
        let mut left = |seconds: u32, done| {
            let left = pace.estimate(f64::from(seconds), done, 20);
            left.map(|left| left.as_secs())
        };
        // A part each second.
        assert_eq!(
            [1, 2, 3].map(|s| left(s, u64::from(s))),
            [None, None, Some(17)]
        );
        assert_eq!(left(10, 10), Some(10));
        // Nothing for eight seconds: the estimates are 20 and 36 seconds.
        assert_eq!(left(18, 10), None);
        assert_eq!(left(40, 20), None);
    }

    #[test]
    fn numbers_and_times_are_short() {
        let texts = [7.0, 950.0, 12_345.0, 123_456.0, 1_234_567.0, 4.56e9].map(rounded);
        assert_eq!(texts, ["7", "950", "12.3 k", "123 k", "1.23 M", "4.56 G"]);
        let times = [5, 89, 90, 600, 7200].map(|s| duration(Duration::from_secs(s)));
        assert_eq!(times, ["5 s", "89 s", "2 min", "10 min", "2.0 h"]);
    }
}
