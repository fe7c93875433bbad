//! `chess compare`: positions searched by each of the parallel strategies.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::atomic::{self, AtomicBool};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use everymove_engine::score::UciScore;
use everymove_engine::{
    Activity, Clock, Engine, Game, Limits, Options, SearchReport, SearchResult, Signals, Strategy,
    bench,
};
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::grouped;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::game::GameRequest;
use super::notation;
use super::range::within;
use crate::error::Error;
use crate::picture::Content;
use crate::request::{Answer, Request, Updates};
use crate::terminal::{OnTerminal, Shown, Text};

/// How often the counters of the threads are reported.
const INTERVAL: Duration = Duration::from_millis(100);

/// The most memory of the hash table in bytes; the same for each search.
const HASH: u64 = 32 << 20;

/// The positions that are searched where none is given.
const POSITIONS: u32 = 5;

/// The most that a strategy may take, in times of one thread.
const PATIENCE: u32 = 10;

/// Positions searched by each parallel strategy to the same depth: medians of the speed-ups
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct CompareRequest {
    /// The game.
    #[command(flatten)]
    #[serde(flatten)]
    game: GameRequest,
    /// Positions of the bench, 1 to 40, in place of a game [default: 5 where no game is given]
    #[arg(long, value_name = "N", conflicts_with_all = ["fen", "moves", "pgn"])]
    positions: Option<u32>,
    /// The strategies, of Sequential, RootSplitting, YBWC, ABDADA and LazySMP [default: all; one
    /// thread is always searched first]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[serde(default)]
    strategies: Vec<String>,
    /// The depth in plies, 1 to 60 [default: the depth that one thread completes in the time]
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Seconds for one thread, and ten times as many at most for each strategy [default: 3, of
    /// several positions 1 each; without a limit if a depth is given]
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct ComparePlan {
    games: Vec<Game>,
    notes: Vec<String>,
    strategies: Vec<Strategy>,
    depth: Option<u32>,
    time: Option<Duration>,
}

/// The searches, those of a position one after another.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompareAnswer {
    /// The positions in the order of their searches.
    positions: Vec<ComparedPosition>,
    /// The number of threads of all but the first search of each position.
    threads: usize,
    /// Each strategy over all positions.
    strategies: Vec<StrategySummary>,
    /// The searches in their order, that with one thread first for each position.
    searches: Vec<StrategySearch>,
    /// What was repaired in the position, a line for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// A position.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ComparedPosition {
    /// The position.
    fen: String,
    /// The depth to which its searches are compared.
    depth: u32,
}

/// A strategy over all positions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct StrategySummary {
    /// The strategy.
    strategy: String,
    /// Positions in which it completed the depth of the comparison.
    complete: usize,
    /// How many times as fast as one thread.
    speedup: Spread,
    /// How many times as many nodes as one thread.
    node_ratio: Spread,
}

/// A median with the smallest and the greatest value. A search that did not complete the depth
/// counts as slower than any other; null where it is the value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct Spread {
    /// The median; of an even number the mean of the two in the middle.
    median: Option<f64>,
    /// The smallest.
    least: Option<f64>,
    /// The greatest.
    greatest: Option<f64>,
}

impl Spread {
    /// Of some values, `None` for those that are worse than all others.
    fn of(values: impl Iterator<Item = Option<f64>>) -> Self {
        let mut values: Vec<_> = values.collect();
        values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        let middle = |index: usize| values.get(index).copied().flatten();
        let half = values.len() / 2;
        let median = match values.len() % 2 {
            1 => middle(half),
            _ => {
                (half.checked_sub(1).and_then(middle).zip(middle(half))).map(|(a, b)| (a + b) / 2.0)
            }
        };
        Self {
            median,
            least: values.first().copied().flatten(),
            greatest: values.last().copied().flatten(),
        }
    }

    /// The median, the smallest and the greatest in columns.
    fn columns(self) -> String {
        let text = |value: Option<f64>| value.map_or("-".to_owned(), |n| format!("{n:.2}"));
        let range = format!("{} to {}", text(self.least), text(self.greatest));
        format!("{:>8} {range:>13}", text(self.median))
    }
}

