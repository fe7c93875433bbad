//! The Universal Chess Interface, between any reader and any writer.
//!
//! One thread reads commands; each search runs on threads of its own, so that `stop`, `ponderhit` and `isready` are
//! answered at once. A command that cannot come while a search runs ends the search first; bench and perft are waited for, unless `stop` ends them. Nothing that is read can
//! stop the loop except `quit` and the end of the input: what is not understood costs one `info string` line.

mod go;
mod handicap;
mod options;
mod show;

use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::Builder;

use everymove_kernel::run::{Run, Stop, Stopped};
use shakmaty::CastlingMode;

use crate::score::UciScore;
use crate::search::{STACK, Signals};
use crate::{Engine, Game, Limits, Options, Position, bench, perft};
use options::Settings;

/// The name that programs show.
const NAME: &str = concat!("everymove ", env!("CARGO_PKG_VERSION"));

/// Work for the thread that searches. It lives as long as the session: on a busy machine a new thread waits for its first turn longer
/// than a sleeping one for its next, and a clock runs meanwhile.
type Work<'env> = Box<dyn FnOnce() + Send + 'env>;

/// What runs beside the reading of commands.
struct Running {
    task: Task,
    /// Closed when the work is done, or has panicked.
    done: Receiver<()>,
}

impl Running {
    fn is_finished(&self) -> bool {
        matches!(self.done.try_recv(), Err(TryRecvError::Disconnected))
    }

    fn wait(self) {
        let _ = self.done.recv();
    }
}

enum Task {
    /// A search. Any command but a question ends it.
    Search {
        signals: Arc<Signals>,
        /// Whether it does not end by itself.
        endless: bool,
    },
    /// A bench or a perft. Only `stop` ends it; other commands wait for its result.
    Count(Stop),
}

/// Where a reader's text becomes an engine's work.
struct Session<'env, W> {
    engine: &'env Mutex<Engine>,
    output: &'env Mutex<W>,
    settings: Settings,
    game: Game,
    run: &'env Run,
    worker: Sender<Work<'env>>,
}

/// Reads commands until `quit` or the end of the input. `run.ram` bounds the hash table.
///
/// At the end of the input a search with an end goes on to it, an endless one is stopped.
pub fn serve<R: BufRead, W: Write + Send>(mut input: R, output: W, run: &Run) {
    let options = Options::default();
    let settings = Settings::new(options.clone(), run.ram.limit());
    let engine = Mutex::new(Engine::new(options));
    let output = Mutex::new(output);
    std::thread::scope(|scope| {
        let (worker, work) = channel::<Work<'_>>();
        let labour = move || {
            for work in work {
                // A panic has been told on standard error; the next command finds a thread that works.
                let _ = catch_unwind(AssertUnwindSafe(work));
            }
        };
        let builder = Builder::new().stack_size(STACK);
        if let Err(e) = builder.spawn_scoped(scope, labour) {
            say(&output, &format!("info string cannot start a thread: {e}"));
            return;
        }
        let mut session = Session {
            engine: &engine,
            output: &output,
            settings,
            game: Game::default(),
            run,
            worker,
        };
        let mut running = None;
        let mut line = Vec::new();
        loop {
            line.clear();
            if !matches!(input.read_until(b'\n', &mut line), Ok(n) if n > 0) {
                if let Some(search) = running.take() {
                    leave(search);
                }
                return;
            }
            let text = String::from_utf8_lossy(&line);
            if !session.obey(text.trim(), &mut running) {
                end(&mut running);
                return;
            }
        }
    });
}

/// Makes room for a command: ends a search, waits for a count.
fn end(running: &mut Option<Running>) {
    if let Some(running) = running.take() {
        if let Task::Search { signals, .. } = &running.task {
            signals.stop();
        }
        running.wait();
    }
}

/// Ends whatever runs.
fn stop(running: &mut Option<Running>) {
    if let Some(Running {
        task: Task::Count(stop),
        ..
    }) = running
    {
        stop.raise();
    }
    end(running);
}

/// Nobody can stop it any more: an endless search would stay for ever.
fn leave(running: Running) {
    if let Task::Search {
        signals,
        endless: true,
    } = &running.task
    {
        signals.stop();
    }
    running.wait();
}

