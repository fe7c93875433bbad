//! Chores of the workspace.

fn main() -> anyhow::Result<()> {
    anyhow::bail!("usage: cargo xtask tidy | long")
}
