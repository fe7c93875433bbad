//! Pictures of fixed walks and charts: `cargo bench --manifest-path dev/Cargo.toml --bench draw`.

use criterion::{Criterion, criterion_group, criterion_main};
use everymove_draw::chart::{Axis, Lines, Series, lines};
use everymove_draw::svg::{Numbers, Style, Walk, picture};
use everymove_draw::theme::Theme;
use everymove_kernel::grid::{Grid, Square};

fn benches(criterion: &mut Criterion) {
    let grid = Grid::new(60, 60).expect("a board");
    // A picture needs an order of the squares, not a tour: the rows one after another.
    let order: Vec<Square> = (0..grid.len() as Square).collect();
    let walk = Walk {
        grid,
        order: &order,
        closed: false,
        holes: &[],
    };
    for (name, numbers) in [("lines", Numbers::Hidden), ("numbers", Numbers::Shown)] {
        let style = Style {
            theme: Theme::Light,
            numbers,
        };
        criterion.bench_function(&format!("60x60, {name}"), |bench| {
            bench.iter(|| picture(&walk, &style).len());
        });
    }
    let chart = Lines {
        title: "squares".to_owned(),
        x: Axis::linear("n"),
        y: Axis::log("n squared"),
        series: vec![Series {
            name: "squares".to_owned(),
            points: (1..=100)
                .map(|n| (f64::from(n), f64::from(n * n).into()))
                .collect(),
        }],
    };
    criterion.bench_function("chart of 100 points", |bench| {
        bench.iter(|| lines(&chart, Theme::Light).expect("a chart").len());
    });
}

criterion_group!(all, benches);
criterion_main!(all);
