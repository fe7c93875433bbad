//! Distances that depend on the half-move clock: step functions, by their code with a clock of 0
//! and a number.

/// From a clock on, a code; 0 where nothing is forced any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Step {
    pub(crate) clock: u8,
    pub(crate) code: u8,
}

/// The step functions of one side to move of a half.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClockSteps {
    /// By code with a clock of 0, less 1, and number: the steps, clocks and codes ascending but
    /// for a last code of 0.
    by_code: Vec<Vec<Box<[Step]>>>,
}

impl ClockSteps {
    /// The largest number of a function.
    pub(crate) const MOST: u16 = (1 << 15) - 1;
    /// The clock with which a game is over.
    pub(crate) const END: u8 = 100;

    /// Adds the next function of a code, which is at least that of the function before.
    pub(crate) fn push(&mut self, code: u16, steps: Vec<Step>) {
        let length = self.by_code.len().max(usize::from(code));
        self.by_code.resize_with(length, Vec::new);
        self.by_code[usize::from(code) - 1].push(steps.into());
    }

    /// Returns the code with a clock from the code with a clock of 0 and the number of the
    /// function; `None` if there is no such function.
    pub(crate) fn code(&self, code: u16, number: u16, clock: u8) -> Option<u16> {
        let steps = self.steps(code, number)?;
        let begun = steps.iter().take_while(|step| step.clock <= clock);
        Some(begun.last().map_or(code, |step| step.code.into()))
    }

    /// Returns the steps of a function, none for code 0; `None` if there is no such function.
    pub(crate) fn steps(&self, code: u16, number: u16) -> Option<&[Step]> {
        if code == 0 {
            return Some(&[]);
        }
        let functions = self.by_code.get(usize::from(code) - 1)?;
        functions.get(usize::from(number)).map(|steps| &**steps)
    }

    /// Number of functions.
    pub(crate) fn len(&self) -> usize {
        self.by_code.iter().map(Vec::len).sum()
    }

    /// Returns the functions as numbers: for each code from 1 the number of its functions, for each
    /// of these the number of its steps, for each of these clock and code.
    pub(crate) fn to_numbers(&self) -> Vec<u16> {
        let mut numbers = Vec::new();
        for functions in &self.by_code {
            numbers.push(functions.len() as u16);
            for steps in functions {
                numbers.push(steps.len() as u16);
                for step in steps {
                    numbers.extend([step.clock, step.code].map(u16::from));
                }
            }
        }
        numbers
    }

    /// Returns the functions of [`Self::to_numbers`]; `None` if the numbers are no functions.
    pub(crate) fn from_numbers(numbers: impl IntoIterator<Item = u16>) -> Option<Self> {
        let mut numbers = numbers.into_iter();
        let mut by_code = Vec::new();
        while let Some(count) = numbers.next() {
            let code = u8::try_from(by_code.len() + 1).ok()?;
            let mut functions = Vec::new();
            for _ in 0..count {
                let length = numbers.next()?;
                let mut steps = Vec::new();
                let mut before = Step { clock: 0, code };
                for _ in 0..length {
                    let clock = u8::try_from(numbers.next()?).ok()?;
                    let code = u8::try_from(numbers.next()?).ok()?;
                    let is_later = before.clock < clock && clock <= Self::END;
                    if !is_later || before.code == 0 || (code != 0 && code <= before.code) {
                        return None;
                    }
                    before = Step { clock, code };
                    steps.push(before);
                }
                functions.push(steps.into());
            }
            by_code.push(functions);
        }
        Some(Self { by_code })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(clock: u8, code: u8) -> Step {
        Step { clock, code }
    }

    #[test]
    fn functions_become_numbers_and_functions_again() {
        let mut functions = ClockSteps::default();
        functions.push(1, vec![]);
        functions.push(3, vec![step(96, 0)]);
        functions.push(3, vec![step(50, 7), step(90, 0)]);
        let numbers = functions.to_numbers();
        assert_eq!(numbers, [1, 0, 0, 2, 1, 96, 0, 2, 50, 7, 90, 0]);
        assert_eq!(ClockSteps::from_numbers(numbers).as_ref(), Some(&functions));
        let codes = [0, 49, 50, 89, 90, 100].map(|clock| functions.code(3, 1, clock));
        assert_eq!(codes, [3, 3, 7, 7, 0, 0].map(Some));
        assert_eq!(functions.code(1, 0, 100), Some(1));
        assert_eq!(functions.code(0, 5, 0), Some(0));
        assert_eq!(functions.code(2, 0, 0), None);
        assert_eq!(functions.code(3, 2, 0), None);
        assert_eq!(functions.code(4, 0, 0), None);
    }

    #[test]
    fn numbers_that_are_no_functions_are_refused() {
        for numbers in [
            &[1, 1, 101, 0][..],
            &[1, 1, 0, 0],
            &[1, 1, 50, 1],
            &[1, 2, 50, 3, 50, 0],
            &[1, 2, 50, 0, 60, 5],
            &[1, 1, 50],
            &[2, 0],
            &[1, 1, 50, 300],
        ] {
            assert_eq!(ClockSteps::from_numbers(numbers.iter().copied()), None);
        }
    }
}
