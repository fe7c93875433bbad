//! Fields of requests that had another name in the version before.

/// A field that got another name. The old one is accepted for one release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The command of the request: `tours list`.
    pub command: &'static str,
    /// The name before.
    pub old: &'static str,
    /// The name now.
    pub new: &'static str,
}

const fn renamed(command: &'static str, old: &'static str, new: &'static str) -> Renamed {
    Renamed { command, old, new }
}

/// All renamed fields. One name has one meaning in all requests: `number` is how many results are wanted, `nodes` limits
/// a search, `time` is in seconds, `steps` asks for the positions after each move.
pub const RENAMED: &[Renamed] = &[
    renamed("analyse", "st", "time"),
    renamed("analyse", "syzygy", "syzygy_path"),
    renamed("arena play", "format", "tournament"),
    renamed("arena play", "games", "number"),
    renamed("arena play", "patience", "timeout"),
    renamed("arena play", "st", "time"),
    renamed("arena play", "syzygy", "syzygy_path"),
    renamed("pegs replay", "positions", "steps"),
    renamed("pegs solve", "limit", "nodes"),
    renamed("pegs solve", "memory", "hash"),
    renamed("tables stats", "examples", "number"),
    renamed("tours list", "limit", "number"),
    renamed("tours sample", "limit", "number"),
    renamed("tours symmetric", "limit", "number"),
];

/// The present name of the field `name` of a command.
pub(crate) fn present_name(command: &str, name: &str) -> Option<&'static str> {
    let found = RENAMED
        .iter()
        .find(|field| field.command == command && field.old == name);
    found.map(|field| field.new)
}
