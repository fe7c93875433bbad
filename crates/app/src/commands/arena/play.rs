//! `everymove arena play`: engines play each other.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use everymove_arena::openings::{self, FileFormat, Generator, Openings};
use everymove_arena::stats::Anchor;
use everymove_arena::{MatchPlan, MatchReport, Timeouts, TournamentFormat, play_match};
use everymove_kernel::files::{Disk, Output, Storage};
use everymove_kernel::rng::SplitMix64;
use everymove_kernel::run::Work;

use super::engines::{AdjudicationArgs, EngineArgs, seconds};
use super::openings::RecipeArgs;
use super::scale::SprtArgs;
use super::{show, stats};
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// `everymove arena play`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    engines: EngineArgs,
    /// round-robin (everybody meets everybody) or gauntlet (the first engine meets the others)
    #[arg(long, value_name = "FORMAT", default_value = "round-robin")]
    format: String,
    /// Games of each pairing: an even number, every opening is played with both colours
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: u64,
    /// Games that run at once
    #[arg(long, value_name = "C", default_value_t = 1)]
    concurrency: usize,
    /// Openings from this EPD or PGN file [default: balanced ones, made from the rules]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Take the openings of the file in random order
    #[arg(long, requires = "openings")]
    shuffle: bool,
    /// Plies of each game of a PGN file of openings that are played before the engines think
    #[arg(long, value_name = "N", default_value_t = 16, requires = "openings")]
    opening_plies: u32,
    #[command(flatten)]
    recipe: RecipeArgs,
    #[command(flatten)]
    sprt: SprtArgs,
    /// Give an engine this rating: NAME=ELO
    #[arg(long, value_name = "NAME=ELO")]
    anchor: Option<String>,
    /// Milliseconds that an engine may exceed its time by
    #[arg(long, value_name = "MS", default_value_t = 0)]
    margin: u64,
    /// Seconds to wait for a move where no clock runs
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    patience: f64,
    /// Write all games into this PGN file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// The name of the match in PGN
    #[arg(long, value_name = "NAME", default_value = "everymove arena")]
    event: String,
    /// Keep every finished game in this directory; the same command goes on from there
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    #[command(flatten)]
    adjudication: AdjudicationArgs,
}

impl Args {
    fn plan(&self) -> Result<MatchPlan, Failure> {
        let format = match self.format.as_str() {
            "round-robin" => TournamentFormat::RoundRobin,
            "gauntlet" => TournamentFormat::Gauntlet,
            other => {
                return Err(Failure::Input(format!(
                    "'{other}' is not a format: expected round-robin or gauntlet"
                )));
            }
        };
        if !self.games.is_multiple_of(2) {
            return Err(Failure::Input(format!(
                "--games {}: expected an even number, as every opening is played with both colours",
                self.games
            )));
        }
        let (engines, limits) = (self.engines.engines()?, self.engines.limits()?);
        let rounds = self.games / 2;
        let mode = self.recipe.mode();
        let openings = self.openings(rounds)?;
        let mut plan = MatchPlan::new(engines, format, rounds, openings, limits, mode)?;
        plan.margin = Duration::from_millis(self.margin);
        plan.adjudication = self.adjudication.plan()?;
        plan.tables = self.adjudication.tables()?;
        plan.sprt = self.sprt.plan()?;
        plan.concurrency = self.concurrency;
        plan.timeouts = Timeouts {
            search: seconds("--patience", self.patience)?,
            ..Timeouts::default()
        };
        if self.concurrency == 0 {
            return Err(Failure::Input(
                "--concurrency 0: expected 1 or more games at once".into(),
            ));
        }
        Ok(plan)
    }

    fn openings(&self, rounds: u64) -> Result<Openings, Failure> {
        let Some(path) = &self.openings else {
            return Ok(Generator::new(self.recipe.plan()?).into());
        };
        let refuse = |e: &dyn std::fmt::Display| Failure::Input(format!("{}: {e}", path.display()));
        let file = File::open(path).map_err(|e| refuse(&e))?;
        let format = FileFormat::of_name(&path.to_string_lossy());
        let mut found = openings::read(
            BufReader::new(file),
            format,
            Some(self.opening_plies),
            self.recipe.mode(),
        )
        .map_err(|e| refuse(&e))?;
        if self.shuffle {
            SplitMix64::new(self.recipe.seed).shuffle(&mut found);
        }
        found.truncate(usize::try_from(rounds).unwrap_or(usize::MAX));
        Ok(found.into())
    }
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.plan()?;
    let names: Vec<String> = plan.engines.iter().map(|e| e.name.clone()).collect();
    let anchor = (args.anchor.as_deref())
        .map(|text| stats::anchor(text, &names))
        .transpose()?;
    let pgn = Pgn::prepare(args, &plan)?;
    let storage = args
        .checkpoint
        .as_deref()
        .map(Disk::exclusive)
        .transpose()?;
    let storage = storage.as_ref().map(|disk| disk as &dyn Storage);
    let all = plan.schedule().games();
    let report = session.work(|run| {
        run.progress.start("starting the engines", all);
        let mut pgn_due = Due::new();
        play_match(&plan, storage, run, &mut |report, game| {
            let line = headline(&names, report);
            run.progress.rename(line);
            if session.format == OutputFormat::Human && !session.is_interactive() {
                note(&names, report, game, all);
            }
            if let (Some(pgn), true) = (&pgn, pgn_due.is_due()) {
                // A full disk is told at the end, when the file is written for good.
                let _ = pgn.write(report);
                pgn_due.done();
            }
        })
    })?;
    if let Some(pgn) = &pgn {
        pgn.write(&report)?;
    }
    show_report(args, &names, &report, anchor, session)
}

