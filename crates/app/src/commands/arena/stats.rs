//! `everymove arena stats`: what results say about strength.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use everymove_arena::pgn::results;
use everymove_arena::stats::{Anchor, Counts, Estimate, Pentanomial, Trinomial};

use super::scale::SprtArgs;
use super::show;
use crate::answer::{Answer, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove arena stats`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A PGN file; - for standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["wdl", "pairs"])]
    file: Option<PathBuf>,
    /// Wins, draws and losses of the first player
    #[arg(long, value_name = "W,D,L", conflicts_with_all = ["file", "pairs"])]
    wdl: Option<String>,
    /// Pairs of games in which the first player scored 0, 1/2, 1, 3/2 and 2 points
    #[arg(long, value_name = "A,B,C,D,E", conflicts_with = "file")]
    pairs: Option<String>,
    /// Give a player of the file this rating: NAME=ELO
    #[arg(long, value_name = "NAME=ELO", requires = "file")]
    anchor: Option<String>,
    #[command(flatten)]
    sprt: SprtArgs,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    if let Some(text) = &args.wdl {
        let [wins, draws, losses] = counts("--wdl", text)?;
        let games = Trinomial {
            wins,
            draws,
            losses,
        };
        return numbers(args, &games, session);
    }
    if let Some(text) = &args.pairs {
        return numbers(args, &Pentanomial(counts("--pairs", text)?), session);
    }
    file(args, session)
}

fn counts<const N: usize>(option: &str, text: &str) -> Result<[u64; N], Failure> {
    let found: Option<Vec<u64>> = (text.split(','))
        .map(|part| part.trim().parse().ok().filter(|&n| n < 1 << 40))
        .collect();
    (found.and_then(|n| n.try_into().ok()))
        .filter(|counts: &[u64; N]| counts.iter().any(|&n| n > 0))
        .ok_or_else(|| {
            Failure::Input(format!(
                "{option} {text}: expected {N} whole numbers, not all of them 0"
            ))
        })
}

fn numbers<C: Counts>(args: &Args, results: &C, session: &Session) -> Result<Outcome, Failure> {
    let e = Estimate::of(results);
    let mut text = format!(
        "score {:.2} %   Elo {}   normalised {}   LOS {:.2} %\n",
        100.0 * e.score,
        show::elo(e.elo, e.elo_error),
        show::elo(e.nelo, e.nelo_error),
        100.0 * e.los
    );
    let mut answer = Answer::new("arena stats", Outcome::Yes)
        .field("score", e.score)
        .field("elo", e.elo)
        .field("elo_error", e.elo_error)
        .field("normalised_elo", e.nelo)
        .field("normalised_elo_error", e.nelo_error)
        .field("los", e.los);
    if let Some(sprt) = args.sprt.plan()? {
        text += &format!("{}\n", show::test(&sprt, results));
        answer = answer.field("sprt", show::sprt(&sprt, results, sprt.decide(results)));
    }
    answer.bare(text.as_str()).text(text).show(session)
}

fn file(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let Some(path) = &args.file else {
        return Err(Failure::Input("expected a PGN file".into()));
    };
    let refuse = |e: std::io::Error| Failure::Input(format!("cannot read {}: {e}", path.display()));
    let found = if path.as_os_str() == "-" {
        results::read(std::io::stdin().lock())
    } else {
        results::read(BufReader::new(File::open(path).map_err(refuse)?))
    };
    let found = found.map_err(refuse)?;
    let (names, standings) = (&found.names, &found.standings);
    if standings.games() == 0 {
        return Err(Failure::Input(format!(
            "{} has no finished games: expected PGN",
            path.display()
        )));
    }
    let anchor = args
        .anchor
        .as_deref()
        .map(|text| anchor(text, names))
        .transpose()?;
    let mut text = show::results(names, standings, anchor);
    let mut answer = Answer::new("arena stats", Outcome::Yes)
        .field("games", standings.games())
        .field("unfinished", found.unfinished)
        .field("engines", show::engines(names, standings, anchor))
        .field("pairings", show::pairings(names, standings));
    if let Some(sprt) = args.sprt.plan()? {
        if names.len() != 2 {
            return Err(Failure::Input(format!(
                "a sequential test compares two players, not {}",
                names.len()
            )));
        }
        let score = standings.between(0, 1);
        let (line, object) = if score.pairs.pairs() > 0 {
            let decision = sprt.decide(&score.pairs);
            (
                show::test(&sprt, &score.pairs),
                show::sprt(&sprt, &score.pairs, decision),
            )
        } else {
            let decision = sprt.decide(&score.games);
            (
                show::test(&sprt, &score.games),
                show::sprt(&sprt, &score.games, decision),
            )
        };
        text += &format!("{line}\n");
        answer = answer.field("sprt", object);
    }
    answer.bare(text.as_str()).text(text).show(session)
}

/// A player with a known rating: `NAME=ELO`.
pub(super) fn anchor(text: &str, names: &[String]) -> Result<Anchor, Failure> {
    let bad = || {
        let names = names.join(", ");
        Failure::Input(format!(
            "--anchor {text}: expected NAME=ELO with a name of {names}"
        ))
    };
    let (name, elo) = text.rsplit_once('=').ok_or_else(bad)?;
    let player = names.iter().position(|n| n == name).ok_or_else(bad)?;
    let elo: f64 = elo
        .parse()
        .ok()
        .filter(|e: &f64| e.is_finite())
        .ok_or_else(bad)?;
    Ok(Anchor::Player(player, elo))
}
