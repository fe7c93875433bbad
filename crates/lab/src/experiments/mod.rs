//! The experiments, a file each.

mod chess_features;
mod chess_network;
mod chess_scaling;
mod chess_strategies;
mod course;
mod leapfrog;
mod pegs_layers;
mod pegs_search;
mod tables;
mod tables_speedup;
mod tours_count;
mod tours_speedup;
mod tours_symmetric;

use everymove_kernel::text;

use crate::{Experiment, UnknownExperiment};

/// All experiments in the order in which they are listed.
pub fn all() -> &'static [Experiment] {
    &[
        course::tours::EXPERIMENT,
        course::symmetric::EXPERIMENT,
        course::leapfrog::EXPERIMENT,
        course::chess::EXPERIMENT,
        course::pegs::EXPERIMENT,
        tours_speedup::EXPERIMENT,
        tours_symmetric::EXPERIMENT,
        tours_count::EXPERIMENT,
        pegs_search::EXPERIMENT,
        pegs_layers::EXPERIMENT,
        leapfrog::EXPERIMENT,
        tables_speedup::EXPERIMENT,
        chess_strategies::EXPERIMENT,
        chess_scaling::EXPERIMENT,
        chess_features::EXPERIMENT,
        chess_network::EXPERIMENT,
    ]
}

/// The experiment called `name`, in any case.
///
/// # Errors
/// [`UnknownExperiment`] with the nearest name.
pub fn find(name: &str) -> Result<&'static Experiment, UnknownExperiment> {
    let found = all().iter().find(|e| e.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| UnknownExperiment {
        name: text::shown(name),
        nearest: text::nearest(name, all().iter().map(|e| e.name)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_one_wrong_letter_gets_a_suggestion() {
        for experiment in all() {
            assert_eq!(find(experiment.name).unwrap().name, experiment.name);
            for at in 0..experiment.name.len() {
                let mut wrong = experiment.name.to_owned();
                wrong.replace_range(at..=at, "q");
                let error = find(&wrong).unwrap_err();
                assert_eq!(error.nearest, Some(experiment.name), "{wrong}");
            }
        }
        let error = find("pegs-serch").unwrap_err().to_string();
        assert_eq!(
            error,
            "'pegs-serch' is not an experiment: did you mean pegs-search?"
        );
        assert_eq!(
            find("alchemy\n").unwrap_err().to_string(),
            r"'alchemy\n' is not an experiment"
        );
    }
}
