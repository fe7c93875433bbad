//! Chess positions as pictures: a board with the pieces that the placement of a FEN names.

use std::fmt::Write;

/// The outline of a piece and the lines inside it, as SVG paths in a box of 100 by 100. They are
/// those of the pages in `crates/web/assets/chess/pieces.js`.
struct Shape {
    body: &'static str,
    lines: &'static str,
}

const PAWN: Shape = Shape {
    body: "M50 22C 58 22 64 28 64 35.5C 64 40 61.8 43.8 58.5 46L 64.5 46C 66.5 46 67.4 48 66.2 49.6L 64 52.5L 58.5 52.5C 59.2 61 62.5 67 69 71.5C 74 75 76 78.5 76 83L 76 86C 76 88.5 75 89 73 89L 50 89L50 89L27 89C25 89 24 88.5 24 86L24 83C24 78.5 26 75 31 71.5C37.5 67 40.8 61 41.5 52.5L36 52.5L33.8 49.6C32.6 48 33.5 46 35.5 46L41.5 46C38.2 43.8 36 40 36 35.5C36 28 42 22 50 22Z",
    lines: "M31 79.5H69",
};

const KNIGHT: Shape = Shape {
    body: "M27 89C25 89 24 88.3 24 86V83C24 77.5 27 74 31.5 71C33 61.5 45 57.5 48.5 48C43.5 52 39.5 53 35.5 53.4C33.2 57.2 28.6 61 24.6 59.6C18.8 57.6 15.8 52 18.2 47.4C21.4 41.6 25.4 38.6 26.8 33C27.8 28.8 30.6 24.8 34.6 22L34.2 13.6C34.1 11.4 36.6 10.4 38.2 11.9L45 18.4C66 18.4 80.5 36 79.6 60C79.4 65 78.6 68.4 77.6 71.6C79.8 74.6 80.6 78 80.6 82V86C80.6 88.3 79.6 89 77.6 89Z",
    lines: "M33 71.5H76M30.5 36.5C31.2 34.4 32.8 33 35 32.6M22.6 50.4C23.4 49.6 24.2 49.2 25.4 49M57 27C66.5 34 70.5 45 69.5 60",
};

const BISHOP: Shape = Shape {
    body: "M50 9C 54 9 56.5 11.6 56.5 15C 56.5 17.5 55.4 19.3 53.6 20.6C 63 27.5 70 37 70 47.5C 70 54 67.2 59.5 63 63L 65 70C 70.5 72.5 76 75.5 76 82.5L 76 86C 76 88.5 75 89 73 89L 50 89L50 89L27 89C25 89 24 88.5 24 86L24 82.5C24 75.5 29.5 72.5 35 70L37 63C32.8 59.5 30 54 30 47.5C30 37 37 27.5 46.4 20.6C44.6 19.3 43.5 17.5 43.5 15C43.5 11.6 46 9 50 9Z",
    lines: "M37 63.5H63M34.5 71H65.5M50 33V51M42 42H58",
};

const ROOK: Shape = Shape {
    body: "M50 18L 56 18L 56 26L 64 26L 64 18L 75 18L 75 33C 75 35.5 74 37.5 72 39L 66.5 43.5L 68.5 68L 75 73.5C 77.2 75.3 78.5 77.5 78.5 80.5L 78.5 86C 78.5 88.3 77.5 89 75.5 89L 50 89L50 89L24.5 89C22.5 89 21.5 88.3 21.5 86L21.5 80.5C21.5 77.5 22.8 75.3 25 73.5L31.5 68L33.5 43.5L28 39C26 37.5 25 35.5 25 33L25 18L36 18L36 26L44 26L44 18L50 18Z",
    lines: "M34.5 43.5H65.5M32.5 68.5H67.5",
};

const QUEEN: Shape = Shape {
    body: "M50 11C 53.6 11 56 13.5 56 16.6C 56 18.8 54.9 20.6 53.2 21.6L 59 44L 67.2 25.4C 65.6 24.3 64.8 22.7 64.8 20.9C 64.8 17.8 67.3 15.4 70.4 15.4C 73.5 15.4 76 17.8 76 20.9C 76 23.7 74 26 71.3 26.4L 72.5 47.5L 83.4 35.6C 82.6 34.7 82.2 33.6 82.2 32.3C 82.2 29.3 84.6 26.9 87.6 26.9C 90.6 26.9 93 29.3 93 32.3C 93 35.4 90.5 37.9 87.4 37.8L 77.2 62C 75.4 66.4 73.4 68.5 73.4 72C 75.6 75 76 78 76 82L 76 86C 76 88.5 75 89 73 89L 50 89L50 89L27 89C25 89 24 88.5 24 86L24 82C24 78 24.4 75 26.6 72C26.6 68.5 24.6 66.4 22.8 62L12.6 37.8C9.5 37.9 7 35.4 7 32.3C7 29.3 9.4 26.9 12.4 26.9C15.4 26.9 17.8 29.3 17.8 32.3C17.8 33.6 17.4 34.7 16.6 35.6L27.5 47.5L28.7 26.4C26 26 24 23.7 24 20.9C24 17.8 26.5 15.4 29.6 15.4C32.7 15.4 35.2 17.8 35.2 20.9C35.2 22.7 34.4 24.3 32.8 25.4L41 44L46.8 21.6C45.1 20.6 44 18.8 44 16.6C44 13.5 46.4 11 50 11Z",
    lines: "M26 63.5C42 59.5 58 59.5 74 63.5M27.5 72C42 68.5 58 68.5 72.5 72",
};

