//! The commands by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use everymove_api::remote::{self, RemoteCommand};
use everymove_kernel::text::shown;

use crate::problem::Problem;

/// The commands that the server answers.
#[derive(Debug)]
pub(crate) struct Commands(BTreeMap<&'static str, Arc<RemoteCommand>>);

impl Commands {
    pub(crate) fn all() -> Self {
        let named = |command: RemoteCommand| (command.schema.command, Arc::new(command));
        Self(remote::commands().into_iter().map(named).collect())
    }

    /// The command of a name, such as `tours count`.
    pub(crate) fn find(&self, name: &str) -> Result<Arc<RemoteCommand>, Problem> {
        self.0.get(name).cloned().ok_or_else(|| {
            let names: Vec<_> = self.0.keys().copied().collect();
            let names = names.join(", ");
            Problem::not_found(format!("no command '{}': expected {names}", shown(name)))
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &RemoteCommand> {
        self.0.values().map(AsRef::as_ref)
    }
}
