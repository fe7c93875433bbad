//! A join that is not finished.

use serde::{Deserialize, Serialize};

/// A part of a join: the first pairs, and their sum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct Joined {
    /// How many pairs are joined, in the order of their numbers of endpoints and of the first half.
    pub(in super::super) pairs: u64,
    /// The sum over them.
    #[serde(with = "decimal")]
    pub(in super::super) total: u128,
}

/// Numbers beyond 64 bits as text.
mod decimal {
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(
        number: &u128,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<u128, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}
