//! The Universal Chess Interface, between any reader and any writer.
//!
//! One thread reads commands; each search runs on threads of its own, so that `stop`, `ponderhit`
//! and `isready` are answered at once, and `d` beside a search. Other commands end a running search
//! first, and wait for the result of a running `bench` or `perft`, unless `stop` ends it. Nothing
//! that is read ends the session except `quit` and the end of the input; what is not understood is
//! reported in one `info string` line and otherwise ignored, and every `go` is answered by a
//! `bestmove`. Any white space separates words.

mod go;
mod lines;
mod options;
mod text;

use std::fmt::Display;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::Builder;
use std::time::Duration;

use everymove_arena::fen;
use everymove_kernel::run::{Run, Stop};
use everymove_kernel::text::shown;
use shakmaty::CastlingMode;

use crate::engine::{Engine, Options};
use crate::error::HashError;
use crate::eval::Network;
use crate::game::Game;
use crate::position::Position;
use crate::score::UciScore;
use crate::search::limits::Limits;
use crate::search::limits::Signals;
use crate::search::run::STACK_BYTES;
use crate::search::run::{SearchReport, SearchResult};
use crate::strength::Strength;
use crate::{bench, perft};
use options::Settings;

/// The name that chess programs show.
const NAME: &str = concat!("everymove ", env!("CARGO_PKG_VERSION"));

/// Work for the search thread. The thread lives as long as the session: on a busy machine a new
/// thread gets its first time slice later than a sleeping one its next, while the clock runs.
type Work<'env> = Box<dyn FnOnce() + Send + 'env>;

/// How often the stop flag is checked while a command waits for a result.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// What runs beside the reading of commands.
struct Running {
    task: Task,
    /// Disconnected when the work is done, or has panicked.
    done: Receiver<()>,
}

impl Running {
    fn is_finished(&self) -> bool {
        matches!(self.done.try_recv(), Err(TryRecvError::Disconnected))
    }

    /// Waits until the work is done; raises its own stop once `run` is stopped.
    fn wait(self, run: &Run) {
        while let Err(RecvTimeoutError::Timeout) = self.done.recv_timeout(STOP_CHECK) {
            if run.stop.is_raised() {
                self.task.stop();
            }
        }
    }
}

enum Task {
    /// A search. Any command ends it but a question and what is not understood.
    Search(Arc<Signals>),
    /// A bench or a perft. Only `stop` ends it; other commands wait for its result.
    Count(Stop),
}

impl Task {
    fn stop(&self) {
        match self {
            Self::Search(signals) => signals.stop(),
            Self::Count(stop) => stop.raise(),
        }
    }
}

/// The state between commands.
struct Session<'env, W> {
    engine: &'env Mutex<Engine>,
    output: &'env Mutex<W>,
    settings: Settings,
    game: Game,
    /// Whether the last position was refused: a move of another one would be of no use to the
    /// other side.
    refused: bool,
    run: &'env Run,
    worker: Sender<Work<'env>>,
}

/// Reads commands until `quit` or the end of the input. What is left of `run.ram` bounds the hash
/// table.
///
/// At the end of the input whatever runs is stopped at once: a search reports the move that it has
/// found, a count is abandoned. `quit` ends a search, too, but waits for a count.
pub fn serve<R: BufRead, W: Write + Send>(input: R, output: W, run: &Run) {
    serve_with(input, output, Options::default(), run);
}

