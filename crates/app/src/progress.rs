//! The progress line on the terminal: phase, parts done, speed, memory and the time left.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use everymove_kernel::run::{Bytes, Run, Snapshot};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that ends within this time shows no progress line: it would only flicker.
const DELAY: Duration = Duration::from_millis(400);

const INTERVAL: Duration = Duration::from_millis(125);

/// Columns of the bar.
const BAR: usize = 24;

/// The fields that fit into a number of columns, most important first; the others are left out whole.
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

/// Draws the progress line from a thread of its own until it is dropped. Does nothing unless standard error is a
/// terminal.
pub(crate) struct Display(Option<(Sender<()>, JoinHandle<()>)>);

impl Display {
    pub(crate) fn start(run: &Run) -> Self {
        if !stderr().is_terminal() {
            return Self(None);
        }
        let (end, ended) = mpsc::channel();
        let run = run.clone();
        let thread = std::thread::spawn(move || {
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
        });
        Self(Some((end, thread)))
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

fn show(bar: &ProgressBar, run: &Run, pace: &mut Pace) {
    let now = run.progress.snapshot();
    let template = match now.total {
        0 => "{spinner} {wide_msg}",
        _ => "{bar:24.magenta/black.bright} {wide_msg}", // as wide as BAR
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━━╌"));
    }
    let stage = now.stage.clone().into_iter();
    let phase = Some(now.phase.clone()).filter(|phase| !phase.is_empty());
    let mut parts: Vec<String> = stage.chain(phase).collect();
    let columns = usize::from(console::Term::stderr().size().1);
    let columns = columns.saturating_sub(if now.total > 0 { BAR + 1 } else { 2 });
    // A computation of several stages knows its own time; it may be over.
    let left = match (&now.stage, now.left) {
        (Some(_), left) => left.filter(|left| !left.is_zero()),
        (None, _) => pace.left(&now),
    };
    if let Some(left) = left {
        parts.insert(1.min(parts.len()), format!("about {} left", duration(left)));
    }
    if run.stop.is_raised() {
        parts.push("stopping".into());
    }
    if now.total > 0 {
        bar.set_length(now.total);
        bar.set_position(now.done.min(now.total));
        parts.push(format!("{} of {}", now.done, now.total));
    }
    if now.work > 0 {
        parts.push(format!("{} steps", rounded(now.work as f64)));
        if let Some(rate) = pace.rate(now.work) {
            parts.push(format!("{} a second", rounded(rate)));
        }
    }
    if run.ram.used() > 0 {
        parts.push(format!("{} of memory", Bytes(run.ram.used())));
    }
    bar.set_message(fitting(&parts, columns));
    bar.tick();
}

/// Measures the speed of a phase. No estimate is given before enough of the phase is done.
struct Pace {
    begin: Instant,
    phase: String,
    phase_begin: Instant,
    first_done: u64,
    first_work: Option<u64>,
}

impl Pace {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            begin: now,
            phase: String::new(),
            phase_begin: now,
            first_done: 0,
            first_work: None,
        }
    }

    fn rate(&mut self, work: u64) -> Option<f64> {
        let first = *self.first_work.get_or_insert(work);
        let seconds = self.begin.elapsed().as_secs_f64();
        (seconds > 1.0 && work > first).then(|| (work - first) as f64 / seconds)
    }

    /// The time left in this phase if its parts take equal times; `None` until a twentieth of them is done.
    fn left(&mut self, now: &Snapshot) -> Option<Duration> {
        if now.phase != self.phase || now.done < self.first_done {
            self.phase = now.phase.clone();
            self.phase_begin = Instant::now();
            self.first_done = now.done;
        }
        let seconds = self.phase_begin.elapsed().as_secs_f64();
        let done = now.done.saturating_sub(self.first_done);
        let enough = seconds > 2.0 && done >= 3 && done * 20 >= now.total;
        (enough && now.total > now.done).then(|| {
            let each = seconds / done as f64;
            Duration::from_secs_f64(each * (now.total - now.done) as f64)
        })
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
    fn numbers_and_times_are_short() {
        let texts = [7.0, 950.0, 12_345.0, 123_456.0, 1_234_567.0, 4.56e9].map(rounded);
        assert_eq!(texts, ["7", "950", "12.3 k", "123 k", "1.23 M", "4.56 G"]);
        let times = [5, 89, 90, 600, 7200].map(|s| duration(Duration::from_secs(s)));
        assert_eq!(times, ["5 s", "89 s", "2 min", "10 min", "2.0 h"]);
    }
}
