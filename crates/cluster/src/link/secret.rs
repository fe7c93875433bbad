//! What the processes of a run know and nobody else.

use std::fmt;

use snow::Builder;

use super::handshake::PATTERN;
use crate::error::ClusterError;

/// A secret of 256 bits.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; 32]);

impl Secret {
    /// Reads 64 hexadecimal digits; spaces around them are ignored.
    ///
    /// # Errors
    /// [`ClusterError::Secret`].
    pub fn parse(text: &str) -> Result<Self, ClusterError> {
        let digits = text.trim().as_bytes();
        let mut secret = [0; 32];
        if digits.len() != 2 * secret.len() {
            return Err(ClusterError::Secret);
        }
        for (byte, pair) in secret.iter_mut().zip(digits.chunks(2)) {
            let digit = |c: u8| char::from(c).to_digit(16).ok_or(ClusterError::Secret);
            *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
        }
        Ok(Self(secret))
    }

    /// A new secret from the system's source of random numbers; `None` if there is no such source.
    pub fn random() -> Option<Self> {
        let pair = Builder::new(PATTERN.parse().ok()?)
            .generate_keypair()
            .ok()?;
        Some(Self(pair.private.try_into().ok()?))
    }

    /// The secret as [`Self::parse`] reads it.
    pub fn to_hexadecimal(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
