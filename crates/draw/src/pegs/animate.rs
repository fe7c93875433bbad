//! A game that plays itself, in SMIL: it runs in every browser that opens the file, without script.
//! Viewers that do not animate show the start.

use std::fmt::Write;

use super::ground::{self, Frame};
use super::{Jump, PEG, Pegboard, jumper_colour, peg_colour, picture};
use crate::theme::Theme;

/// Seconds a jump.
const JUMP: f64 = 0.45;

/// Seconds between two moves.
const REST: f64 = 0.45;

/// Seconds for which the last position is shown before the game starts again.
const PAUSE: f64 = 3.0;

/// The path of a peg: its hole at the start, its jumps with the times at which they begin, and when
/// it is taken.
struct Peg {
    place: usize,
    jumps: Vec<(f64, usize)>,
    taken: Option<f64>,
}

/// A game from a position as an animation that repeats for ever.
///
/// # Panics
/// If a jump's place is not on the board, or a peg it needs is not there.
pub fn animation(board: &Pegboard<'_>, start: u64, moves: &[&[Jump]], theme: Theme) -> String {
    if moves.is_empty() {
        return picture(board, start, &[], theme);
    }
    let times = times(moves);
    let total = times.iter().flatten().last().copied().unwrap_or(0.0) + JUMP + PAUSE;
    let mut pegs = pegs(board, start, moves, &times);
    // Those that jump pass over the others.
    pegs.sort_by_key(|peg| peg.jumps.len());
    let frame = Frame::of(board);
    let mut out = String::new();
    frame.open(
        &mut out,
        theme,
        &format!("a game of {} moves", moves.len()),
        40,
    );
    ground::board(&mut out, board, theme);
    frame.labels(&mut out, board, theme);
    let _ = writeln!(out, "<g fill=\"{}\">", peg_colour(theme));
    for peg in &pegs {
        draw(&mut out, board, peg, total, theme);
    }
    out.push_str("</g>\n");
    captions(&mut out, board, moves, &times, &frame, total, theme);
    out.push_str("</svg>\n");
    out
}

/// When each jump of each move begins, in seconds.
fn times(moves: &[&[Jump]]) -> Vec<Vec<f64>> {
    let mut now = REST;
    let mut times = Vec::new();
    for jumps in moves {
        times.push((0..jumps.len()).map(|i| now + i as f64 * JUMP).collect());
        now += jumps.len() as f64 * JUMP + REST;
    }
    times
}

fn pegs(board: &Pegboard<'_>, start: u64, moves: &[&[Jump]], times: &[Vec<f64>]) -> Vec<Peg> {
    let standing = (0..board.places.len()).filter(|place| start >> place & 1 == 1);
    let mut pegs: Vec<Peg> = standing
        .map(|place| Peg {
            place,
            jumps: Vec::new(),
            taken: None,
        })
        .collect();
    let mut at: Vec<Option<usize>> = vec![None; board.places.len()];
    for (number, peg) in pegs.iter().enumerate() {
        at[peg.place] = Some(number);
    }
    let all = moves.iter().copied().flatten().zip(times.iter().flatten());
    for (jump, &time) in all {
        let (jumper, taken) = (at[jump.from].take(), at[jump.over].take());
        let (Some(jumper), Some(taken)) = (jumper, taken) else {
            panic!(
                "a jump from {} over {} needs two pegs",
                jump.from, jump.over
            );
        };
        pegs[jumper].jumps.push((time, jump.to));
        pegs[taken].taken = Some(time + JUMP / 2.0);
        at[jump.to] = Some(jumper);
    }
    pegs
}

