//! Lists the experiments with their expected times: `cargo run --release -p everymove-lab --example list`.

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use everymove_lab::{Size, experiments};

fn main() {
    for experiment in experiments() {
        let [quick, full] =
            [Size::Quick, Size::Full].map(|size| experiment.duration(size).as_secs());
        println!(
            "{:20} {quick:3} s quick, {full:4} s full: {}",
            experiment.name, experiment.about
        );
    }
}