/// The search of one strategy.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct StrategySearch {
    /// The number of the position, from 1.
    position: usize,
    /// The strategy.
    strategy: String,
    /// Its threads.
    threads: usize,
    /// The depth of its last complete iteration.
    depth: u32,
    /// Seconds until the depth of the comparison was complete; of the whole search if it was not.
    seconds: f64,
    /// Nodes until then.
    nodes: u64,
    /// Seconds of one thread divided by the seconds of this search; null if it did not complete
    /// the depth.
    speedup: Option<f64>,
    /// Nodes of this search divided by those of one thread; null if it did not complete the depth.
    node_ratio: Option<f64>,
    /// The best move in standard algebraic notation.
    best: Option<String>,
    /// The score for White.
    score: Option<String>,
    /// What each thread did.
    workers: Vec<Worker>,
}

/// What a thread did.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct Worker {
    /// Nodes searched.
    nodes: u64,
    /// Split points opened: nodes offered to other threads.
    opened: u64,
    /// Split points of other threads joined.
    joined: u64,
    /// Seconds without work.
    idle_seconds: f64,
    /// Whether it has no work now.
    idle: bool,
}

/// An intermediate result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "lowercase")]
pub(super) enum CompareUpdate {
    /// A search begins.
    Start {
        /// The number of the position, from 1.
        position: usize,
        /// The strategy.
        strategy: String,
        /// Its threads.
        threads: usize,
        /// The number of the search, from 0.
        number: usize,
        /// The number of searches.
        searches: usize,
    },
    /// An iteration is complete.
    Iteration {
        /// The strategy.
        strategy: String,
        /// Its depth.
        depth: u32,
        /// Seconds since the search began.
        seconds: f64,
        /// Nodes of all threads.
        nodes: u64,
        /// The score for White.
        score: String,
        /// The line in standard algebraic notation.
        line: String,
    },
    /// What the threads did up to now.
    Threads {
        /// The strategy.
        strategy: String,
        /// Seconds since the search began.
        seconds: f64,
        /// Nodes of all threads.
        nodes: u64,
        /// Each thread.
        workers: Vec<Worker>,
    },
    /// A search has ended.
    End {
        /// Its result.
        search: StrategySearch,
    },
}

impl Request for CompareRequest {
    const COMMAND: &'static str = "chess compare";
    const IS_SERVED: bool = true;
    type Plan = ComparePlan;
    type Answer = CompareAnswer;

    fn plan(&self) -> Result<ComparePlan, Error> {
        let named = self.strategies.iter().map(|name| name.parse::<Strategy>());
        let mut strategies: Vec<_> = named
            .collect::<Result<_, _>>()
            .map_err(Error::field("strategies"))?;
        if strategies.is_empty() {
            strategies = Strategy::ALL.to_vec();
        }
        strategies.retain(|strategy| *strategy != Strategy::Sequential);
        let mut seen = Vec::new();
        strategies.retain(|strategy| {
            let first = !seen.contains(strategy);
            seen.push(*strategy);
            first
        });
        if let Some(depth) = &self.depth {
            within("depth", depth, &(1..=60))?;
        }
        if let Some(seconds) = &self.time {
            within("time", seconds, &(0.05..=600.0))?;
        }
        if let Some(positions) = &self.positions {
            within(
                "positions",
                positions,
                &(1..=bench::positions().count() as u32),
            )?;
        }
        let mut notes = Vec::new();
        let games = match (self.game.is_given(), self.positions) {
            (true, Some(_)) => {
                let line = "expected a game or a number of positions, not both";
                return Err(Error::message(Some("positions"), line));
            }
            (true, None) => {
                let checked = self.game.plan()?;
                notes = checked.notes;
                vec![checked.game]
            }
            (false, positions) => {
                let count = positions.unwrap_or(POSITIONS) as usize;
                // Evenly from the whole list, whose positions are of every phase.
                let all: Vec<_> = bench::positions().collect();
                let chosen = (0..count).map(|i| all[i * all.len() / count].clone());
                chosen.map(Game::from).collect()
            }
        };
        let time = match (self.time, self.depth) {
            (None, None) if games.len() > 1 => Some(1.0),
            (None, None) => Some(3.0),
            (time, _) => time,
        };
        Ok(ComparePlan {
            games,
            notes,
            strategies,
            depth: self.depth,
            time: time.map(Duration::from_secs_f64),
        })
    }

