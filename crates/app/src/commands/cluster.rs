//! `everymove cluster`: a question over several processes, in jobs or in parts.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};

use clap::Subcommand;
use everymove_api::Request;
use everymove_api::jobs::{
    ClusterQuestion, ClusterRunRequest, DistributedCount, Event, SecretAnswer, hosts, lost_advice,
};
use everymove_kernel::input::{Input, read_text};
use everymove_kernel::run::{Ram, Run};

use super::jobs::{Question, collected as collected_text};
use super::{pegs, tours};
use crate::answer::{Outcome, Text, show};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// A longer list of hosts is refused.
const HOSTS_BYTES: u64 = 1 << 20;
/// More processes than this on one machine are taken for a typing error.
const MAX_LOCAL: usize = 256;
/// How many seconds processes that this one started try to reach it: it plans the jobs as they do, and may take longer.
const TIMEOUT: u64 = 600;
/// How long processes that this one started may take to end after it.
const PATIENCE: Duration = Duration::from_secs(8);

/// The same after a failure, of which the others have been informed, or which they notice as this one did.
const PATIENCE_AFTER_FAILURE: Duration = Duration::from_secs(3);

/// What several processes do together.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer a question in several processes, of which process 0 gives the answer
    Run(Box<RunArgs>),
    /// A new secret for the processes of a run, on standard output
    Secret,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// Start this many processes on this machine; they share its threads and memory
    #[arg(long, value_name = "N", conflicts_with_all = ["hosts", "address", "process", "secret_file"])]
    local: Option<usize>,
    /// A file with the address of each process, HOST:PORT a line, process 0 first
    #[arg(long, value_name = "FILE", conflicts_with = "address")]
    hosts: Option<PathBuf>,
    /// Where process 0 listens [default: in a job of Slurm its first node, port 7411]
    #[arg(long, value_name = "HOST:PORT")]
    address: Option<String>,
    /// The number of this process, from 0 [default: in a job of Slurm that of the task]
    #[arg(long, value_name = "N")]
    process: Option<usize>,
    /// How many processes there are [default: the lines of --hosts, or the tasks of Slurm]
    #[arg(long, value_name = "N", conflicts_with_all = ["local", "hosts"])]
    processes: Option<usize>,
    /// A file with the secret of the run, 64 hexadecimal digits; - is standard input
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// How long process 0 is tried to be reached [default: 60]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// The directory of the results, a file for each job, at process 0 [default: jobs]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Save shared layers in this directory, and resume from what is there
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Count tours in layers that the processes share, in place of jobs
    #[arg(long)]
    shared_layers: bool,
    /// Count tours in jobs, and make the half that all jobs need together: all processes begin together
    #[arg(long, conflicts_with = "shared_layers")]
    shared_half: bool,
    #[command(flatten)]
    question: Question,
}

pub(crate) fn run(
    command: Command,
    session: &Session,
    cli: clap::Command,
) -> Result<Outcome, Failure> {
    match command {
        Command::Run(args) => cluster(&args, session, cli),
        Command::Secret => {
            let secret = everymove_api::jobs::Secret::random();
            let secret = secret.ok_or_else(|| {
                Failure::Resource("the system has no source of random numbers".to_owned())
            })?;
            let mut out = session.out();
            match session.format {
                OutputFormat::Json => {
                    let answer = SecretAnswer::new(&secret);
                    serde_json::to_writer(&mut out, &answer).map_err(io::Error::from)?;
                    writeln!(out)?;
                }
                _ => writeln!(out, "{}", secret.to_hexadecimal())?,
            }
            out.flush()?;
            Ok(Outcome::Yes)
        }
    }
}

