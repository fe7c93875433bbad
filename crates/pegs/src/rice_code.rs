//! Rice code: small numbers in few bits.

/// The parameter that suits `count` numbers adding up to about `sum`.
pub(crate) fn parameter(sum: u64, count: u64) -> u8 {
    // The least whole number above the binary logarithm of the median of a geometric distribution: mean times ln 2.
    let median = (sum as f64 / count.max(1) as f64 * std::f64::consts::LN_2) as u64;
    median.max(1).ilog2() as u8
}

/// Appends numbers to bytes, lowest bit first.
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    len: u32,
}

impl BitWriter {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            pending: 0,
            len: 0,
        }
    }

    /// Writes a number: `number >> parameter` ones, a zero, and the low bits.
    pub(crate) fn put(&mut self, number: u64, parameter: u8) {
        for _ in 0..number >> parameter {
            self.bits(1, 1);
        }
        self.bits(0, 1);
        for at in 0..parameter {
            self.bits(number >> at & 1, 1);
        }
    }

    /// Whole bytes so far.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes, the last filled up with zeros.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        if self.len > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes
    }

    fn bits(&mut self, bits: u64, len: u32) {
        self.pending |= bits << self.len;
        self.len += len;
        while self.len >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.len -= 8;
        }
    }
}

/// Takes numbers from bytes.
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    pending: u64,
    len: u32,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            pending: 0,
            len: 0,
        }
    }

    /// The next number; `None` if the bytes end within it.
    pub(crate) fn take(&mut self, parameter: u8) -> Option<u64> {
        let mut high = 0u64;
        loop {
            self.fill(1)?;
            let ones = self.pending.trailing_ones().min(self.len);
            high += u64::from(ones);
            self.drop(ones);
            if self.len > 0 {
                self.drop(1);
                break;
            }
        }
        let mut low = 0;
        let mut at = 0;
        while at < u32::from(parameter) {
            let len = (u32::from(parameter) - at).min(32);
            self.fill(len)?;
            low |= (self.pending & ((1 << len) - 1)) << at;
            self.drop(len);
            at += len;
        }
        // A number beyond 64 bits is none that was written.
        high.checked_mul(1 << parameter).map(|high| high | low)
    }

    fn fill(&mut self, len: u32) -> Option<()> {
        while self.len <= 56 {
            let Some((&byte, rest)) = self.bytes.split_first() else {
                break;
            };
            self.pending |= u64::from(byte) << self.len;
            self.len += 8;
            self.bytes = rest;
        }
        (self.len >= len).then_some(())
    }

    fn drop(&mut self, len: u32) {
        self.pending = self.pending.checked_shr(len).unwrap_or(0);
        self.len -= len;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(parameter in 0u8..40, numbers in prop::collection::vec(0u64..1 << 45, 0..50)) {
            let mut writer = BitWriter::new(vec![7]);
            let numbers: Vec<u64> = numbers.iter().map(|n| n % (1 << parameter.saturating_add(7))).collect();
            for &number in &numbers {
                writer.put(number, parameter);
            }
            let bytes = writer.finish();
            let mut reader = BitReader::new(&bytes[1..]);
            for &number in &numbers {
                prop_assert_eq!(reader.take(parameter), Some(number));
            }
        }
    }
}
