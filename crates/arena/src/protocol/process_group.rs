//! The process group of an engine: processes that it starts end with it.

use std::process::{Child, ChildStdin, Command};

/// Puts the program to be started into a process group of its own, so that an interrupt from the terminal reaches
/// only the arena, which then ends its engines.
#[cfg(unix)]
pub(super) fn new_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Kills the group of a child that has not been waited for yet.
#[cfg(unix)]
pub(super) fn kill(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // An error means that the group has no process left.
    let _ = pid.map(|pid| kill_process_group(pid, Signal::KILL));
}

/// Makes a write to a child that does not read its input fail with `WouldBlock` instead of waiting.
#[cfg(unix)]
pub(super) fn set_nonblocking(input: &ChildStdin) -> std::io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    let flags = fcntl_getfl(input)?;
    Ok(fcntl_setfl(input, flags | OFlags::NONBLOCK)?)
}

#[cfg(not(unix))]
pub(super) fn new_group(_command: &mut Command) {}

#[cfg(not(unix))]
pub(super) fn kill(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(not(unix))]
pub(super) fn set_nonblocking(_input: &ChildStdin) -> std::io::Result<()> {
    Ok(())
}
