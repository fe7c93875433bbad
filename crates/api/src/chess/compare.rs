//! `chess compare`: one position searched by each of the parallel strategies.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use everymove_engine::score::UciScore;
use everymove_engine::{
    Activity, Clock, Engine, Game, Limits, Options, SearchReport, SearchResult, Signals, Strategy,
};
use everymove_kernel::run::{Run, Work};
use everymove_kernel::text::grouped;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::game::{CheckedGame, GameRequest};
use super::notation;
use super::range::within;
use crate::error::Error;
use crate::request::{Answer, Request, Updates};
use crate::terminal::{OnTerminal, Shown, Text};

/// How often the counters of the threads are reported.
const INTERVAL: Duration = Duration::from_millis(100);

/// The most memory of the hash table in bytes; the same for each search.
const HASH: u64 = 32 << 20;

/// One position searched by each parallel strategy to the same depth
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema, clap::Args)]
pub struct CompareRequest {
    /// The game.
    #[command(flatten)]
    #[serde(flatten)]
    game: GameRequest,
    /// The strategies, of Sequential, RootSplitting, YBWC, ABDADA and LazySMP [default: all; one thread is always searched first]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[serde(default)]
    strategies: Vec<String>,
    /// The depth in plies, 1 to 60 [default: the depth that one thread completes in the time]
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Seconds for one thread, and three times as many at most for each strategy [default: 3; without a limit if a depth is given]
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
}

/// The checked question.
#[derive(Clone, Debug)]
pub struct ComparePlan {
    game: CheckedGame,
    strategies: Vec<Strategy>,
    depth: Option<u32>,
    time: Option<Duration>,
}

/// The searches, the first with one thread.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CompareAnswer {
    /// The position.
    fen: String,
    /// The depth to which the searches are compared.
    depth: u32,
    /// The number of threads of all but the first search.
    threads: usize,
    /// The searches in their order, that with one thread first.
    searches: Vec<StrategySearch>,
}

/// The search of one strategy.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct StrategySearch {
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
    /// Seconds of one thread divided by the seconds of this search; null if it did not complete the depth.
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
        let time = match (self.time, self.depth) {
            (None, None) => Some(3.0),
            (time, _) => time,
        };
        Ok(ComparePlan {
            game: self.game.plan()?,
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
        let searches = 1 + plan.strategies.len();
        (run.progress).start("searching with one thread", searches as u64);
        let mut comparison = Comparison {
            game: &plan.game.game,
            run,
            updates,
            searches,
            done: Vec::new(),
        };
        let limits = |depth, time: Option<Duration>| Limits {
            depth,
            clock: time.map(Clock::PerMove),
            ..Limits::default()
        };
        let depth = comparison.search(
            Strategy::Sequential,
            1,
            &limits(plan.depth, plan.time),
            None,
        )?;
        for &strategy in &plan.strategies {
            run.progress.rename(format!("searching with {strategy}"));
            let time = plan.time.map(|time| time * 3);
            let limits = limits(Some(depth), time);
            comparison.search(strategy, run.threads.get(), &limits, Some(depth))?;
        }
        Ok(CompareAnswer {
            fen: plan.game.game.position().fen(),
            depth,
            threads: run.threads.get(),
            searches: comparison.done,
        })
    }
}

impl OnTerminal for CompareRequest {
    type View = ();

    fn show(_: &ComparePlan, answer: &CompareAnswer, (): &()) -> Result<Shown, Error> {
        let mut text = format!(
            "{}\ndepth {}\n\n{:<14} {:>7} {:>9} {:>13} {:>8} {:>7} {:>7} {:>7}\n",
            answer.fen,
            answer.depth,
            "",
            "threads",
            "seconds",
            "nodes",
            "speed-up",
            "opened",
            "joined",
            "idle"
        );
        for search in &answer.searches {
            let workers = &search.workers;
            let speedup = search.speedup.map_or("-".to_owned(), |n| format!("{n:.2}"));
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
        Ok(Text::same(text).into())
    }
}

impl Answer for CompareAnswer {
    fn work(&self) -> Work {
        Work::of("nodes", self.searches.iter().map(|s| s.nodes).sum())
    }
}

/// The searches of a comparison.
struct Comparison<'a, 'u, 'f> {
    game: &'a Game,
    run: &'a Run,
    updates: &'u mut Updates<'f>,
    searches: usize,
    done: Vec<StrategySearch>,
}

impl Comparison<'_, '_, '_> {
    /// Searches with a strategy; returns the depth of its last complete iteration. `goal` is the depth of the comparison,
    /// `None` for the first search, which decides it.
    fn search(
        &mut self,
        strategy: Strategy,
        threads: usize,
        limits: &Limits,
        goal: Option<u32>,
    ) -> Result<u32, Error> {
        let position = self.game.position();
        let name = strategy.to_string();
        send(
            self.updates,
            &CompareUpdate::Start {
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
        // The thread of this function reports, another searches: the listener is called while a lock of the search is held.
        let result: SearchResult = std::thread::scope(|scope| {
            let searching = scope.spawn(|| {
                let mut listener = |report: &SearchReport| {
                    let mut reports = reports.lock().unwrap_or_else(PoisonError::into_inner);
                    reports.push(report.clone());
                };
                let result = engine.search(self.game, limits, &signals, &mut listener);
                ended.store(true, Ordering::Release);
                result
            });
            let mut sent = 0;
            loop {
                let over = ended.load(Ordering::Acquire) || searching.is_finished();
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
        let first = self.done.first();
        let compared = first.filter(|_| complete.is_some());
        let line = result.report.lines.first();
        let search = StrategySearch {
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
        assert_eq!(answer.depth, 7);
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
    fn wrong_fields_are_named() {
        for (json, field) in [
            (r#"{"strategies":["none"]}"#, "strategies"),
            (r#"{"depth":100}"#, "depth"),
            (r#"{"time":0}"#, "time"),
        ] {
            let request: CompareRequest = crate::read(json).unwrap();
            assert_eq!(request.plan().unwrap_err().wrong_field(), Some(field));
        }
    }
}
