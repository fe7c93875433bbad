//! `everymove analyse`: what the engine thinks of positions and games.

use std::fs;
use std::time::Duration;

use everymove_arena::pgn::games;
use everymove_engine::score::UciScore;
use everymove_engine::{
    Clock, Engine, Game, Limits, Line, Options, Position, SearchResult, Signals,
};
use everymove_kernel::run::Work;
use serde_json::{Value, json};
use shakmaty::CastlingMode;

use super::play::{numbered, read_move, san};
use crate::answer::{Answer as Shower, Outcome};
use crate::failure::Failure;
use crate::session::Session;

/// `everymove analyse`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A FEN in quotes, a file of positions (.epd; best moves are checked) or of games (.pgn)
    #[arg(value_name = "FEN|FILE")]
    what: String,
    /// Lines of play
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    lines: u16,
    /// Depth of each search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200))]
    depth: Option<u32>,
    /// Nodes of each search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Seconds of each search [default, without --depth and --nodes: 2]
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Folder with tables of `everymove tables build`: positions in them are known to the ply
    #[arg(long, value_name = "DIR")]
    tables: Option<String>,
    /// Directories with Syzygy tables
    #[arg(long, value_name = "DIRS")]
    syzygy: Option<String>,
}

/// The engine with its limits, and what it did.
struct Desk<'a> {
    engine: Engine,
    limits: Limits,
    session: &'a Session,
    nodes: u64,
}

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let time = match (args.time, args.depth, args.nodes) {
        (None, None, None) => Some(2.0),
        (time, ..) => time,
    };
    if time.is_some_and(|t| !(0.001..=86_400.0).contains(&t)) {
        return Err(Failure::Input(
            "--time: expected 0.001 to 86400 seconds".into(),
        ));
    }
    let mut desk = Desk {
        engine: Engine::new(Options {
            threads: session.run.threads.get(),
            multi_pv: usize::from(args.lines),
            hash: (256 << 20).min(session.run.ram.limit()),
            overhead: Duration::ZERO,
            ..Options::default()
        })
        .map_err(|e| Failure::Resource(e.to_string()))?,
        limits: Limits {
            depth: args.depth,
            nodes: args.nodes,
            clock: time.map(|t| Clock::PerMove(Duration::from_secs_f64(t))),
            ..Limits::default()
        },
        session,
        nodes: 0,
    };
    if let Some(folder) = &args.tables {
        desk.engine.set_tables(folder).map_err(Failure::input)?;
    }
    if let Some(directories) = &args.syzygy {
        desk.engine
            .set_syzygy(directories)
            .map_err(Failure::input)?;
    }
    let lower = args.what.to_ascii_lowercase();
    if lower.ends_with(".epd") {
        desk.epd(&read(&args.what)?)
    } else if lower.ends_with(".pgn") {
        desk.pgn(&read(&args.what)?)
    } else {
        desk.fen(&args.what)
    }
}

fn read(path: &str) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|e| Failure::Input(format!("cannot read {path}: {e}")))
}

/// Scores are shown for White, as in books.
fn for_white(position: &Position, line: &Line) -> String {
    UciScore::for_white(line.score, position.turn()).in_pawns()
}

fn in_san(position: &Position, line: &Line) -> String {
    let mut text = String::new();
    let mut now = position.clone();
    for (i, &m) in line.pv.iter().enumerate() {
        text += &numbered(&now, i == 0);
        text += &format!("{} ", san(&now, m));
        now = now.play(m);
    }
    text.trim_end().to_owned()
}

