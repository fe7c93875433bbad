//! Writes a chart with a logarithmic axis as SVG: `cargo run -p everymove-draw --example chart > chart.svg`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use everymove_draw::chart::{Axis, ChartError, Lines, Series, lines};
use everymove_draw::theme::Theme;

fn main() -> Result<(), ChartError> {
    // Undirected closed tours of boards with six rows (OEIS A001230 and A175881).
    let tours = [(6.0, 9_862.0), (7.0, 1_067_638.0), (8.0, 55_488_142.0)];
    let chart = Lines {
        title: "Closed knight's tours of 6xn boards".to_owned(),
        x: Axis::linear("columns"),
        y: Axis::log("undirected tours"),
        series: vec![Series {
            name: "6xn".to_owned(),
            points: tours
                .map(|(columns, count)| (columns, count.into()))
                .to_vec(),
        }],
    };
    print!("{}", lines(&chart, Theme::Light)?);
    Ok(())
}
