//! Text as strokes, for pictures that are made without fonts.

use std::fmt::Write;

use resvg::usvg::roxmltree::{self, Document, Node};

/// Units of the size of the letters below.
const EM: f64 = 1000.0;

/// A character, how far the next one is from it, and its strokes above the baseline.
type Glyph = (char, i32, &'static str);

/// What the labels of boards, step numbers and moves are written with.
const GLYPHS: &[Glyph] = &[
    (' ', 280, ""),
    (',', 240, "M130-10L80 110"),
    ('-', 410, "M80-260H330"),
    ('.', 240, "M120-20v1"),
    (
        '0',
        560,
        "M280-700C410-700 490-560 490-350S410 0 280 0 70-140 70-350 150-700 280-700Z",
    ),
    ('1', 560, "M120-560L300-700V0"),
    (
        '2',
        560,
        "M80-520C80-630 160-700 280-700S480-630 480-520C480-420 420-350 330-260L80 0H490",
    ),
    (
        '3',
        560,
        "M90-590C120-660 190-700 275-700C390-700 460-630 460-530S390-370 280-370C400-370 490-300 490-190S400 0 280 0C180 0 110-50 80-130",
    ),
    ('4', 560, "M380 0V-700L60-190H510"),
    (
        '5',
        560,
        "M460-700H130L100-380C150-430 210-455 275-455C400-455 490-360 490-230S400 0 270 0C180 0 110-40 75-110",
    ),
    (
        '6',
        560,
        "M440-640C400-680 350-700 300-700C150-700 75-560 75-330C75-120 150 0 285 0C405 0 490-95 490-220S405-440 285-440C170-440 85-350 76-260",
    ),
    ('7', 560, "M70-700H490L210 0"),
    (
        '8',
        560,
        "M280-380C180-380 110-445 110-540S180-700 280-700 450-635 450-540 380-380 280-380C160-380 75-300 75-190S160 0 280 0 485-80 485-190 400-380 280-380Z",
    ),
    (
        '9',
        560,
        "M120-60C160-20 210 0 260 0C410 0 485-140 485-370C485-580 410-700 275-700C155-700 70-605 70-480S155-260 275-260C390-260 475-350 484-440",
    ),
    (
        'a',
        560,
        "M470-500V0M470-250C470-390 390-500 270-500S70-390 70-250 150 0 270 0 470-110 470-250",
    ),
    (
        'b',
        560,
        "M90-720V0M90-250C90-390 170-500 290-500S490-390 490-250 410 0 290 0 90-110 90-250",
    ),
    (
        'c',
        500,
        "M450-410C410-465 350-500 280-500C155-500 70-390 70-250S155 0 280 0C350 0 410-35 450-90",
    ),
    (
        'd',
        560,
        "M470-720V0M470-250C470-390 390-500 270-500S70-390 70-250 150 0 270 0 470-110 470-250",
    ),
    (
        'e',
        540,
        "M75-270H470C470-400 390-500 275-500C155-500 70-395 70-250S155 0 285 0C355 0 410-30 450-80",
    ),
    (
        'f',
        340,
        "M340-715C320-720 300-722 280-722C200-722 160-675 160-590V0M50-500H310",
    ),
    (
        'g',
        560,
        "M470-500V30C470 150 390 210 270 210C190 210 130 185 90 140M470-250C470-390 390-500 270-500S70-390 70-250 150 0 270 0 470-110 470-250",
    ),
    (
        'h',
        540,
        "M90-720V0M90-300C90-420 165-500 275-500C385-500 450-425 450-310V0",
    ),
    ('i', 220, "M110-500V0M110-680v1"),
    ('j', 240, "M150-500V90C150 170 110 210 40 210M150-680v1"),
    ('k', 480, "M90-720V0M420-500L90-190M220-310L440 0"),
    ('l', 220, "M110-720V0"),
    (
        'm',
        800,
        "M90-500V0M90-320C90-430 150-500 245-500S400-430 400-320V0M400-320C400-430 460-500 555-500S710-430 710-320V0",
    ),
    (
        'n',
        540,
        "M90-500V0M90-300C90-420 165-500 275-500C385-500 450-425 450-310V0",
    ),
    (
        'o',
        560,
        "M280-500C405-500 490-390 490-250S405 0 280 0 70-110 70-250 155-500 280-500Z",
    ),
    (
        'p',
        560,
        "M90-500V210M90-250C90-390 170-500 290-500S490-390 490-250 410 0 290 0 90-110 90-250",
    ),
    (
        'q',
        560,
        "M470-500V210M470-250C470-390 390-500 270-500S70-390 70-250 150 0 270 0 470-110 470-250",
    ),
    (
        'r',
        360,
        "M90-500V0M90-280C90-410 160-500 280-500C300-500 320-497 335-492",
    ),
    (
        's',
        490,
        "M415-420C380-470 325-500 260-500C165-500 100-450 100-375C100-220 425-300 425-135C425-50 350 0 255 0C180 0 115-35 75-90",
    ),
    (
        't',
        370,
        "M160-650V-130C160-45 200 0 270 0C295 0 320-5 340-12M50-500H320",
    ),
    (
        'u',
        540,
        "M90-500V-190C90-75 155 0 265 0C375 0 450-80 450-200M450-500V0",
    ),
    ('v', 480, "M50-500L240 0L430-500"),
    ('w', 720, "M50-500L200 0L360-480L520 0L670-500"),
    ('x', 490, "M60-500L430 0M430-500L60 0"),
    (
        'y',
        490,
        "M50-500L245 0M440-500L220 60C180 165 140 210 60 210",
    ),
    ('z', 490, "M70-500H410L60 0H430"),
];

/// The glyph of a character.
fn glyph(character: char) -> Option<&'static Glyph> {
    GLYPHS.iter().find(|(own, ..)| *own == character)
}

