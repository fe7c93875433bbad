//! Values as runs of powers of two, for the values that mostly stand in runs: what pairing would find too, only slower.

use crate::syzygy::coded::LEAF;

/// The most values a symbol stands for: readers keep the number, less one, in a byte.
pub(crate) const LONGEST: u32 = 256;
/// Values are made into places by so many.
pub(crate) const PIECE: usize = 1 << 16;

/// The symbols of runs.
pub(crate) struct Runs {
    pub(crate) symbols: Vec<(u16, u16)>,
    /// By value: the symbols of one, two, four, ... of it.
    powers: Vec<Vec<u16>>,
}

impl Runs {
    /// The symbols for some values.
    pub(crate) fn of(values: &[u8]) -> Self {
        let mut counts = [0u64; 256];
        let mut in_runs = [0u64; 256];
        for run in values.chunk_by(|a, b| a == b) {
            counts[usize::from(run[0])] += run.len() as u64;
            if run.len() >= 8 {
                in_runs[usize::from(run[0])] += run.len() as u64;
            }
        }
        let mut symbols = Vec::new();
        let mut powers: Vec<Vec<u16>> = vec![Vec::new(); 256];
        for (value, own) in powers.iter_mut().enumerate() {
            if counts[value] == 0 {
                continue;
            }
            own.push(symbols.len() as u16);
            symbols.push((value as u16, LEAF));
        }
        for (value, own) in powers.iter_mut().enumerate() {
            if in_runs[value] * 16 < values.len() as u64 || in_runs[value] == 0 {
                continue;
            }
            while 1u32 << own.len() <= LONGEST {
                let half = own[own.len() - 1];
                own.push(symbols.len() as u16);
                symbols.push((half, half));
            }
        }
        Self { symbols, powers }
    }

    /// How many places every so manieth piece of values takes.
    pub(crate) fn places(&self, values: &[u8], every: usize) -> u64 {
        let mut places = 0;
        for piece in values.chunks(PIECE).step_by(every) {
            for run in piece.chunk_by(|a, b| a == b) {
                let top = self.powers[usize::from(run[0])].len() - 1;
                let rest = run.len() & ((1 << top) - 1);
                places += (run.len() >> top) as u64 + u64::from(rest.count_ones());
            }
        }
        places
    }

    /// Appends the symbols of values.
    pub(crate) fn append(&self, values: &[u8], to: &mut Vec<u16>) {
        for run in values.chunk_by(|a, b| a == b) {
            let own = &self.powers[usize::from(run[0])];
            let mut left = run.len();
            for (power, &symbol) in own.iter().enumerate().rev() {
                let times = left >> power;
                to.extend(std::iter::repeat_n(symbol, times));
                left -= times << power;
            }
        }
    }
}