fn cluster(args: &RunArgs, session: &Session, cli: clap::Command) -> Result<Outcome, Failure> {
    let Place {
        process,
        address,
        listen,
        processes,
    } = place(args, session)?;
    if args.local.is_none() && args.secret_file.is_none() {
        let line = "several machines need --secret-file FILE: make the secret with `everymove cluster secret`";
        return Err(Failure::Input(line.to_owned()));
    }
    let request = ClusterRunRequest {
        process,
        address,
        processes,
        listen,
        secret_file: args.secret_file.clone(),
        timeout: args.timeout,
        out: args.out.clone(),
        checkpoint: args.checkpoint.clone(),
        shared_layers: args.shared_layers,
        shared_half: args.shared_half,
        question: args.question.read_shared(cli, session)?,
    };
    let plan = request.plan()?;
    let mut others = Others {
        processes: args.local.unwrap_or(1),
        secret: plan.secret.to_hexadecimal(),
        words: args.question.command.clone(),
        checkpoint: args.checkpoint.clone(),
        shared_layers: args.shared_layers,
        shared_half: args.shared_half,
        threads: session.run.threads.get(),
        ram: session.run.ram.limit(),
        children: Vec::new(),
        joined: BTreeSet::new(),
        failure: None,
    };
    let run = others.share(&session.run)?;
    let mut updates = |update: serde_json::Value| {
        let Ok(event) = serde_json::from_value::<Event>(update) else {
            return;
        };
        if session.is_logging() {
            // Nobody misses a line if standard error is closed.
            let _ = writeln!(io::stderr(), "{}", line(&event));
        }
        if let Event::Joined { process, .. } = event {
            others.joined.insert(process);
        }
        if let Event::Planning { address } | Event::Awaiting { address, .. } = &event
            && let Err(error) = others.start(address)
        {
            others.failure = Some(error);
            run.stop.raise();
        }
    };
    let answer = ClusterRunRequest::run_with_updates(&plan, &run, &mut updates);
    others.end(match answer {
        Ok(_) => PATIENCE,
        Err(_) => PATIENCE_AFTER_FAILURE,
    });
    if let Some(error) = others.failure {
        return Err(Failure::resource(format!(
            "cannot start another process: {error}"
        )));
    }
    let advice = match request.question {
        ClusterQuestion::PegsCount(_) => lost_advice(request.checkpoint.is_some()),
        _ if request.shared_layers => lost_advice(request.checkpoint.is_some()),
        _ => "the same command resumes from the finished jobs",
    };
    let answer = answer.map_err(|error| {
        let error = match others.processes {
            1 => error,
            // `--ram` is what local processes share.
            several => error.of_processes(several),
        };
        Failure::from(error).advise_if_stopped(advice)
    })?;
    let (Text { bare, full }, done) = match (&answer.collected, &answer.distributed) {
        // The others would print the same.
        (None, Some(found)) if process == 0 => (
            match &found.count {
                DistributedCount::Pegs(count) => pegs::count::text(count),
                DistributedCount::Tours(count) => tours::count::text(count),
            },
            format!("was one of {}", found.processes),
        ),
        (None, Some(found)) => (Text::default(), format!("was one of {}", found.processes)),
        (collected, _) => (
            collected.as_ref().map(collected_text).unwrap_or_default(),
            format!("ran {} jobs", answer.run),
        ),
    };
    let own = format!(
        "process {process} {done}, sent {} bytes and received {}\n",
        answer.bytes_sent, answer.bytes_received
    );
    let full = full + &own;
    let text = Text { bare, full };
    show::<ClusterRunRequest>(&answer, &text, session)
}

/// Which process this is, and where it finds the others.
struct Place {
    process: usize,
    /// The address of process 0.
    address: String,
    /// Where it listens for others.
    listen: Option<String>,
    /// How many processes there are, if that is known.
    processes: Option<usize>,
}

fn place(args: &RunArgs, session: &Session) -> Result<Place, Failure> {
    if let Some(local) = args.local {
        return match (1..=MAX_LOCAL).contains(&local) {
            true => Ok(Place {
                process: 0,
                address: "127.0.0.1:0".to_owned(),
                listen: None,
                processes: Some(local),
            }),
            false => Err(Failure::Input(format!(
                "cannot start {local} processes: expected 1 to {MAX_LOCAL}"
            ))),
        };
    }
    let slurm = |name: &str| std::env::var(name).ok();
    let number = |name: &str| slurm(name).and_then(|text| text.parse().ok());
    let process = args.process.or_else(|| number("SLURM_PROCID"));
    let process = process.ok_or_else(|| {
        Failure::Input("which process is this? expected --process N, or --local N".to_owned())
    })?;
    if let Some(path) = &args.hosts {
        let input = Input::open(path, &session.run).map_err(everymove_api::Error::from)?;
        let text = read_text(input, HOSTS_BYTES).map_err(everymove_api::Error::from)?;
        let hosts = hosts::parse(&text).map_err(everymove_api::Error::from)?;
        if process >= hosts.len() {
            return Err(Failure::Input(format!(
                "there is no process {process}: {} has the addresses of {}",
                path.display(),
                hosts.len()
            )));
        }
        return Ok(Place {
            process,
            address: hosts[0].clone(),
            listen: Some(hosts[process].clone()),
            processes: Some(hosts.len()),
        });
    }
    let processes = args.processes.or_else(|| number("SLURM_STEP_NUM_TASKS"));
    let processes = processes.or_else(|| number("SLURM_NTASKS"));
    let address = match &args.address {
        Some(address) => address.clone(),
        None => {
            let nodes = slurm("SLURM_STEP_NODELIST").or_else(|| slurm("SLURM_JOB_NODELIST"));
            let nodes = nodes.ok_or_else(|| {
                Failure::Input(
                    "where is process 0? expected --hosts FILE or --address HOST:PORT".to_owned(),
                )
            })?;
            let first = hosts::first_of_slurm(&nodes).map_err(everymove_api::Error::from)?;
            format!("{first}:{}", hosts::PORT)
        }
    };
    Ok(Place {
        process,
        address,
        listen: None,
        processes,
    })
}