impl<'env, W: Write + Send> Session<'env, W> {
    /// Does what a line says; false for `quit`.
    fn obey(&mut self, line: &str, running: &mut Option<Running>) -> bool {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if running.as_ref().is_some_and(Running::is_finished) {
            end(running);
        }
        match command {
            "" => {}
            "quit" => return false,
            "uci" => self.say(&self.greeting()),
            "isready" => self.say("readyok"),
            "stop" => stop(running),
            "ponderhit" => {
                if let Some(Running {
                    task: Task::Search { signals, .. },
                    ..
                }) = running
                {
                    signals.ponder_hit();
                }
            }
            "debug" | "register" => {}
            _ => {
                end(running);
                let done = match command {
                    "ucinewgame" => {
                        self.engine().clear();
                        Ok(())
                    }
                    "setoption" => self.set_option(rest),
                    "position" => self.set_position(rest),
                    "go" => self.go(rest).map(|search| *running = Some(search)),
                    "bench" => self.bench(rest).map(|count| *running = Some(count)),
                    "perft" => self.perft(rest).map(|count| *running = Some(count)),
                    "eval" => self.evaluation(),
                    "d" => {
                        self.say(&show::board(&self.game));
                        Ok(())
                    }
                    _ => Err(format!("unknown command: {}", shortened(command))),
                };
                if let Err(fault) = done {
                    self.say(&format!("info string {fault}"));
                }
            }
        }
        true
    }

    fn engine(&self) -> MutexGuard<'env, Engine> {
        self.engine.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn say(&self, text: &str) {
        say(self.output, text);
    }

    fn greeting(&self) -> String {
        let options = self.settings.declarations();
        format!("id name {NAME}\nid author the everymove authors\n{options}uciok")
    }

    fn mode(&self) -> CastlingMode {
        CastlingMode::from_chess960(self.settings.chess960)
    }

    fn set_option(&mut self, rest: &str) -> Result<(), String> {
        let words = rest
            .strip_prefix("name")
            .ok_or("setoption: expected 'name'")?;
        let (name, value) = match words.split_once(" value") {
            Some((name, value)) => (name.trim(), Some(value.trim())),
            None => (words.trim(), None),
        };
        let change = self.settings.set(name, value)?;
        let mut engine = self.engine();
        match change {
            options::Change::Options => engine.set_options(self.settings.options.clone()),
            options::Change::ClearHash => engine.clear_table(),
            options::Change::Syzygy(path) => {
                let pieces = engine.set_syzygy(&path).map_err(|e| e.to_string())?;
                drop(engine);
                self.say(&format!(
                    "info string endgame tables of up to {pieces} pieces"
                ));
            }
            options::Change::Tables(folder) => {
                let men = engine.set_tables(&folder).map_err(|e| e.to_string())?;
                drop(engine);
                self.say(&format!(
                    "info string own endgame tables of up to {men} men"
                ));
            }
            options::Change::Nothing => {}
        }
        Ok(())
    }

    fn set_position(&mut self, rest: &str) -> Result<(), String> {
        let (place, moves) = match rest.split_once("moves") {
            Some((place, moves)) => (place.trim(), moves),
            None => (rest, ""),
        };
        let position = if place == "startpos" {
            Position::from_fen(&Position::default().fen(), self.mode())
        } else if let Some(fen) = place.strip_prefix("fen ") {
            Position::from_fen(fen.trim(), self.mode())
        } else {
            return Err("position: expected startpos or fen".into());
        };
        let mut game = Game::from(position.map_err(|e| e.to_string())?);
        for text in moves.split_whitespace() {
            let m = game.position().parse_uci(text).ok_or_else(|| {
                let fen = game.position().fen();
                format!("'{}' is not a legal move in {fen}", shortened(text))
            })?;
            game.play(m);
        }
        self.game = game;
        Ok(())
    }

