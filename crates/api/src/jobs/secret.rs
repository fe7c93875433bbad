//! `cluster secret`: a new secret for the links between processes.

use everymove_cluster::Secret;
use schemars::JsonSchema;
use serde::Serialize;

/// What `cluster secret --json` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SecretAnswer {
    /// Always `cluster secret`.
    pub command: &'static str,
    /// The secret, as the text that a file for `--secret-file` holds.
    pub secret: String,
    /// The version of everymove.
    pub version: &'static str,
}

impl SecretAnswer {
    /// A secret as an answer.
    pub fn new(secret: &Secret) -> Self {
        Self {
            command: "cluster secret",
            secret: secret.to_hexadecimal(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