/// What happened, as a line for people.
fn line(event: &Event) -> String {
    match event {
        Event::Planning { address } => {
            format!("process 0 plans the jobs, then listens on {address}")
        }
        Event::Listening {
            address,
            finished,
            jobs,
        } => format!("process 0 listens on {address}: {finished} of {jobs} jobs are finished"),
        Event::Awaiting { address, processes } => {
            format!("process 0 listens on {address}: there will be {processes} processes")
        }
        Event::Left {
            process,
            address,
            why,
        } => format!("process {process} left ({address}): {why}"),
        Event::Joined { process, address } => format!("process {process} joined ({address})"),
        Event::Refused { address, why } => format!("refused {address}: {why}"),
        Event::Lost {
            process,
            address,
            why,
            jobs,
        } => format!("lost process {process} ({address}): {why}; {jobs} jobs are given to others"),
        Event::Finished {
            job,
            process,
            finished,
            jobs,
        } => format!("{job} by process {process}: {finished} of {jobs}"),
        _ => format!("{event:?}"),
    }
}

/// The other processes on this machine.
struct Others {
    /// How many processes there are in all.
    processes: usize,
    secret: String,
    words: Vec<String>,
    checkpoint: Option<PathBuf>,
    shared_layers: bool,
    shared_half: bool,
    /// Threads and memory of all together.
    threads: usize,
    ram: u64,
    children: Vec<Child>,
    /// Those of them that have joined process 0.
    joined: BTreeSet<usize>,
    failure: Option<io::Error>,
}

impl Others {
    /// The run of one process: its share of threads and memory.
    fn share(&self, run: &Run) -> Result<Run, Failure> {
        if self.processes == 1 {
            return Ok(run.clone());
        }
        let ram = Ram::of_process(self.ram / self.processes as u64);
        let ram = ram.map_err(everymove_api::Error::from)?;
        Ok(Run {
            ram,
            ..run.with_threads(self.threads / self.processes)
        })
    }

    /// Starts the other processes, unless they are started, which join process 0 at an address.
    fn start(&mut self, address: &str) -> io::Result<()> {
        if !self.children.is_empty() {
            return Ok(());
        }
        let program = std::env::current_exe()?;
        for process in 1..self.processes {
            let threads = (self.threads / self.processes).max(1);
            let mut child = Process::new(&program);
            child.args(["cluster", "run", "--quiet", "--secret-file", "-"]);
            // An interrupt of the terminal is for process 0, which ends the others.
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut child, 0);
            if let Some(folder) = &self.checkpoint {
                child.arg("--checkpoint").arg(folder);
            }
            let mut child = child
                .args(["--address", address, "--process", &process.to_string()])
                .args(["--processes", &self.processes.to_string()])
                .args(["--timeout", &TIMEOUT.to_string()])
                .args(["--threads", &threads.to_string()])
                .args(["--ram", &format!("{}", self.ram / self.processes as u64)])
                .args(self.shared_layers.then_some("--shared-layers"))
                .args(self.shared_half.then_some("--shared-half"))
                .arg("--")
                .args(&self.words)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                // Process 0 reports why a process is lost.
                .stderr(Stdio::null())
                .spawn()?;
            if let Some(mut input) = child.stdin.take() {
                writeln!(input, "{}", self.secret)?;
            }
            self.children.push(child);
        }
        Ok(())
    }

    /// Waits for the other processes, which end when process 0 does, and ends those that do not in time, and those that have not joined: they
    /// would try to reach it.
    fn end(&mut self, patience: Duration) {
        let end = Instant::now() + patience;
        for (process, child) in (1..).zip(&mut self.children) {
            let is_waited_for = self.joined.contains(&process);
            while is_waited_for && matches!(child.try_wait(), Ok(None)) && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(20));
            }
            // A child that has ended is no error.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