    fn go(&self, rest: &str) -> Result<Running, String> {
        let order = go::parse(rest, self.game.position())?;
        let limits = match order {
            go::Order::Perft(depth) => return self.perft(&depth.to_string()),
            go::Order::Search(limits) => limits,
        };
        let handicap = handicap::Handicap::of(&self.settings);
        let limits = handicap
            .as_ref()
            .map_or(limits.clone(), |h| h.limit(limits));
        let signals = Arc::new(Signals::new());
        let endless = limits.infinite || limits.ponder;
        let teller = show::Teller::new(&self.settings, self.game.position());
        let (engine, output) = (self.engine, self.output);
        let (game, mine) = (self.game.clone(), Arc::clone(&signals));
        let work = move || {
            let mut engine = engine.lock().unwrap_or_else(|e| e.into_inner());
            if let Some(handicap) = &handicap {
                handicap.prepare(&mut engine);
            }
            let listen = &mut |report: &crate::Report| {
                if !say(output, &teller.report(report)) {
                    mine.stop();
                }
            };
            let tell = &mut |answer: &crate::Answer| {
                wait_for_permission(&mine, &limits);
                let choice = handicap
                    .as_ref()
                    .map_or((answer.best, answer.ponder), |h| h.choose(answer, &game));
                say(output, &teller.best(choice));
            };
            engine.search_and_tell(&game, &limits, &mine, listen, tell);
            if let Some(handicap) = &handicap {
                handicap.restore(&mut engine);
            }
        };
        self.begin(Task::Search { signals, endless }, work)
    }

    fn bench(&self, rest: &str) -> Result<Running, String> {
        let depth = match rest {
            "" => bench::DEPTH,
            text => number(text, 1, 40)?,
        };
        self.count(move |run| {
            let bench = bench::run(depth, &run.stop, |_, _| {})?;
            Ok(show::bench(&bench))
        })
    }

    fn perft(&self, rest: &str) -> Result<Running, String> {
        let depth = number(rest, 1, 15)?;
        let position = self.game.position().clone();
        self.count(move |run| {
            let counts = perft::divide(&position, depth, run)?;
            Ok(show::perft(&position, &counts))
        })
    }

    /// Counts something on a thread of its own, and says the result unless it is stopped.
    fn count(
        &self,
        work: impl FnOnce(&Run) -> Result<String, Stopped> + Send + 'env,
    ) -> Result<Running, String> {
        let stop = Stop::default();
        let run = Run {
            stop: stop.clone(),
            ..self.run.with_threads(self.settings.options.threads)
        };
        let output = self.output;
        let work = move || {
            if let Ok(text) = work(&run) {
                say(output, &text);
            }
        };
        self.begin(Task::Count(stop), work)
    }

    /// Has the worker do something.
    fn begin(&self, task: Task, work: impl FnOnce() + Send + 'env) -> Result<Running, String> {
        let (end, done) = channel::<()>();
        let work = Box::new(move || {
            let _end = end;
            work();
        });
        let sent = self.worker.send(work);
        sent.map_err(|_| "the thread that searches has ended".to_owned())?;
        Ok(Running { task, done })
    }

    fn evaluation(&self) -> Result<(), String> {
        let position = self.game.position();
        let score = self.engine().evaluate(position);
        let score = score.ok_or("no evaluation: the side to move is in check")?;
        let white = UciScore::for_white(score, position.turn());
        self.say(&format!("evaluation {} for white", white.in_pawns()));
        Ok(())
    }
}

/// `infinite` and `ponder` searches keep their move to themselves until they are asked for it.
fn wait_for_permission(signals: &Signals, limits: &Limits) {
    let is_pondering = || limits.ponder && !signals.is_ponder_hit();
    while !signals.is_stopped() && (limits.infinite || is_pondering()) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Writes lines at once; false if nobody reads them.
fn say<W: Write>(output: &Mutex<W>, text: &str) -> bool {
    let mut output = output.lock().unwrap_or_else(|e| e.into_inner());
    writeln!(output, "{text}")
        .and_then(|()| output.flush())
        .is_ok()
}

/// A number within bounds.
fn number(text: &str, least: u32, most: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|n| (least..=most).contains(n));
    number.ok_or_else(|| {
        format!(
            "'{}' is not a number from {least} to {most}",
            shortened(text)
        )
    })
}

/// The beginning of a text that may be very long.
fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}