const KING: Shape = Shape {
    body: "M50 6L 53.6 6L 53.6 12L 60 12L 60 19L 53.6 19L 53.6 27.4C 57.4 28.8 59.7 32 60.4 36C 70 30.5 88 33.4 88 48.5C 88 59 77.5 63.5 74.5 72C 75.8 75 76 78 76 82L 76 86C 76 88.5 75 89 73 89L 50 89L50 89L27 89C25 89 24 88.5 24 86L24 82C24 78 24.2 75 25.5 72C22.5 63.5 12 59 12 48.5C12 33.4 30 30.5 39.6 36C40.3 32 42.6 28.8 46.4 27.4L46.4 19L40 19L40 12L46.4 12L46.4 6L50 6Z",
    lines: "M26.5 72C42 68.5 58 68.5 73.5 72M29.5 63.5C42 60.5 58 60.5 70.5 63.5M50 45V61M60.4 36C59.6 43 54.5 45.5 50 51C45.5 45.5 40.4 43 39.6 36",
};

/// Returns a picture of a position with White below; `None` if `placement` is not the first field
/// of a FEN. A FEN may be given whole: what follows its first field is not read.
///
/// ```
/// let picture = everymove_draw::chess::diagram("8/8/8/8/8/2k5/7Q/K7 w - - 0 1").unwrap();
/// assert_eq!(picture.matches("class=\"white\"").count(), 2);
/// assert!(everymove_draw::chess::diagram("8/8/8").is_none());
/// ```
pub fn diagram(placement: &str) -> Option<String> {
    let placement = placement.split_ascii_whitespace().next()?;
    let rows: Vec<&str> = placement.split('/').collect();
    if rows.len() != 8 {
        return None;
    }
    let mut svg = String::from(START);
    for (row, pieces) in rows.into_iter().enumerate() {
        let mut file = 0;
        for piece in pieces.chars() {
            if let Some(empty) = piece.to_digit(9).filter(|&empty| empty > 0) {
                file += empty as usize;
                continue;
            }
            let shape = shape(piece.to_ascii_lowercase())?;
            let colour = match piece.is_ascii_uppercase() {
                true => "white",
                false => "black",
            };
            if file >= 8 {
                return None;
            }
            let Shape { body, lines } = shape;
            let (x, y) = (100 * file, 100 * row);
            let _ = write!(
                svg,
                r#"<g class="{colour}" transform="translate({x} {y})"><path d="{body}"/><path class="line" d="{lines}"/></g>"#
            );
            file += 1;
        }
        if file != 8 {
            return None;
        }
    }
    svg += "</svg>\n";
    Some(svg)
}

/// The board: its dark squares as one path over a light ground, and the styles of the pieces.
const START: &str = concat!(
    r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 800" width="320" height="320" role="img" aria-label="position">"##,
    r##"<style>.white{fill:#fffdf7;stroke:#262a2e}.black{fill:#33383d;stroke:#14171a}.white .line{stroke:#262a2e}"##,
    r##".black .line{stroke:#d9dcd6}g path{stroke-width:3.4;stroke-linejoin:round}g .line{fill:none;stroke-linecap:round}</style>"##,
    r##"<rect width="800" height="800" fill="#e9e2d0"/><path fill="#b3a17f" d=""##,
    "M100 0h100v800h-100zM300 0h100v800h-100zM500 0h100v800h-100zM700 0h100v800h-100z",
    "M0 100h800v100h-800zM0 300h800v100h-800zM0 500h800v100h-800zM0 700h800v100h-800z",
    r##"" fill-rule="evenodd"/>"##,
);

fn shape(piece: char) -> Option<&'static Shape> {
    Some(match piece {
        'p' => &PAWN,
        'n' => &KNIGHT,
        'b' => &BISHOP,
        'r' => &ROOK,
        'q' => &QUEEN,
        'k' => &KING,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::diagram;

    #[test]
    fn pieces_are_where_the_placement_puts_them() {
        let picture = diagram("r7/8/8/8/8/8/6P1/8").unwrap();
        assert!(picture.contains(r#"<g class="black" transform="translate(0 0)">"#));
        assert!(picture.contains(r#"<g class="white" transform="translate(600 600)">"#));
        assert_eq!(picture.matches("<g ").count(), 2);
    }

    #[test]
    fn what_is_no_placement_is_refused() {
        for text in [
            "",
            "8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/9",
            "8/8/8/8/8/8/8/7",
            "8/8/8/8/8/8/8/08",
            "8/8/8/8/8/8/8/44K",
            "8/8/8/8/8/8/8/7x",
            "8/8/8/8/8/8/8/7<",
        ] {
            assert_eq!(diagram(text), None, "{text}");
        }
    }
}