/// [`serve`], with other initial options; the other side may change them.
pub fn serve_with<R: BufRead, W: Write + Send>(
    mut input: R,
    output: W,
    options: Options,
    run: &Run,
) {
    let mut settings = Settings::new(options, run.ram.left());
    let output = Mutex::new(output);
    let engine = match start(&mut settings.options) {
        Ok(engine) => Mutex::new(engine),
        Err(e) => {
            send(&output, &format!("info string {e}"));
            return;
        }
    };
    std::thread::scope(|scope| {
        let (worker, work) = channel::<Work<'_>>();
        let work_loop = move || {
            for work in work {
                // The panic was reported on standard error; the thread continues with the next
                // command.
                let _ = catch_unwind(AssertUnwindSafe(work));
            }
        };
        let builder = Builder::new().stack_size(STACK_BYTES);
        if let Err(e) = builder.spawn_scoped(scope, work_loop) {
            send(&output, &format!("info string cannot start a thread: {e}"));
            return;
        }
        let mut session = Session {
            engine: &engine,
            output: &output,
            settings,
            game: Game::default(),
            refused: false,
            run,
            worker,
        };
        let mut running = None;
        let mut line = Vec::new();
        loop {
            match lines::read(&mut input, &mut line) {
                lines::Read::End => {
                    stop(&mut running, run);
                    return;
                }
                lines::Read::TooLong => {
                    let most = lines::MAX_LINE;
                    session.inform(format!("a line of more than {most} bytes was ignored"));
                }
                lines::Read::Line => {
                    let text = String::from_utf8_lossy(&line);
                    if !session.execute(text.trim(), &mut running) {
                        end(&mut running, run);
                        return;
                    }
                }
            }
        }
    });
}

/// An engine with as much of the wanted hash table as the system grants.
fn start(options: &mut Options) -> Result<Engine, HashError> {
    loop {
        match Engine::new(options.clone()) {
            Err(_) if options.hash > options::MIB => options.hash /= 2,
            result => return result,
        }
    }
}

/// Ends a search, or waits for the result of a count.
fn end(running: &mut Option<Running>, run: &Run) {
    if let Some(running) = running.take() {
        if let Task::Search(signals) = &running.task {
            signals.stop();
        }
        running.wait(run);
    }
}

/// Ends a search or a count.
fn stop(running: &mut Option<Running>, run: &Run) {
    if let Some(running) = running {
        running.task.stop();
    }
    end(running, run);
}

/// Waits for the result of a count; a search continues. True while one runs.
fn wait_for_count(running: &mut Option<Running>, run: &Run) -> bool {
    let searching = |running: &Running| matches!(running.task, Task::Search(_));
    let continues = running.as_ref().is_some_and(searching);
    if !continues {
        end(running, run);
    }
    continues
}

/// What precedes a word of a text, and what follows it if it is there, without surrounding blanks.
fn around<'a>(text: &'a str, word: &str) -> (&'a str, Option<&'a str>) {
    let ends = |letter: Option<char>| letter.is_none_or(char::is_whitespace);
    let parts = |(at, _): (usize, &str)| (&text[..at], &text[at + word.len()..]);
    let whole = |&(before, after): &(&str, &str)| {
        ends(before.chars().next_back()) && ends(after.chars().next())
    };
    let found = text.match_indices(word).map(parts).find(whole);
    match found {
        Some((before, after)) => (before.trim(), Some(after.trim())),
        None => (text.trim(), None),
    }
}