    fn run(plan: &ComparePlan, run: &Run) -> Result<CompareAnswer, Error> {
        Self::run_with_updates(plan, run, &mut |_| {})
    }

    fn run_with_updates(
        plan: &ComparePlan,
        run: &Run,
        updates: &mut Updates<'_>,
    ) -> Result<CompareAnswer, Error> {
        let searches = plan.games.len() * (1 + plan.strategies.len());
        (run.progress).start("searching with one thread", searches as u64);
        let mut comparison = Comparison {
            run,
            updates,
            searches,
            done: Vec::new(),
        };
        let mut positions = Vec::new();
        let limits = |depth, time: Option<Duration>| Limits {
            depth,
            clock: time.map(Clock::PerMove),
            ..Limits::default()
        };
        for (game, number) in plan.games.iter().zip(1..) {
            run.progress.rename("searching with one thread".to_owned());
            let alone = limits(plan.depth, plan.time);
            let depth = comparison.search((game, number), Strategy::Sequential, 1, &alone, None)?;
            for &strategy in &plan.strategies {
                run.progress.rename(format!("searching with {strategy}"));
                let limits = limits(Some(depth), plan.time.map(|time| time * PATIENCE));
                let threads = run.threads.get();
                comparison.search((game, number), strategy, threads, &limits, Some(depth))?;
            }
            positions.push(ComparedPosition {
                fen: game.position().fen(),
                depth,
            });
        }
        let done = comparison.done;
        let summary = |strategy: &Strategy| {
            let name = strategy.to_string();
            let own = || done.iter().filter(|search| search.strategy == name);
            StrategySummary {
                complete: own().filter(|search| search.speedup.is_some()).count(),
                speedup: Spread::of(own().map(|search| search.speedup)),
                node_ratio: Spread::of(own().filter_map(|search| search.node_ratio.map(Some))),
                strategy: name.clone(),
            }
        };
        Ok(CompareAnswer {
            positions,
            threads: run.threads.get(),
            strategies: plan.strategies.iter().map(summary).collect(),
            searches: done,
            notes: plan.notes.clone(),
        })
    }
}

/// A file of the searches.
#[derive(Debug, clap::Args)]
pub struct CompareView {
    /// Write a line for each search into this file, as comma-separated values
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

impl OnTerminal for CompareRequest {
    type View = CompareView;

    fn files(view: &CompareView) -> Result<Vec<&Path>, Error> {
        Ok(view.csv.iter().map(PathBuf::as_path).collect())
    }

    fn show(_: &ComparePlan, answer: &CompareAnswer, _: &CompareView) -> Result<Shown, Error> {
        let text = match &answer.positions[..] {
            [position] => answer.table(position),
            _ => answer.medians(),
        };
        Ok(Shown {
            text: Text::same(text),
            files: vec![Content::Bytes(answer.csv().into_bytes())],
        })
    }
}

impl CompareAnswer {
    /// The strategies over all positions.
    fn medians(&self) -> String {
        let depths = || self.positions.iter().map(|position| position.depth);
        let (least, most) = (depths().min().unwrap_or(0), depths().max().unwrap_or(0));
        let mut text = format!(
            "{} positions to depths {least} to {most}, {} threads against one: medians, least and greatest\n\n{:<14} {:>8} {:>13} {:>8} {:>13} {:>9}\n",
            self.positions.len(),
            self.threads,
            "",
            "speed-up",
            "",
            "nodes",
            "",
            "complete"
        );
        for each in &self.strategies {
            text += &format!(
                "{:<14} {} {} {:>9}\n",
                each.strategy,
                each.speedup.columns(),
                each.node_ratio.columns(),
                format!("{} of {}", each.complete, self.positions.len())
            );
        }
        text
    }