fn headline(names: &[String], report: &MatchReport) -> String {
    let standings = &report.standings;
    let mut text = if names.len() == 2 {
        let score = standings.between(0, 1);
        let e = show::estimate(&score);
        let elo = show::elo(e.elo, e.elo_error);
        format!(
            "{} {} {}: Elo {elo}",
            names[0],
            show::record(score.games),
            names[1]
        )
    } else {
        format!("{} engines", names.len())
    };
    if let Some(sequence) = &report.test {
        let (lower, upper) = sequence.sprt().bounds();
        text += &format!(", LLR {:+.2} in ({lower:.2}, {upper:.2})", sequence.llr());
    }
    text
}

/// A line on standard error for each game, where no live display is shown.
fn note(names: &[String], report: &MatchReport, game: &everymove_arena::GameRecord, all: u64) {
    use std::io::Write;
    let detail = game
        .detail
        .as_ref()
        .map_or(String::new(), |d| format!(" ({d})"));
    let _ = writeln!(
        std::io::stderr(),
        "{} of {all}: {} - {} {} {}{detail}; {}",
        report.games.len(),
        names[game.white],
        names[game.black],
        game.outcome,
        game.ending.name(),
        headline(names, report)
    );
}

fn show_report(
    args: &Args,
    names: &[String],
    report: &MatchReport,
    anchor: Option<Anchor>,
    session: &Session,
) -> Result<Outcome, Failure> {
    let standings = &report.standings;
    let results = show::results(names, standings, anchor);
    let mut bare = results;
    let mut answer = Answer::new("arena play", Outcome::Yes)
        .field("complete", report.complete)
        .field("games", standings.games())
        .field("resumed", report.resumed)
        .field("engines", show::engines(names, standings, anchor))
        .field("pairings", show::pairings(names, standings))
        .field("endings", show::endings(standings));
    if let Some(sequence) = &report.test {
        bare += &show::sequence(sequence);
        let object = show::sprt(sequence.sprt(), &sequence.pairs(), sequence.decision());
        answer = answer.field("sprt", object);
    }
    let mut text = bare.clone();
    if standings.games() > 0 {
        text += &show::conduct(names, standings);
    }
    let mut work = Work::of("games", standings.games());
    let efforts = (0..names.len()).map(|e| standings.search_totals(e));
    for effort in efforts {
        work.add("moves", effort.moves);
        work.add("nodes", effort.nodes);
    }
    let verdict = answer.bare(bare).text(text).work(&work).show(session)?;
    if report.complete {
        return Ok(verdict);
    }
    let advice = match &args.checkpoint {
        Some(directory) => format!("repeat the command to go on from {}", directory.display()),
        None => "with --checkpoint DIR a match can go on".to_owned(),
    };
    Err(Failure::Resource(format!(
        "stopped before all games were played: {advice}"
    )))
}

/// The PGN file of a match.
struct Pgn<'a> {
    path: &'a Path,
    plan: &'a MatchPlan,
    event: &'a str,
}

impl<'a> Pgn<'a> {
    fn prepare(args: &'a Args, plan: &'a MatchPlan) -> Result<Option<Self>, Failure> {
        let Some(path) = &args.pgn else {
            return Ok(None);
        };
        Output::prepare(path)?;
        Ok(Some(Self {
            path,
            plan,
            event: &args.event,
        }))
    }

    fn write(&self, report: &MatchReport) -> Result<(), Failure> {
        Output::prepare(self.path)?.publish(|draft| {
            for game in report.games.values() {
                draft.put(self.plan.pgn(game, self.event).as_bytes())?;
            }
            Ok::<_, Failure>(())
        })
    }
}

/// When a file that only grows is worth writing anew: seldom enough to cost a twentieth of the time at most.
struct Due {
    last: Instant,
    cost: Duration,
    begin: Instant,
}

impl Due {
    fn new() -> Self {
        Self {
            last: Instant::now(),
            cost: Duration::ZERO,
            begin: Instant::now(),
        }
    }

    fn is_due(&mut self) -> bool {
        let wait = (20 * self.cost).max(Duration::from_secs(10));
        let due = self.last.elapsed() > wait;
        if due {
            self.begin = Instant::now();
        }
        due
    }

    fn done(&mut self) {
        self.cost = self.begin.elapsed();
        self.last = Instant::now();
    }
}