/// An SVG of this crate with strokes in place of its texts, which are all written around the middle
/// of their line. Characters without strokes are left out.
pub(crate) fn outlined(svg: &str) -> Result<String, roxmltree::Error> {
    let document = Document::parse(svg)?;
    let mut out = String::with_capacity(svg.len());
    let mut done = 0;
    for text in document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
    {
        let range = text.range();
        out += &svg[done..range.start];
        write_strokes(&mut out, text);
        done = range.end;
    }
    out += &svg[done..];
    Ok(out)
}

fn write_strokes(out: &mut String, text: Node<'_, '_>) {
    // Attributes of text are inherited from the elements around it.
    let attribute = |name| text.ancestors().find_map(|node| node.attribute(name));
    let number = |name| attribute(name).and_then(|value| value.parse::<f64>().ok());
    let scale = number("font-size").unwrap_or(16.0) / EM;
    let fill = attribute("fill").unwrap_or("black");
    let width = match attribute("font-weight") {
        Some(_) => 115.0,
        None => 85.0,
    };
    let glyphs: Vec<_> = text
        .text()
        .unwrap_or_default()
        .chars()
        .filter_map(glyph)
        .collect();
    let length: i32 = glyphs.iter().map(|(_, advance, _)| advance).sum();
    let x = number("x").unwrap_or(0.0) - scale * f64::from(length) / 2.0;
    let y = number("y").unwrap_or(0.0);
    let mut strokes = String::new();
    let mut from = 0;
    for (_, advance, path) in glyphs {
        let _ = write!(
            strokes,
            "<path transform=\"translate({from})\" d=\"{path}\"/>"
        );
        from += advance;
    }
    let mut write = |colour: &str, width: f64| {
        let _ = write!(
            out,
            "<g transform=\"translate({x} {y}) scale({scale})\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
             stroke-linecap=\"round\" stroke-linejoin=\"round\">{strokes}</g>"
        );
    };
    if let (Some(around), Some(rim)) = (attribute("stroke"), number("stroke-width")) {
        write(around, width + rim / scale);
    }
    write(fill, width);
}

#[cfg(test)]
mod tests {
    use everymove_kernel::grid::Grid;

    use super::*;
    use crate::svg::{Numbers, Style, Walk, picture};
    use crate::theme::Theme;

    /// Every text of a board with coordinates up to `an40` and step numbers has strokes, and none
    /// is left as text.
    #[test]
    fn all_texts_become_strokes() {
        let grid = Grid::new(40, 40).unwrap();
        let order: Vec<_> = (0..grid.len()).collect();
        let walk = Walk {
            grid,
            order: &order,
            closed: false,
            holes: &[],
        };
        let style = Style {
            theme: Theme::Light,
            numbers: Numbers::Shown,
        };
        let svg = picture(&walk, &style);
        let document = Document::parse(&svg).unwrap();
        let texts = document
            .descendants()
            .filter_map(|node| match node.has_tag_name("text") {
                true => node.text(),
                false => None,
            });
        assert_eq!(texts.clone().count(), 1600 + 80);
        assert!(
            texts
                .flat_map(str::chars)
                .all(|character| glyph(character).is_some())
        );
        assert!(!outlined(&svg).unwrap().contains("<text"));
    }

    #[test]
    fn a_text_is_around_its_middle_and_keeps_its_colour() {
        let svg = r##"<svg xmlns="http://www.w3.org/2000/svg"><g font-size="50" fill="#123456"><text x="7" y="9">10</text></g></svg>"##;
        let strokes = outlined(svg).unwrap();
        // Two digits of 560 thousandths of 50.
        assert!(
            strokes.contains(r#"translate(-21 9) scale(0.05)"#),
            "{strokes}"
        );
        assert!(strokes.contains(r##"stroke="#123456""##) && strokes.contains("translate(560)"));
    }
}
