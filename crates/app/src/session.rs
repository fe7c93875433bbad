//! One run of the program: its threads and memory budget, its stop flag, its progress line.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use everymove_api::budget;
pub(crate) use everymove_api::terminal::Format as OutputFormat;
use everymove_api::terminal::Screen;
use everymove_kernel::machine::Meter;
use everymove_kernel::run::{Ram, Run, Stop};
use everymove_kernel::system::report_size_limit;

use crate::failure::Failure;
use crate::options::Global;
use crate::output::{self, Out};
use crate::progress::Display;

/// One run of the program.
#[derive(Debug)]
pub(crate) struct Session {
    /// Threads, memory, stop flag, progress: what libraries take.
    pub(crate) run: Run,
    /// The numbers of threads that were given, up to the useful number; several only where a
    /// command compares them.
    pub(crate) threads: Vec<usize>,
    /// Running since the start.
    pub(crate) meter: Meter,
    /// How the answer is shown.
    pub(crate) format: OutputFormat,
    /// Whether progress may be shown.
    quiet: bool,
}

impl Session {
    /// Checks the options of every command and listens for interrupts.
    pub(crate) fn start(global: &Global) -> Result<Self, Failure> {
        for &number in &global.threads {
            budget::check_threads(number)?;
        }
        let threads = budget::threads(global.threads.iter().copied().max())?;
        let ram = Ram::of_process(budget::ram(global.ram.as_deref())?);
        let run = Run {
            stop: Stop::of_process(),
            ..Run::new(threads, ram.map_err(everymove_api::Error::from)?)
        };
        listen(run.stop.clone())?;
        report_size_limit();
        let format = match (global.json, global.quiet) {
            (true, _) => OutputFormat::Json,
            (false, true) => OutputFormat::Bare,
            (false, false) => OutputFormat::Full,
        };
        Ok(Self {
            run,
            threads: (global.threads.iter().copied().map(budget::useful_threads)).collect(),
            meter: Meter::start(),
            format,
            quiet: global.quiet,
        })
    }

    /// Refuses more than one number of threads.
    pub(crate) fn one_number_of_threads(&self) -> Result<(), Failure> {
        match self.threads[..] {
            [] | [_] => Ok(()),
            _ => Err(Failure::Input(
                "expected one number of threads: only lab run compares several".into(),
            )),
        }
    }

    /// Does some work under a progress display.
    pub(crate) fn work<T>(&self, work: impl FnOnce(&Run) -> T) -> T {
        let _display = (!self.quiet).then(|| Display::start(&self.run));
        work(&self.run)
    }

    /// Whether a log is written on standard error.
    pub(crate) fn is_logging(&self) -> bool {
        !self.quiet
    }

    /// Standard output, which does not wait for a slow reader once the run is stopped.
    pub(crate) fn out(&self) -> Out {
        output::standard(&self.run.stop)
    }

    /// Whether a live display is shown during work.
    pub(crate) fn is_interactive(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }
}

impl Screen for Session {
    fn run(&self) -> &Run {
        &self.run
    }

    fn threads(&self) -> &[usize] {
        &self.threads
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }

    fn format(&self) -> OutputFormat {
        self.format
    }

    fn commit(&self) -> &str {
        env!("EVERYMOVE_COMMIT")
    }

    fn is_live(&self) -> bool {
        self.is_interactive()
    }

    fn work(&self, work: &mut dyn FnMut(&Run)) {
        Session::work(self, work);
    }

    fn out(&self) -> Box<dyn Write + '_> {
        Box::new(Session::out(self))
    }

    fn note(&self, line: &str) {
        // Nobody misses the line if standard error is closed.
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// The first interrupt raises the stop flag, the second ends the process at once.
fn listen(stop: Stop) -> Result<(), Failure> {
    static ASKED: AtomicBool = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        stop.raise();
        // Terminals show ^C where the cursor is: it is erased before the last line is written.
        if io::stderr().is_terminal() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    })
    .map_err(|e| Failure::Resource(format!("cannot listen for interrupts: {e}")))
}