/// The words of a text with a blank between them.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl<'env, W: Write + Send> Session<'env, W> {
    /// Executes a command; false for `quit`.
    fn execute(&mut self, line: &str, running: &mut Option<Running>) -> bool {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if running.as_ref().is_some_and(Running::is_finished) {
            end(running, self.run);
        }
        match command {
            "" => {}
            "quit" => return false,
            "uci" => self.send(&self.greeting()),
            "isready" => self.send("readyok"),
            "stop" => stop(running, self.run),
            "ponderhit" => {
                if let Some(Running {
                    task: Task::Search(signals),
                    ..
                }) = running
                {
                    signals.ponder_hit();
                }
            }
            "debug" | "register" => {}
            "d" => {
                wait_for_count(running, self.run);
                self.send(&text::board(&self.game));
            }
            "eval" if wait_for_count(running, self.run) => {
                self.inform("eval: not beside a search");
            }
            "ucinewgame" | "setoption" | "position" | "go" | "bench" | "perft" | "eval" => {
                end(running, self.run);
                let done = match command {
                    "ucinewgame" => {
                        self.engine().clear();
                        Ok(())
                    }
                    "setoption" => self.set_option(rest),
                    "position" => self.set_position(rest),
                    "go" if self.refused => {
                        self.inform("go: the last position was refused, so nothing is searched");
                        if !rest.split_whitespace().any(|word| word == "perft") {
                            self.send("bestmove 0000");
                        }
                        Ok(())
                    }
                    "go" => self.go(rest).map(|search| *running = Some(search)),
                    "bench" => self.bench(rest).map(|count| *running = Some(count)),
                    "perft" => self.perft(rest).map(|count| *running = Some(count)),
                    _ => self.evaluation(),
                };
                if let Err(fault) = done {
                    self.inform(fault);
                }
            }
            _ => {
                wait_for_count(running, self.run);
                self.inform(format!("unknown command: {}", shown(command)));
            }
        }
        true
    }

    fn engine(&self) -> MutexGuard<'env, Engine> {
        self.engine.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn send(&self, text: &str) {
        send(self.output, text);
    }

    fn inform(&self, message: impl Display) {
        self.send(&format!("info string {message}"));
    }

    fn greeting(&self) -> String {
        let options = self.settings.declarations();
        format!("id name {NAME}\nid author the everymove authors\n{options}uciok")
    }

    fn mode(&self) -> CastlingMode {
        CastlingMode::from_chess960(self.settings.chess960)
    }

    fn set_option(&mut self, rest: &str) -> Result<(), String> {
        let ("", Some(words)) = around(rest, "name") else {
            return Err("setoption: expected 'name'".into());
        };
        let (name, value) = around(words, "value");
        let change = self.settings.set(&spaced(name), value)?;
        let mut engine = self.engine();
        match change {
            options::Change::Options => {
                if let Err(refused) = engine.set_options(self.settings.options.clone()) {
                    self.settings.options.hash = engine.options().hash;
                    let kept = self.settings.options.hash / options::MIB;
                    return Err(format!("{refused}: it stays at {kept} MiB"));
                }
            }
            options::Change::ClearHash => engine.clear_table(),
            options::Change::Syzygy(path) => {
                let pieces = engine.set_syzygy(&path).map_err(|e| e.to_string())?;
                let faults = engine.table_faults();
                drop(engine);
                for fault in faults {
                    self.inform(format!("not used: {fault}"));
                }
                self.send(&format!(
                    "info string endgame tables of up to {pieces} pieces"
                ));
            }
            options::Change::Tables(folder) => {
                let men = engine.set_tables(&folder).map_err(|e| e.to_string())?;
                drop(engine);
                self.send(&format!(
                    "info string own endgame tables of up to {men} men"
                ));
            }
            options::Change::Network(path) => {
                let network = match path.as_str() {
                    "" | "<empty>" => None,
                    path => {
                        let network = Network::open(Path::new(path)).map_err(|e| e.to_string())?;
                        Some(Arc::new(network))
                    }
                };
                engine.set_network(network);
                let hidden = engine.network().hidden();
                drop(engine);
                self.send(&format!("info string network of {hidden} hidden units"));
            }
            options::Change::Nothing => {}
        }
        Ok(())
    }

    fn set_position(&mut self, rest: &str) -> Result<(), String> {
        let set = self.try_set_position(rest);
        self.refused = set.is_err();
        set
    }

    fn try_set_position(&mut self, rest: &str) -> Result<(), String> {
        let (place, moves) = around(rest, "moves");
        let (mut fen, mut mode) = match (place, around(place, "fen")) {
            ("startpos", _) => (Position::default().fen(), self.mode()),
            (_, ("", Some(fen))) => (spaced(fen), self.mode()),
            _ => return Err("position: expected startpos or fen".into()),
        };
        if let Some(repaired) = fen::repaired(&fen, mode) {
            self.inform(repaired.note);
            (fen, mode) = (repaired.fen, repaired.mode);
        }
        let position = Position::from_fen(&fen, mode)
            .map_err(|e| format!("{e}: the position stays {}", self.game.position().fen()))?;
        self.game = Game::from(position);
        for text in moves.unwrap_or_default().split_whitespace() {
            let m = self.game.position().parse_uci(text).ok_or_else(|| {
                let fen = self.game.position().fen();
                let move_text = shown(text);
                format!(
                    "'{move_text}' is not a legal move in {fen}: the position is the one before it"
                )
            })?;
            self.game.play(m);
        }
        Ok(())
    }

    fn go(&self, rest: &str) -> Result<Running, String> {
        let go::Go { task, ignored } = go::parse(rest, self.game.position());
        if let Some(ignored) = ignored {
            self.inform(ignored);
        }
        let limits = match task {
            go::Task::Perft(depth) => return self.perft(&depth.to_string()),
            go::Task::Search(limits) => limits,
        };
        let strength = (self.settings.limit_strength).then(|| Strength::elo(self.settings.elo));
        let limits = match &strength {
            Some(strength) => strength.limits(limits),
            None => limits,
        };
        let signals = Arc::new(Signals::new());
        let writer = text::InfoWriter::new(&self.settings, self.game.position());
        let (engine, output) = (self.engine, self.output);
        let (game, mine) = (self.game.clone(), Arc::clone(&signals));
        let work = move || {
            if let Some(line) = writer.over() {
                send(output, line);
            }
            let mut engine = engine.lock().unwrap_or_else(|e| e.into_inner());
            let options = engine.options().clone();
            if let Some(strength) = &strength {
                // The size of the hash table is the same: nothing is allocated that could be
                // refused.
                let _ = engine.set_options(strength.options(options.clone()));
            }
            let reported = Mutex::new(None);
            let listener = &mut |report: &SearchReport| {
                *reported.lock().unwrap_or_else(|e| e.into_inner()) = Some(report.clone());
                if !send(output, &writer.report(report)) {
                    mine.stop();
                }
            };
            let on_result = &mut |result: &SearchResult| {
                wait_for_permission(&mine, &limits);
                let choice = strength
                    .as_ref()
                    .map_or((result.best, result.ponder), |s| s.choose(result, &game));
                let reported = reported.lock().unwrap_or_else(|e| e.into_inner());
                let last = writer.last_report(&result.report, choice.0, reported.as_ref());
                if let Some(last) = last {
                    send(output, &last);
                }
                for fault in &result.table_faults {
                    send(output, &format!("info string not used: {fault}"));
                }
                send(output, &writer.best(choice));
            };
            engine.search_here(&game, &limits, &mine, listener, on_result);
            if strength.is_some() {
                let _ = engine.set_options(options);
            }
        };
        self.begin(Task::Search(signals), work)
    }

    fn bench(&self, rest: &str) -> Result<Running, String> {
        let depth = match rest {
            "" => bench::DEPTH,
            text => options::number(text, 1, 40)?,
        };
        self.count(move |run| {
            let bench = bench::run(depth, &run.stop, |_, _| {}).map_err(|e| e.to_string())?;
            Ok(text::bench(&bench))
        })
    }

    fn perft(&self, rest: &str) -> Result<Running, String> {
        let depth = options::number(rest, 1, 15)?;
        let position = self.game.position().clone();
        self.count(move |run| {
            let counts = perft::divide(&position, depth, run).map_err(|e| e.to_string())?;
            Ok(text::perft(&position, &counts))
        })
    }

    /// Runs a count on the search thread, and sends its result, or the error, unless it is stopped.
    fn count(
        &self,
        work: impl FnOnce(&Run) -> Result<String, String> + Send + 'env,
    ) -> Result<Running, String> {
        let stop = Stop::default();
        let run = Run {
            stop: stop.clone(),
            ..self.run.with_threads(self.settings.options.threads)
        };
        let output = self.output;
        let work = move || {
            match work(&run) {
                Ok(text) => send(output, &text),
                Err(fault) => send(output, &format!("info string {fault}")),
            };
        };
        self.begin(Task::Count(stop), work)
    }

    /// Passes work to the search thread.
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
        self.send(&format!("evaluation {} for white", white.in_pawns()));
        Ok(())
    }
}

/// The move of an `infinite` or `ponder` search may be sent only after `stop` or `ponderhit`.
fn wait_for_permission(signals: &Signals, limits: &Limits) {
    let is_pondering = || limits.ponder && !signals.is_ponder_hit();
    while !signals.is_stopped() && (limits.infinite || is_pondering()) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Writes lines and flushes them; false if the output is closed.
fn send<W: Write>(output: &Mutex<W>, text: &str) -> bool {
    let mut output = output.lock().unwrap_or_else(|e| e.into_inner());
    writeln!(output, "{text}")
        .and_then(|()| output.flush())
        .is_ok()
}
