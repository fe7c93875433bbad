//! `everymove analyse`: what the engine finds in positions and games.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use everymove_api::chess::notation::read_position;
use everymove_api::chess::{
    AnalyseAnswer, AnalyseRequest, GamesAnswer, PositionAnswer, TestAnswer,
};
use everymove_draw::chart;
use everymove_draw::theme::Theme;
use everymove_kernel::files::Output;
use everymove_kernel::input::{Input, read_older_text};

use crate::answer::{Outcome, Text, ask, show};
use crate::failure::Failure;
use crate::session::Session;

/// The largest file of positions or games that is read, in bytes.
const MAX_FILE: u64 = 256 << 20;

/// The marked moves of a game that the summary lists.
const WORST_MOVES: usize = 5;

/// `everymove analyse`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A position (FEN), a file of positions (.epd; best moves are checked) or of games (.pgn)
    #[arg(
        value_name = "FEN|FILE",
        required_unless_present = "fen",
        conflicts_with = "fen"
    )]
    subject: Vec<String>,
    #[command(flatten)]
    request: AnalyseRequest,
    /// Write the games with evaluations, marks and better lines into this PGN file, and show a summary
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the expected score of White by move as SVG into this file (FILE-1, FILE-2 and so on for several games)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let mut request = args.request.clone();
    if !args.subject.is_empty() {
        read_subject(&args.subject.join(" "), &mut request, session)?;
    }
    if request.games.is_none() && (args.out.is_some() || args.svg.is_some()) {
        return Err(Failure::Input(
            "--out and --svg are for games (.pgn)".into(),
        ));
    }
    let out = args.out.as_deref().map(Output::prepare).transpose()?;
    args.svg.as_deref().map(Output::prepare).transpose()?;
    let answer = ask(&request, session)?;
    let text = match &answer {
        AnalyseAnswer::Position(answer) => lines(answer),
        AnalyseAnswer::Tests(answer) => tests(answer),
        AnalyseAnswer::Games(answer) => {
            let mut text = match out {
                None => answer.pgn.clone(),
                Some(out) => {
                    let path = out.path().display().to_string();
                    out.publish(|draft| draft.put(answer.pgn.as_bytes()))?;
                    summary(answer) + &format!("wrote {path}\n")
                }
            };
            if let Some(path) = &args.svg {
                let written = draw(answer, path)?;
                // Without --out the text is PGN.
                if args.out.is_some() {
                    text += &written;
                }
            }
            text
        }
    };
    let text = Text {
        bare: text.clone(),
        full: text,
    };
    show::<AnalyseRequest>(&answer, &text, session)
}

/// Finds out whether the subject is a position or a file, which is read.
fn read_subject(
    subject: &str,
    request: &mut AnalyseRequest,
    session: &Session,
) -> Result<(), Failure> {
    let lower = subject.to_ascii_lowercase();
    let (epd, pgn) = (lower.ends_with(".epd"), lower.ends_with(".pgn"));
    let is_fen = || read_position(subject).is_ok();
    let looks_like_fen = || subject.contains(' ') || subject.matches('/').count() == 7;
    let path = Path::new(subject);
    if !(epd || pgn) && (is_fen() || (looks_like_fen() && !path.exists())) {
        request.fen = Some(subject.to_owned());
        return Ok(());
    }
    let input = Input::open(path, &session.run).map_err(everymove_api::Error::from)?;
    let text = read_older_text(input, MAX_FILE).map_err(everymove_api::Error::from)?;
    let text = text.to_owned();
    request.file = Some(subject.to_owned());
    if pgn || (!epd && text.trim_start().starts_with('[')) {
        request.games = Some(text);
    } else {
        request.positions = Some(text);
    }
    Ok(())
}

fn lines(answer: &PositionAnswer) -> String {
    if let Some(ending) = answer.ending {
        return format!("{ending}: there is no legal move\n");
    }
    let mut text = format!("depth {}, scores for White\n", answer.depth);
    for line in &answer.lines {
        let _ = writeln!(text, "{:>8}  {}", line.score, line.san);
    }
    text
}

fn tests(answer: &TestAnswer) -> String {
    let mut text = String::new();
    for row in &answer.positions {
        let mark = match row.right {
            None => ' ',
            Some(true) => '+',
            Some(false) => '-',
        };
        let _ = writeln!(text, "{mark} {:<8}{:>8}  {}", row.san, row.score, row.line);
    }
    if answer.asked > 0 {
        let _ = writeln!(text, "{} of {} right", answer.right, answer.asked);
    }
    text
}

fn summary(answer: &GamesAnswer) -> String {
    let mut text = String::new();
    for (number, game) in (1..).zip(&answer.games) {
        if answer.games.len() > 1 {
            let _ = writeln!(text, "game {number}");
        }
        for (color, side) in [("White", &game.white), ("Black", &game.black)] {
            let name = if side.name.is_empty() {
                String::new()
            } else {
                format!(" ({})", everymove_kernel::text::shown(&side.name))
            };
            let _ = writeln!(text, "{color}{name}: {side}");
        }
        for m in game.worst_moves().into_iter().take(WORST_MOVES) {
            let (Some(mark), Some(better), Some(score)) = (m.mark, &m.better, &m.better_score)
            else {
                continue;
            };
            let after = m.score.as_deref().unwrap_or("-");
            let _ = writeln!(
                text,
                "  {}{mark} ({after}), better {better} ({score})",
                m.san
            );
        }
    }
    text
}

/// Draws a chart for each game and says which files were written.
fn draw(answer: &GamesAnswer, path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    for (number, game) in (1..).zip(&answer.games) {
        let path = if answer.games.len() == 1 {
            path.to_owned()
        } else {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            path.with_file_name(format!("{stem}-{number}.svg"))
        };
        let drawn = chart::lines(&game.chart(), Theme::Light).map_err(Failure::input)?;
        Output::prepare(&path)?.publish(|draft| draft.put(drawn.as_bytes()))?;
        let _ = writeln!(text, "wrote {}", path.display());
    }
    Ok(text)
}
