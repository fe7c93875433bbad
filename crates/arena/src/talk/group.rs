//! The process group of an engine: whatever it starts goes when it goes.

use std::process::{Child, ChildStdin, Command};

/// Puts the program to be started into a group of its own. A terminal's interrupt then reaches the arena alone,
/// which ends the engines in order.
#[cfg(unix)]
pub(super) fn separate(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Kills the group of a child that has not been waited for yet.
#[cfg(unix)]
pub(super) fn kill(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // An error means that nobody is left in the group.
    let _ = pid.map(|pid| kill_process_group(pid, Signal::KILL));
}

/// Makes writing to the child fail instead of wait when it does not read.
#[cfg(unix)]
pub(super) fn never_wait(input: &ChildStdin) -> std::io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    let flags = fcntl_getfl(input)?;
    Ok(fcntl_setfl(input, flags | OFlags::NONBLOCK)?)
}

#[cfg(not(unix))]
pub(super) fn separate(_command: &mut Command) {}

#[cfg(not(unix))]
pub(super) fn kill(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(not(unix))]
pub(super) fn never_wait(_input: &ChildStdin) -> std::io::Result<()> {
    Ok(())
}