    /// The searches as comma-separated values; no field has a comma.
    fn csv(&self) -> String {
        let mut text = "position,fen,goal,strategy,threads,depth,seconds,nodes,speedup,node_ratio,best,score,opened,joined,idle_seconds\n".to_owned();
        for search in &self.searches {
            let ComparedPosition { fen, depth: goal } = &self.positions[search.position - 1];
            let number = |value: Option<f64>| value.map(|n| n.to_string()).unwrap_or_default();
            text += &format!(
                "{},{fen},{goal},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                search.position,
                search.strategy,
                search.threads,
                search.depth,
                search.seconds,
                search.nodes,
                number(search.speedup),
                number(search.node_ratio),
                search.best.as_deref().unwrap_or_default(),
                search.score.as_deref().unwrap_or_default(),
                search.workers.iter().map(|w| w.opened).sum::<u64>(),
                search.workers.iter().map(|w| w.joined).sum::<u64>(),
                search.workers.iter().map(|w| w.idle_seconds).sum::<f64>(),
            );
        }
        text
    }

    /// The searches of the only position.
    fn table(&self, position: &ComparedPosition) -> String {
        let mut text = format!(
            "{}\ndepth {}\n\n{:<14} {:>7} {:>9} {:>13} {:>8} {:>7} {:>7} {:>7}\n",
            position.fen,
            position.depth,
            "",
            "threads",
            "seconds",
            "nodes",
            "speed-up",
            "opened",
            "joined",
            "idle"
        );
        let one = self.searches.first().map_or(0.0, |one| one.seconds);
        for search in &self.searches {
            let workers = &search.workers;
            // A search that did not complete the depth would have taken longer.
            let bound = || format!("<{:.2}", one / search.seconds.max(1e-6));
            let speedup = search.speedup.map_or_else(bound, |n| format!("{n:.2}"));
            text += &format!(
                "{:<14} {:>7} {:>9.3} {:>13} {speedup:>8} {:>7} {:>7} {:>6.2}s\n",
                search.strategy,
                search.threads,
                search.seconds,
                grouped(search.nodes),
                workers.iter().map(|w| w.opened).sum::<u64>(),
                workers.iter().map(|w| w.joined).sum::<u64>(),
                workers.iter().map(|w| w.idle_seconds).sum::<f64>(),
            );
        }
        text
    }
}

impl Answer for CompareAnswer {
    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn work(&self) -> Work {
        Work::of("nodes", self.searches.iter().map(|s| s.nodes).sum())
    }
}

/// The searches of a comparison.
struct Comparison<'a, 'u, 'f> {
    run: &'a Run,
    updates: &'u mut Updates<'f>,
    searches: usize,
    done: Vec<StrategySearch>,
}