impl Desk<'_> {
    fn search(&mut self, game: &Game) -> Result<SearchResult, Failure> {
        let stop = &self.session.run.stop;
        let signals = Signals::with_stop(stop.clone());
        let answer = self
            .engine
            .search(game, &self.limits, &signals, &mut |_| {});
        if stop.is_raised() {
            return Err(Failure::stopped(""));
        }
        self.nodes += answer.report.nodes;
        Ok(answer)
    }

    fn show(
        &self,
        text: String,
        fields: Vec<(&str, Value)>,
        verdict: Outcome,
    ) -> Result<Outcome, Failure> {
        let mut answer = Shower::new("analyse", verdict);
        for (name, value) in fields {
            answer = answer.field(name, value);
        }
        let work = Work::of("nodes", self.nodes);
        answer
            .bare(text.clone())
            .text(text)
            .work(&work)
            .show(self.session)
    }

    fn fen(&mut self, fen: &str) -> Result<Outcome, Failure> {
        let position = Position::from_fen(fen, CastlingMode::Standard).map_err(Failure::input)?;
        let answer = self.search(&Game::from(position.clone()))?;
        let mut text = format!("depth {}\n", answer.report.depth);
        let mut lines = Vec::new();
        for line in &answer.report.lines {
            let (score, moves) = (for_white(&position, line), in_san(&position, line));
            text += &format!("{score:>8}  {moves}\n");
            let uci: Vec<_> = line.pv.iter().map(|&m| position.uci(m)).collect();
            lines.push(json!({"score": score, "san": moves, "uci": uci}));
        }
        if answer.best.is_none() {
            text = "no legal move\n".into();
        }
        let fields = vec![
            ("fen", position.fen().into()),
            ("depth", answer.report.depth.into()),
            ("lines", lines.into()),
        ];
        self.show(text, fields, Outcome::Yes)
    }

    /// Best moves (`bm`) and moves to avoid (`am`), found or not.
    fn epd(&mut self, file: &str) -> Result<Outcome, Failure> {
        let (mut text, mut rows, mut asked, mut found) = (String::new(), Vec::new(), 0, 0);
        for (number, line) in file.lines().enumerate().map(|(i, l)| (i + 1, l.trim())) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |fault: String| Failure::Input(format!("line {number}: {fault}"));
            let words: Vec<_> = line.split_whitespace().collect();
            let fen = words[..words.len().min(4)].join(" ");
            let position = Position::from_fen(&fen, CastlingMode::Standard)
                .map_err(|e| wrong(e.to_string()))?;
            let operations = words.get(4..).unwrap_or_default().join(" ");
            let listed = |code: &str| -> Result<Vec<_>, Failure> {
                let operation = operations
                    .split(';')
                    .find_map(|o| o.trim().strip_prefix(code));
                let moves = operation.unwrap_or_default().split_whitespace();
                let read = |text| {
                    read_move(&position, text)
                        .ok_or_else(|| wrong(format!("{code}'{text}' is not a legal move")))
                };
                moves.map(read).collect()
            };
            let (best, avoid) = (listed("bm ")?, listed("am ")?);
            let answer = self.search(&Game::from(position.clone()))?;
            let Some(m) = answer.best else {
                return Err(wrong("there is no legal move".into()));
            };
            let checked = !best.is_empty() || !avoid.is_empty();
            let right = (best.is_empty() || best.contains(&m)) && !avoid.contains(&m);
            asked += u32::from(checked);
            found += u32::from(checked && right);
            let score = for_white(&position, &answer.report.lines[0]);
            let mark = match (checked, right) {
                (false, _) => ' ',
                (true, true) => '+',
                (true, false) => '-',
            };
            text += &format!("{mark} {:<8}{score:>8}  {line}\n", san(&position, m));
            rows.push(json!({"fen": position.fen(), "best": position.uci(m), "score": score, "right": checked.then_some(right)}));
        }
        if asked > 0 {
            text += &format!("{found} of {asked} right\n");
        }
        let verdict = if found == asked {
            Outcome::Yes
        } else {
            Outcome::No
        };
        let fields = vec![
            ("positions", rows.into()),
            ("asked", asked.into()),
            ("right", found.into()),
        ];
        self.show(text, fields, verdict)
    }

    /// Every position of every game is searched; the games come back with evaluations as comments.
    fn pgn(&mut self, file: &str) -> Result<Outcome, Failure> {
        let (mut text, mut games) = (String::new(), Vec::new());
        let read = games::read(file.as_bytes()).map_err(Failure::input)?;
        for (number, written) in (1..).zip(read) {
            let wrong = |fault: String| Failure::Input(format!("game {number}: {fault}"));
            let start = match &written.fen {
                Some(fen) => Position::from_fen(fen, CastlingMode::Standard)
                    .map_err(|e| wrong(e.to_string()))?,
                None => Position::default(),
            };
            text += &written.tags;
            text.push('\n');
            let mut game = Game::from(start);
            let mut scores = Vec::new();
            for (i, word) in written.moves.iter().enumerate() {
                let m = word.san.to_move(game.position().chess()).map_err(|_| {
                    let fen = game.position().fen();
                    wrong(format!("'{word}' is not a legal move in {fen}"))
                })?;
                text += &numbered(game.position(), true);
                text += &format!("{} ", san(game.position(), m));
                game.play(m);
                let Some(line) = self.search(&game)?.report.lines.into_iter().next() else {
                    continue;
                };
                let score = for_white(game.position(), &line);
                text += &format!("{{[%eval {}]}} ", score.trim_start_matches('+'));
                if i % 4 == 3 {
                    text.push('\n');
                }
                scores.push(score);
            }
            text += &format!("{}\n\n", written.result);
            games.push(json!({"scores": scores}));
        }
        if games.is_empty() {
            return Err(Failure::Input("there is no game in the file".into()));
        }
        self.show(text, vec![("games", games.into())], Outcome::Yes)
    }
}

#[cfg(test)]
mod tests {
    use everymove_engine::score::{MATE, mated_in};

    use super::*;

    /// The same position with colours exchanged has the negative score.
    #[test]
    fn scores_of_the_two_colours_are_negatives() {
        let position = |fen| Position::from_fen(fen, CastlingMode::Standard).unwrap();
        let white = position("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
        let black = position("r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1");
        let shown = |position, score| {
            let line = Line {
                score,
                pv: Vec::new(),
                sel_depth: 1,
            };
            for_white(position, &line)
        };
        for plies in 1..240 {
            for score in [MATE - plies as i32, mated_in(plies), plies as i32 * 7] {
                let (there, mirrored) = (shown(&white, score), shown(&black, score));
                let negative = match there.strip_prefix('#') {
                    Some(moves) => format!("#{}", -moves.parse::<i32>().unwrap()),
                    None => there.replace('+', "-"),
                };
                assert_eq!(mirrored, negative, "{score}");
            }
        }
        assert_eq!(shown(&black, MATE - 1), "#-1");
        assert_eq!(shown(&black, mated_in(2)), "#1");
    }
}
