//! The state of a training run between two epochs.

use everymove_kernel::files::{BlockReader, BlockWriter, FileError, Format, Storage, publish};
use everymove_kernel::text::shown;

use super::Losses;
use super::adam::Adam;
use super::model::Model;

const FORMAT: Format = Format {
    magic: *b"EMTRAING",
    version: 1,
    what: "a state of training",
};
const NAME: &str = "training.state";
const QUESTION: u32 = 1;
const LOSSES: u32 = 2;
const NUMBERS: u32 = 3;

/// What a run needs to resume.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub(super) model: Model,
    pub(super) adam: Adam,
    /// By epoch that is done.
    pub(super) losses: Vec<Losses>,
}

/// Saves the state; `question` describes plan and data.
pub(super) fn save(storage: &dyn Storage, question: &str, state: &State) -> Result<(), FileError> {
    publish(storage, NAME, |draft| {
        let mut blocks = BlockWriter::new(draft, FORMAT)?;
        blocks.write(QUESTION, question.as_bytes())?;
        let mut losses = state.adam.steps.to_le_bytes().to_vec();
        for loss in &state.losses {
            losses.extend(loss.training.to_le_bytes());
            losses.extend(loss.validation.to_le_bytes());
        }
        blocks.write(LOSSES, &losses)?;
        for list in [
            &state.model.parameters,
            &state.adam.mean,
            &state.adam.square,
        ] {
            let bytes: Vec<u8> = list.iter().flat_map(|x| x.to_le_bytes()).collect();
            blocks.write(NUMBERS, &bytes)?;
        }
        blocks.finish().map(|_| ())
    })
}

/// The saved state of the same question; `None` if there is none. `new` gives the sizes.
pub(super) fn load(
    storage: &dyn Storage,
    question: &str,
    new: &State,
) -> Result<Option<State>, FileError> {
    let mut blocks = match BlockReader::open(storage, NAME, FORMAT) {
        Err(error) if error.is_not_found() => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    let tag = blocks.read(&mut bytes)?;
    if tag != Some(QUESTION) {
        return Err(blocks.damaged("it should be the question"));
    }
    if bytes != question.as_bytes() {
        return Err(FileError::OtherQuestion {
            path: storage.display(NAME),
            found: format!(
                "another training ({})",
                shown(&String::from_utf8_lossy(&bytes))
            ),
            asked: format!("this one ({})", shown(question)),
        });
    }
    let wrong = |blocks: &BlockReader| blocks.damaged("its numbers are not those of this training");
    if blocks.read(&mut bytes)? != Some(LOSSES) || bytes.len() % 16 != 4 {
        return Err(wrong(&blocks));
    }
    let mut steps = [0; 4];
    steps.copy_from_slice(&bytes[..4]);
    let numbers = |bytes: &[u8]| -> Vec<f64> {
        let words = bytes.as_chunks().0.iter();
        words.map(|&w| f64::from_le_bytes(w)).collect()
    };
    let losses = numbers(&bytes[4..]);
    let losses = (losses.as_chunks().0.iter())
        .map(|&[training, validation]| Losses {
            training,
            validation,
        })
        .collect();
    let length = new.model.parameters.len();
    let mut lists = Vec::new();
    for _ in 0..3 {
        if blocks.read(&mut bytes)? != Some(NUMBERS) || bytes.len() != 4 * length {
            return Err(wrong(&blocks));
        }
        let words = bytes.as_chunks().0.iter();
        let list: Vec<f32> = words.map(|&w| f32::from_le_bytes(w)).collect();
        if !list.iter().all(|number| number.is_finite()) {
            return Err(wrong(&blocks));
        }
        lists.push(list);
    }
    let [parameters, mean, square] =
        <[Vec<f32>; 3]>::try_from(lists).map_err(|_| wrong(&blocks))?;
    Ok(Some(State {
        model: Model {
            hidden: new.model.hidden,
            parameters,
        },
        adam: Adam {
            mean,
            square,
            steps: u32::from_le_bytes(steps),
        },
        losses,
    }))
}
