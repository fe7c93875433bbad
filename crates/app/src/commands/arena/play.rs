//! `everymove arena play`: engines play each other.

use std::path::PathBuf;

use everymove_api::Request;
use everymove_api::arena::{PlayAnswer, PlayRequest};
use everymove_arena::stats::Estimate;
use everymove_arena::{GameRecord, MatchReport, PgnFile};
use everymove_kernel::files::{Disk, Storage};
use everymove_kernel::text::shown;

use super::show;
use crate::answer::{Outcome, Text};
use crate::failure::Failure;
use crate::session::{OutputFormat, Session};

/// `everymove arena play`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    request: PlayRequest,
    /// Add every game to this PGN file; what it holds stays
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// The name of the match in PGN
    #[arg(long, value_name = "NAME", default_value = "everymove arena")]
    event: String,
    /// Keep every finished game in this directory; the same command resumes the match from there
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let plan = args.request.plan().map_err(with_advice)?;
    let match_plan = plan.match_plan();
    let names: Vec<String> = match_plan.engines.iter().map(|e| e.name.clone()).collect();
    let mut pgn = args.pgn.as_deref().map(PgnFile::prepare).transpose()?;
    let storage = args
        .checkpoint
        .as_deref()
        .map(Disk::exclusive)
        .transpose()?;
    let storage = storage.as_ref().map(|disk| disk as &dyn Storage);
    let answer = session.work(|run| {
        plan.play(storage, run, &mut |report, game| {
            run.progress.rename(headline(&names, report));
            if session.format == OutputFormat::Full && !session.is_interactive() {
                note(&names, report, game, plan.games());
            }
            if let Some(pgn) = &mut pgn {
                // An error is reported at the end, when the game is added again.
                let _ = pgn.add(match_plan, game, &args.event);
            }
        })
    });
    let answer = answer.map_err(with_advice)?;
    if let Some(pgn) = &mut pgn {
        pgn.finish(match_plan, &answer.report, &args.event)?;
    }
    show_answer(args, &names, &answer, session)
}

/// Errors with the options that help.
fn with_advice(error: everymove_api::Error) -> Failure {
    let advice = match error.wrong_field() {
        Some("tc") if error.to_string().contains("nothing limits") => {
            "add --tc 2+0.02, --nodes or --depth"
        }
        Some("checkpoint") => "repeat that match's command, or name another directory",
        _ => return error.into(),
    };
    Failure::Input(format!("{error}: {advice}"))
}

fn headline(names: &[String], report: &MatchReport) -> String {
    let standings = &report.standings;
    let mut text = if names.len() == 2 {
        let score = standings.between(0, 1);
        let e = Estimate::of_games(&score.games, &score.pairs);
        let elo = show::elo(e.elo, e.elo_error);
        format!(
            "{} {} {}: Elo {elo}",
            shown(&names[0]),
            show::record(score.games),
            shown(&names[1])
        )
    } else {
        format!("{} engines", names.len())
    };
    if let Some(test) = &report.test {
        let (lower, upper) = test.sprt().bounds();
        text += &format!(", LLR {:+.2} in ({lower:.2}, {upper:.2})", test.llr());
    }
    text
}

/// A line on standard error for each game, where no live display is shown.
fn note(names: &[String], report: &MatchReport, game: &GameRecord, all: Option<u64>) {
    use std::io::Write;
    let all = all.map_or(String::new(), |all| format!(" of {all}"));
    let detail = game
        .detail
        .as_ref()
        .map_or(String::new(), |d| format!(" ({d})"));
    let _ = writeln!(
        std::io::stderr(),
        "{}{all}: {} - {} {} {}{detail}; {}",
        report.games.len(),
        shown(&names[game.white]),
        shown(&names[game.black]),
        game.outcome,
        game.ending.name(),
        headline(names, report)
    );
}

fn show_answer(
    args: &Args,
    names: &[String],
    answer: &PlayAnswer,
    session: &Session,
) -> Result<Outcome, Failure> {
    let standings = &answer.report.standings;
    let mut bare = show::results(&answer.engines, names, standings);
    if let (Some(sprt), Some(test)) = (&answer.sprt, &answer.report.test) {
        bare += &show::test(sprt, test.pairs().pairs());
    }
    let mut full = bare.clone();
    if standings.games() > 0 {
        full += &show::searches(names, standings);
    }
    let text = Text { bare, full };
    let outcome = crate::answer::show::<PlayRequest>(answer, &text, session)?;
    if answer.complete {
        return Ok(outcome);
    }
    let advice = match &args.checkpoint {
        Some(directory) => format!("repeat the command to resume from {}", directory.display()),
        None => "with --checkpoint DIR a match can be resumed".to_owned(),
    };
    Err(Failure::Resource(format!(
        "stopped before all games were played: {advice}"
    )))
}
