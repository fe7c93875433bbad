//! What a journal has: the classes added up, and checks that need no other computation.

use std::collections::BTreeSet;
use std::path::Path;

use everymove_kernel::files::Disk;
use num_bigint::BigUint;
use thiserror::Error;

use crate::frontier::FrontierError;
use crate::frontier::classes::journal::{Finished, Subject, read};

/// A journal, added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The question in words.
    pub question: String,
    /// The number of classes.
    pub classes: u64,
    /// How many of them are finished.
    pub finished: u64,
    /// Undirected tours of the finished classes: the count, if all are finished. It may be a half
    /// too small before, since only the sum over all classes is even where mirror images are
    /// counted together.
    pub undirected: BigUint,
    /// For every slot of the middle, the parts of the sum over the classes by the degree of the
    /// slot in the first half; the sum is as many times the number of undirected tours as
    /// `multiplicity` says.
    pub by_degree: Vec<[BigUint; 3]>,
    /// 2 where mirror images are counted together, otherwise 1.
    pub multiplicity: u32,
    /// Transitions of states in the classes.
    pub transitions: u64,
}

/// A journal that contradicts itself.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// The journal cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FrontierError),
    /// The journal does not say what it is of.
    #[error("the journal is empty")]
    Empty,
    /// A class that does not fit the others.
    #[error("class {class} of the journal {problem}")]
    Class {
        /// Its number.
        class: u32,
        /// What is wrong.
        problem: &'static str,
    },
    /// The sum over all classes is odd although mirror images were counted together.
    #[error("the sum over all classes is odd")]
    Odd,
}

/// Adds up the classes of the journal in a folder and checks that each occurs once and agrees with
/// its parts by degree, slot for slot.
///
/// # Errors
/// [`SummaryError`]: no journal, or one that contradicts itself.
pub fn summary(folder: &Path) -> Result<Summary, SummaryError> {
    let storage = Disk::new(folder);
    let (subject, finished) = read(&storage)?;
    let subject = subject.ok_or(SummaryError::Empty)?;
    of(subject, &finished)
}

/// Adds up all classes of a count, with the checks of [`summary`]; `question` and `multiplicity`
/// are those of the [`Split`](crate::frontier::classes::Split).
///
/// # Errors
/// [`SummaryError`]: the classes contradict themselves.
pub fn add_up(
    question: &str,
    multiplicity: u32,
    classes: &[Finished],
) -> Result<Summary, SummaryError> {
    let subject = Subject {
        question: question.to_owned(),
        plan: String::new(),
        classes: classes.len() as u64,
        multiplicity,
    };
    of(subject, classes)
}

fn of(subject: Subject, finished: &[Finished]) -> Result<Summary, SummaryError> {
    let mut seen = BTreeSet::new();
    let mut total = BigUint::ZERO;
    let slots = finished.first().map_or(0, |class| class.by_degree.len());
    let mut by_degree = vec![[BigUint::ZERO, BigUint::ZERO, BigUint::ZERO]; slots];
    for class in finished {
        let wrong = |problem| SummaryError::Class {
            class: class.class,
            problem,
        };
        let number = |text: &String| {
            let parsed = text.parse::<BigUint>();
            parsed.map_err(|_| wrong("has a sum that is no number"))
        };
        if !seen.insert(class.class) {
            return Err(wrong("occurs twice"));
        }
        if class.by_degree.len() != slots {
            return Err(wrong("has another number of slots"));
        }
        let sum = number(&class.sum)?;
        for (all, parts) in by_degree.iter_mut().zip(&class.by_degree) {
            let mut parts_sum = BigUint::ZERO;
            for (all, part) in all.iter_mut().zip(parts) {
                let part = number(part)?;
                parts_sum += &part;
                *all += part;
            }
            if parts_sum != sum {
                return Err(wrong("is not the sum of its parts by degree"));
            }
        }
        total += sum;
    }
    let complete = seen.len() as u64 == subject.classes;
    if complete && &total % subject.multiplicity != BigUint::ZERO {
        return Err(SummaryError::Odd);
    }
    Ok(Summary {
        question: subject.question,
        classes: subject.classes,
        finished: seen.len() as u64,
        undirected: total / subject.multiplicity,
        by_degree,
        multiplicity: subject.multiplicity,
        transitions: finished.iter().map(|class| class.transitions).sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_are_found() {
        let subject = Subject {
            question: "5x5 open tours".to_owned(),
            plan: String::new(),
            classes: 2,
            multiplicity: 2,
        };
        let class = |class, sum: u32, parts: [u32; 3]| Finished {
            class,
            sum: sum.to_string(),
            by_degree: vec![parts.map(|part| part.to_string())],
            transitions: 1,
            states: 1,
        };
        let add = |classes: &[Finished]| of(subject.clone(), classes);
        let sound = add(&[class(0, 7, [1, 2, 4]), class(3, 5, [5, 0, 0])]).unwrap();
        assert_eq!(sound.undirected, 6u32.into());
        assert_eq!(sound.by_degree[0], [6u32, 2, 4].map(BigUint::from));
        assert_eq!(add(&[class(0, 7, [1, 2, 4])]).unwrap().finished, 1);
        for wrong in [
            [class(0, 7, [1, 2, 4]), class(0, 5, [5, 0, 0])],
            [class(0, 7, [1, 2, 3]), class(3, 5, [5, 0, 0])],
            [class(0, 7, [1, 2, 4]), class(3, 6, [6, 0, 0])],
        ] {
            assert!(add(&wrong).is_err());
        }
    }
}
