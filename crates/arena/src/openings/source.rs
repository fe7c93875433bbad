//! The openings of a match.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use everymove_kernel::run::Stop;
use shakmaty::CastlingMode;

use super::Generator;
use crate::error::ArenaError;
use crate::game_state::{GameState, Opening};

/// The openings of a match, by index. Clones share the openings that were generated.
#[derive(Clone)]
pub struct Openings(Source);

#[derive(Clone)]
enum Source {
    List(Arc<[Opening]>),
    /// Generated when they are needed, so that a match without a fixed number of games can start at
    /// once.
    Generated(Arc<Mutex<Generated>>),
}

struct Generated {
    generator: Generator,
    openings: Vec<Opening>,
    /// Whether the generator has no more openings.
    exhausted: bool,
}

impl Openings {
    /// Returns opening `index`, counted from 0, or `index` modulo their number if there are fewer;
    /// `None` if there are no openings at all, or if `stop` is raised while they are generated.
    pub fn get(&self, index: u64, stop: &Stop) -> Option<Opening> {
        match &self.0 {
            Source::List(openings) => nth(openings, index),
            Source::Generated(generated) => {
                let mut generated = generated.lock().unwrap_or_else(PoisonError::into_inner);
                while !generated.exhausted && generated.openings.len() as u64 <= index {
                    match generated.generator.next_opening(stop).ok()? {
                        Some(opening) => generated.openings.push(opening),
                        None => generated.exhausted = true,
                    }
                }
                nth(&generated.openings, index)
            }
        }
    }

    /// The number of openings of a list; `None` for those that are generated.
    pub(crate) fn count(&self) -> Option<u64> {
        match &self.0 {
            Source::List(openings) => Some(openings.len() as u64),
            Source::Generated(_) => None,
        }
    }

    /// Checks that the openings of a list can be played.
    pub(crate) fn check(&self, mode: CastlingMode) -> Result<(), ArenaError> {
        let Source::List(openings) = &self.0 else {
            return Ok(());
        };
        if openings.is_empty() {
            return Err(ArenaError::NoOpenings);
        }
        for (index, opening) in openings.iter().enumerate() {
            GameState::new(opening, mode).map_err(|source| ArenaError::Opening {
                number: index + 1,
                source,
            })?;
        }
        Ok(())
    }
}

fn nth(openings: &[Opening], index: u64) -> Option<Opening> {
    let count = openings.len() as u64;
    (count > 0).then(|| openings[(index % count) as usize].clone())
}

impl From<Vec<Opening>> for Openings {
    fn from(openings: Vec<Opening>) -> Self {
        Self(Source::List(openings.into()))
    }
}

impl From<Generator> for Openings {
    fn from(generator: Generator) -> Self {
        Self(Source::Generated(Arc::new(Mutex::new(Generated {
            generator,
            openings: Vec::new(),
            exhausted: false,
        }))))
    }
}

impl fmt::Debug for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::List(openings) => f.debug_tuple("List").field(&openings.len()).finish(),
            Source::Generated(_) => f.write_str("Generated"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::GeneratorOptions;
    use super::*;

    /// Openings are equal whether they are generated one by one, in any order, or as a list; few
    /// are used again.
    #[test]
    fn openings_by_index_are_those_of_the_generator() {
        let options = GeneratorOptions {
            plies: 1,
            balance: 1000,
            ..GeneratorOptions::default()
        };
        let list: Vec<_> = Generator::new(options).collect();
        assert_eq!(list.len(), 20);
        let lazy = Openings::from(Generator::new(options));
        let listed = Openings::from(list.clone());
        for index in [7, 0, 19, 20, 47, 1_000_003] {
            let expected = Some(list[index % 20].clone());
            assert_eq!(lazy.get(index as u64, &Stop::default()), expected);
            assert_eq!(listed.get(index as u64, &Stop::default()), expected);
        }
        let stop = Stop::default();
        stop.raise();
        let stopped = Openings::from(Generator::new(GeneratorOptions::default()));
        assert_eq!(stopped.get(0, &stop), None);
    }
}