impl Comparison<'_, '_, '_> {
    /// Searches with a strategy; returns the depth of its last complete iteration. `goal` is the
    /// depth of the comparison, `None` for the first search, which decides it.
    fn search(
        &mut self,
        (game, number): (&Game, usize),
        strategy: Strategy,
        threads: usize,
        limits: &Limits,
        goal: Option<u32>,
    ) -> Result<u32, Error> {
        let position = game.position();
        let name = strategy.to_string();
        send(
            self.updates,
            &CompareUpdate::Start {
                position: number,
                strategy: name.clone(),
                threads,
                number: self.done.len(),
                searches: self.searches,
            },
        );
        let activity = Arc::new(Activity::new(threads));
        let signals = Signals::with_stop(self.run.stop.clone()).counting(activity.clone());
        let reports = Mutex::new(Vec::<SearchReport>::new());
        let ended = AtomicBool::new(false);
        let options = Options {
            threads,
            strategy,
            hash: HASH,
            overhead: Duration::ZERO,
            ..Options::default()
        };
        let ram = &self.run.ram;
        let mut engine = Engine::reserved(options.within(ram), ram)?;
        // The thread of this function reports, another searches: the listener is called while a
        // lock of the search is held.
        let result: SearchResult = std::thread::scope(|scope| {
            let searching = scope.spawn(|| {
                let mut listener = |report: &SearchReport| {
                    let mut reports = reports.lock().unwrap_or_else(PoisonError::into_inner);
                    reports.push(report.clone());
                };
                let result = engine.search(game, limits, &signals, &mut listener);
                ended.store(true, atomic::Ordering::Release);
                result
            });
            let mut sent = 0;
            loop {
                let over = ended.load(atomic::Ordering::Acquire) || searching.is_finished();
                let new: Vec<_> = {
                    let reports = reports.lock().unwrap_or_else(PoisonError::into_inner);
                    reports[sent..].to_vec()
                };
                sent += new.len();
                for report in new {
                    if let Some(line) = report.lines.first() {
                        let score = UciScore::for_white(line.score, position.turn());
                        let update = CompareUpdate::Iteration {
                            strategy: name.clone(),
                            depth: report.depth,
                            seconds: report.elapsed.as_secs_f64(),
                            nodes: report.nodes,
                            score: score.in_pawns(),
                            line: notation::line(position, &line.pv),
                        };
                        send(self.updates, &update);
                    }
                }
                let workers = workers(&activity);
                let update = CompareUpdate::Threads {
                    strategy: name.clone(),
                    seconds: signals.elapsed().as_secs_f64(),
                    nodes: workers.iter().map(|w| w.nodes).sum(),
                    workers,
                };
                send(self.updates, &update);
                if over {
                    break;
                }
                std::thread::sleep(INTERVAL);
            }
            searching
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        self.run.stop.check()?;
        let reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
        // The result is chosen by all threads and may be that of one which is less deep.
        let deepest = reports.iter().map(|report| report.depth).max();
        let depth = deepest.unwrap_or(result.report.depth);
        let goal = goal.unwrap_or(depth);
        // The first report at the depth of the comparison is when it was complete.
        let complete = reports.iter().find(|report| report.depth >= goal);
        let (seconds, nodes) = match complete {
            Some(report) => (report.elapsed.as_secs_f64(), report.nodes),
            None => (result.report.elapsed.as_secs_f64(), result.report.nodes),
        };
        let first = self.done.iter().find(|search| search.position == number);
        let compared = first.filter(|_| complete.is_some());
        let line = result.report.lines.first();
        let search = StrategySearch {
            position: number,
            strategy: name,
            threads,
            depth,
            seconds,
            nodes,
            speedup: match first {
                None => Some(1.0),
                Some(_) => compared.map(|one| one.seconds / seconds.max(1e-6)),
            },
            node_ratio: match first {
                None => Some(1.0),
                Some(_) => compared.map(|one| nodes as f64 / one.nodes.max(1) as f64),
            },
            best: result.best.map(|m| notation::san(position, m)),
            score: line.map(|l| UciScore::for_white(l.score, position.turn()).in_pawns()),
            workers: workers(&activity),
        };
        self.run.progress.advance(1);
        self.run.progress.worked(nodes);
        send(
            self.updates,
            &CompareUpdate::End {
                search: search.clone(),
            },
        );
        self.done.push(search);
        Ok(depth)
    }
}

fn send(updates: &mut Updates<'_>, update: &CompareUpdate) {
    // A struct of numbers and texts is always a value.
    if let Ok(value) = serde_json::to_value(update) {
        updates(value);
    }
}

fn workers(activity: &Activity) -> Vec<Worker> {
    let worker = |thread: everymove_engine::ThreadActivity| Worker {
        nodes: thread.nodes,
        opened: thread.opened,
        joined: thread.joined,
        idle_seconds: thread.idle.as_secs_f64(),
        idle: thread.is_idle,
    };
    activity.threads().into_iter().map(worker).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_strategy_is_searched_and_reported() {
        let json = r#"{"fen":"r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3","depth":7}"#;
        let request: CompareRequest = crate::read(json).unwrap();
        let run = Run::serial().with_threads(2);
        let mut events: Vec<Value> = Vec::new();
        let plan = request.plan().unwrap();
        let answer =
            CompareRequest::run_with_updates(&plan, &run, &mut |u| events.push(u)).unwrap();
        assert_eq!(answer.positions.len(), 1);
        assert_eq!(answer.positions[0].depth, 7);
        let names: Vec<_> = answer
            .searches
            .iter()
            .map(|s| s.strategy.as_str())
            .collect();
        assert_eq!(
            names,
            ["Sequential", "RootSplitting", "YBWC", "ABDADA", "LazySMP"]
        );
        let count = |kind: &str| events.iter().filter(|e| e["event"] == kind).count();
        assert_eq!((count("start"), count("end")), (5, 5));
        assert!(count("iteration") >= 25 && count("threads") >= 5);
        for search in &answer.searches {
            assert!(search.depth >= 7 && search.speedup.is_some(), "{search:?}");
            assert_eq!(search.workers.len(), search.threads);
            let nodes: u64 = search.workers.iter().map(|w| w.nodes).sum();
            assert!(
                nodes >= search.nodes && search.workers[0].nodes > 0,
                "{search:?}"
            );
        }
        let root = &answer.searches[1].workers;
        assert!(
            root[0].opened > 0,
            "split points of root splitting: {root:?}"
        );
        assert!(answer.searches[0].workers[0].opened == 0);
    }

    #[test]
    fn several_positions_have_medians_and_a_line_for_each_search() {
        let json = r#"{"positions":3,"depth":5,"strategies":["YBWC","LazySMP"]}"#;
        let request: CompareRequest = crate::read(json).unwrap();
        let plan = request.plan().unwrap();
        let answer = CompareRequest::run(&plan, &Run::serial().with_threads(2)).unwrap();
        let place = |s: &StrategySearch| (s.position, s.strategy.clone());
        let places: Vec<_> = answer.searches.iter().map(place).collect();
        let expected: Vec<_> = (1..=3)
            .flat_map(|n| ["Sequential", "YBWC", "LazySMP"].map(|name| (n, name.to_owned())))
            .collect();
        assert_eq!(places, expected);
        for each in &answer.strategies {
            let own = answer
                .searches
                .iter()
                .filter(|s| s.strategy == each.strategy);
            let mut speedups: Vec<f64> = own.filter_map(|s| s.speedup).collect();
            speedups.sort_by(f64::total_cmp);
            let Spread {
                median,
                least,
                greatest,
            } = each.speedup;
            assert_eq!([least, median, greatest].map(Option::unwrap), speedups[..]);
            assert_eq!(each.complete, 3);
        }
        let csv = answer.csv();
        assert_eq!(csv.lines().count(), 10, "{csv}");
        let fields = |line: &str| line.split(',').count();
        assert!(csv.lines().all(|line| fields(line) == 15), "{csv}");
        let shown = answer.medians();
        assert!(
            shown.contains("3 positions to depths 5 to 5, 2 threads"),
            "{shown}"
        );
    }

    #[test]
    fn a_search_that_did_not_end_is_the_slowest() {
        let spread = |values: &[Option<f64>]| {
            let Spread {
                median,
                least,
                greatest,
            } = Spread::of(values.iter().copied());
            (median, least, greatest)
        };
        assert_eq!(
            spread(&[Some(2.0), None, Some(1.0)]),
            (Some(1.0), None, Some(2.0))
        );
        assert_eq!(spread(&[Some(2.0), None]), (None, None, Some(2.0)));
        assert_eq!(
            spread(&[Some(2.0), Some(1.0)]),
            (Some(1.5), Some(1.0), Some(2.0))
        );
        assert_eq!(spread(&[]), (None, None, None));
    }

    #[test]
    fn wrong_fields_are_named() {
        for (json, field) in [
            (r#"{"positions":0}"#, "positions"),
            (r#"{"positions":2,"moves":["e4"]}"#, "positions"),
            (r#"{"strategies":["none"]}"#, "strategies"),
            (r#"{"depth":100}"#, "depth"),
            (r#"{"time":0}"#, "time"),
        ] {
            let request: CompareRequest = crate::read(json).unwrap();
            assert_eq!(request.plan().unwrap_err().wrong_field(), Some(field));
        }
    }
}
