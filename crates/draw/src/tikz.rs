//! Walks on boards as pictures for LaTeX documents, by the package TikZ.

use std::fmt::Write;

use everymove_kernel::grid::Square;

use crate::svg::{Numbers, Walk};

/// Points of a path in a line of the file: TeX reads lines of limited length.
const POINTS: usize = 8;

/// Walks one after the other, each a `tikzpicture`; one square is the unit, 5 mm unless the
/// document scales it.
///
/// # Panics
/// If a square is outside its grid.
pub fn pictures(walks: &[Walk<'_>], numbers: Numbers) -> String {
    let mut out = String::from("% \\usepackage{tikz}\n");
    for walk in walks {
        picture(&mut out, walk, numbers);
    }
    out
}

fn picture(out: &mut String, walk: &Walk<'_>, numbers: Numbers) {
    let (rows, cols) = (walk.grid.rows(), walk.grid.cols());
    out.push_str("\\begin{tikzpicture}[x=5mm,y=5mm]\n");
    for square in 0..walk.grid.len() {
        let (row, col) = walk.grid.row_col(square);
        let fill = match walk.holes.binary_search(&square) {
            Ok(_) => "black!60",
            Err(_) if (row + col) % 2 == 0 => "black!12",
            Err(_) => continue,
        };
        let _ = writeln!(out, "\\fill[{fill}] ({col},{row}) rectangle +(1,1);");
    }
    let _ = writeln!(out, "\\draw (0,0) rectangle ({cols},{rows});");
    let point = |square: Square| {
        let (row, col) = walk.grid.row_col(square);
        format!("({col}.5,{row}.5)")
    };
    let colour = match numbers {
        Numbers::Hidden => "black",
        Numbers::Shown => "black!35",
    };
    if walk.order.len() > 1 {
        let _ = write!(out, "\\draw[{colour},line width=0.8pt,line join=round] ");
        for (i, &square) in walk.order.iter().enumerate() {
            out.push_str(match i {
                0 => "",
                i if i % POINTS == 0 => "\n  -- ",
                _ => " -- ",
            });
            out.push_str(&point(square));
        }
        out.push_str(if walk.closed { " -- cycle;\n" } else { ";\n" });
    }
    match (numbers, walk.order) {
        (Numbers::Shown, order) => {
            for (i, &square) in order.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "\\node[font=\\tiny] at {} {{{}}};",
                    point(square),
                    i + 1
                );
            }
        }
        (Numbers::Hidden, [start, .., end]) => {
            let _ = writeln!(out, "\\fill {} circle[radius=0.16];", point(*start));
            if !walk.closed {
                let _ = writeln!(
                    out,
                    "\\filldraw[fill=white] {} circle[radius=0.16];",
                    point(*end)
                );
            }
        }
        (Numbers::Hidden, _) => {}
    }
    out.push_str("\\end{tikzpicture}\n");
}

#[cfg(test)]
mod tests {
    use everymove_kernel::grid::Grid;

    use super::*;

    #[test]
    fn a_path_visits_every_square() {
        let order = [0, 9, 3, 5, 11, 2, 4, 10, 1, 8, 6, 7];
        let walk = Walk {
            grid: Grid::new(3, 4).unwrap(),
            order: &order,
            closed: false,
            holes: &[],
        };
        let text = pictures(&[walk, walk], Numbers::Hidden);
        assert_eq!(text.matches("\\begin{tikzpicture}").count(), 2);
        assert_eq!(text.matches("\\end{tikzpicture}").count(), 2);
        assert_eq!(text.matches(" -- ").count(), 2 * 11);
        assert!(
            text.contains("(0.5,0.5) -- (1.5,2.5) -- (3.5,0.5)"),
            "{text}"
        );
        assert!(text.contains("\\fill (0.5,0.5) circle"), "{text}");
        assert!(
            text.contains("\\filldraw[fill=white] (3.5,1.5) circle"),
            "{text}"
        );
        let closed = Walk {
            closed: true,
            ..walk
        };
        let text = pictures(&[closed], Numbers::Shown);
        assert!(text.contains(" -- cycle;"), "{text}");
        assert_eq!(text.matches("\\node").count(), 12);
        assert!(text.contains("at (3.5,1.5) {12};"), "{text}");
    }
}