fn draw(out: &mut String, board: &Pegboard<'_>, peg: &Peg, total: f64, theme: Theme) {
    let (x, y) = board.centre(peg.place);
    let _ = write!(out, "<circle r=\"{PEG}\" transform=\"translate({x} {y})\">");
    if !peg.jumps.is_empty() {
        let (mut places, mut keys, mut here) = (format!("{x} {y}"), "0".to_owned(), (x, y));
        let (mut colours, mut colour_keys) = (peg_colour(theme).to_string(), "0".to_owned());
        for &(time, to) in &peg.jumps {
            let there = board.centre(to);
            let (begin, end) = (time / total, (time + JUMP * 0.85) / total);
            let _ = write!(places, ";{} {};{} {}", here.0, here.1, there.0, there.1);
            let _ = write!(keys, ";{begin:.5};{end:.5}");
            let _ = write!(colours, ";{};{}", jumper_colour(theme), peg_colour(theme));
            let _ = write!(colour_keys, ";{begin:.5};{:.5}", (time + JUMP) / total);
            here = there;
        }
        let _ = write!(
            out,
            "<animateTransform attributeName=\"transform\" type=\"translate\" values=\"{places};{} {}\" \
             keyTimes=\"{keys};1\" dur=\"{total:.2}s\" repeatCount=\"indefinite\"/>\
             <animate attributeName=\"fill\" values=\"{colours}\" keyTimes=\"{colour_keys}\" calcMode=\"discrete\" \
             dur=\"{total:.2}s\" repeatCount=\"indefinite\"/>",
            here.0, here.1,
        );
    }
    if let Some(time) = peg.taken {
        let (begin, end) = (time / total, (time + JUMP / 3.0) / total);
        let _ = write!(
            out,
            "<animate attributeName=\"opacity\" values=\"1;1;0;0\" keyTimes=\"0;{begin:.5};{end:.5};1\" \
             dur=\"{total:.2}s\" repeatCount=\"indefinite\"/>"
        );
    }
    out.push_str("</circle>\n");
}

/// Each move's name below the board, from its beginning to that of the next.
fn captions(
    out: &mut String,
    board: &Pegboard<'_>,
    moves: &[&[Jump]],
    times: &[Vec<f64>],
    frame: &Frame,
    total: f64,
    theme: Theme,
) {
    let begins: Vec<f64> = times
        .iter()
        .filter_map(|jumps| jumps.first().copied())
        .collect();
    let (x, y) = (frame.left + frame.width / 2, frame.top + frame.height + 10);
    let _ = writeln!(
        out,
        "<g fill=\"{}\" font-family=\"system-ui,sans-serif\" font-size=\"36\" text-anchor=\"middle\">",
        theme.palette().text
    );
    for (i, (jumps, begin)) in moves.iter().zip(&begins).enumerate() {
        let end = begins.get(i + 1).map_or(1.0, |next| next / total);
        let begin = begin / total;
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{y}\" opacity=\"0\">{}. {}<animate attributeName=\"opacity\" values=\"0;1;0\" \
             keyTimes=\"0;{begin:.5};{end:.5}\" calcMode=\"discrete\" dur=\"{total:.2}s\" \
             repeatCount=\"indefinite\"/></text>",
            i + 1,
            board.move_name(jumps),
        );
    }
    out.push_str("</g>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pegs::Lattice;

    #[test]
    fn pegs_go_where_their_jumps_lead_and_times_ascend() {
        let places: Vec<_> = (0..6).map(|col| (0, col)).collect();
        let board = Pegboard {
            places: &places,
            lattice: Lattice::Square,
        };
        let jump = |from, over, to| Jump { from, over, to };
        // The second peg jumps twice in one move, then the last one takes it.
        let moves: [&[Jump]; 2] = [&[jump(0, 1, 2), jump(2, 3, 4)], &[jump(5, 4, 3)]];
        let times = times(&moves);
        let flat: Vec<f64> = times.iter().flatten().copied().collect();
        assert!(flat.windows(2).all(|pair| pair[0] < pair[1]));
        let pegs = pegs(&board, 0b101011, &moves, &times);
        let stays: Vec<usize> = pegs
            .iter()
            .filter(|peg| peg.taken.is_none())
            .map(|peg| peg.jumps.last().map_or(peg.place, |&(_, to)| to))
            .collect();
        assert_eq!(stays, [3]);
        let svg = animation(&board, 0b101011, &moves, Theme::Light);
        for keys in svg.split("keyTimes=\"").skip(1) {
            let keys: Vec<f64> = keys
                .split('"')
                .next()
                .unwrap()
                .split(';')
                .map(|key| key.parse().unwrap())
                .collect();
            assert!(
                keys[0] == 0.0
                    && keys.windows(2).all(|pair| pair[0] <= pair[1])
                    && keys[keys.len() - 1] <= 1.0
            );
        }
    }
}
