//! Sizes in bytes as people write them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A number of bytes, written and read as people do: `512M`, `4G`, `1.5G`; powers of 1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// A text that is not a size in bytes.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a size: expected a number with K, M, G or T, for example 512M or 4G")]
pub struct NotASize(String);

const UNITS: [(char, u64); 4] = [
    ('T', 1 << 40),
    ('G', 1 << 30),
    ('M', 1 << 20),
    ('K', 1 << 10),
];

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|&&(_, unit)| self.0 >= unit) {
            None => write!(f, "{}", self.0),
            Some(&(letter, unit)) => {
                let tenths = (u128::from(self.0) * 10).div_ceil(u128::from(unit));
                if tenths % 10 == 0 {
                    write!(f, "{}{letter}", tenths / 10)
                } else {
                    write!(f, "{}.{}{letter}", tenths / 10, tenths % 10)
                }
            }
        }
    }
}

impl Bytes {
    /// The texts of two sizes, in a smaller unit than usual if different sizes would read the same.
    pub(super) fn told_apart(self, other: Self) -> [String; 2] {
        let both = [self, other];
        let texts = both.map(|size| size.to_string());
        if texts[0] != texts[1] || self == other {
            return texts;
        }
        let smaller = UNITS[2..]
            .iter()
            .map(|&(letter, unit)| both.map(|size| format!("{}{letter}", size.0.div_ceil(unit))));
        let exact = both.map(|size| size.0.to_string());
        smaller
            .chain([exact])
            .find(|[one, two]| one != two)
            .unwrap_or(texts)
    }
}

impl FromStr for Bytes {
    type Err = NotASize;

    fn from_str(text: &str) -> Result<Self, NotASize> {
        let bad = || NotASize(text.to_owned());
        let upper = text.trim().to_ascii_uppercase();
        let body = upper
            .strip_suffix("IB")
            .or(upper.strip_suffix('B'))
            .unwrap_or(&upper);
        let unit = UNITS.iter().find(|&&(letter, _)| body.ends_with(letter));
        let (number, unit) = match unit {
            Some(&(letter, unit)) => (body.strip_suffix(letter).unwrap_or(body).trim_end(), unit),
            None => (body, 1),
        };
        let plain = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        if !plain(number) {
            return Err(bad());
        }
        let bytes = match number.parse::<u64>() {
            Ok(whole) => whole.checked_mul(unit).ok_or_else(bad)?,
            Err(_) => {
                let value = number.parse::<f64>().map_err(|_| bad())? * unit as f64;
                if value >= u64::MAX as f64 {
                    return Err(bad());
                }
                value as u64
            }
        };
        if bytes == 0 {
            Err(bad())
        } else {
            Ok(Self(bytes))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let read = |text: &str| text.parse::<Bytes>().map(|b| b.0);
        assert_eq!(read("10M"), Ok(10 << 20));
        assert_eq!(read("4g"), Ok(4 << 30));
        assert_eq!(read("1.5GiB"), Ok(3 << 29));
        assert_eq!(read("64 KB"), Ok(64 << 10));
        assert_eq!(read("4096"), Ok(4096));
        for bad in [
            "",
            "G",
            "-1G",
            "4Q",
            "1e9",
            "inf",
            "0",
            "99999999999T",
            "1.2.3M",
            "4GG",
            "4 G G",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn sizes_print_no_less_than_they_are(bytes in 1u64..1 << 50) {
            let shown = Bytes(bytes).to_string().parse::<Bytes>().unwrap().0;
            prop_assert!(shown + 1 >= bytes && shown as f64 <= bytes as f64 * 1.11 + 1.0);
        }
    }
}
