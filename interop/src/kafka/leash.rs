//! A process that cannot outlive this one, whatever kills this one.

use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::ClusterError;

/// A command under a small shell that holds the other end of a pipe. When this process dies, also by SIGKILL, the
/// kernel closes the pipe, and the shell kills the command. Dropping kills it too, and waits until it is gone.
///
/// Other ways need `unsafe` (`prctl`), or do not hold when this process has no time left to act (handlers, `Drop`).
#[derive(Debug)]
pub(crate) struct Leash {
    shell: Child,
    /// `None` once the command was told to die.
    pipe: Option<ChildStdin>,
}

impl Leash {
    /// Starts `command`. If this process dies before it, `folder` is removed.
    pub(crate) fn spawn(
        command: &[&str],
        folder: &Path,
        stdout: impl Into<Stdio>,
        stderr: impl Into<Stdio>,
    ) -> Result<Self, ClusterError> {
        let mut shell = Command::new("sh");
        shell.args(["-c", include_str!("leash.sh"), "leash"]).arg(folder).args(command);
        shell.stdin(Stdio::piped()).stdout(stdout).stderr(stderr);
        // Ctrl-C in a terminal goes to a whole group of processes: it is for this process to decide what it means.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut shell = shell.spawn().map_err(|error| {
            ClusterError::new(format!("sh cannot be started: {error}; it is part of Unix"))
        })?;
        let pipe = shell.stdin.take();
        Ok(Self { shell, pipe })
    }

    /// The command's output, once, if it was started with `Stdio::piped()`.
    pub(crate) fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.shell.stdout.take()
    }

    /// How the command ended, if it has.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>, ClusterError> {
        self.shell
            .try_wait()
            .map_err(|error| ClusterError::new(format!("a process is out of sight: {error}")))
    }

    /// Waits until the command has ended by itself.
    pub(crate) fn wait(&mut self) -> Result<ExitStatus, ClusterError> {
        loop {
            // `Child::wait` would close the pipe first, which kills.
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills the command with SIGKILL and waits until it is gone.
    fn kill(&mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            // Fails when the command has ended by itself, which is as well.
            let _ = pipe.write_all(b"kill\n");
        }
        let _ = self.shell.wait();
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn spawn(folder: &Path, script: &str) -> Result<Leash, ClusterError> {
        Leash::spawn(&["sh", "-c", script], folder, Stdio::piped(), Stdio::null())
    }

    #[test]
    fn the_status_of_the_command_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let mut leash = spawn(folder.path(), "echo said; exit 7").unwrap();
        assert_eq!(leash.wait().unwrap().code(), Some(7));
        assert_eq!(std::io::read_to_string(leash.take_stdout().unwrap()).unwrap(), "said\n");
    }

    #[test]
    fn a_dropped_leash_kills_and_leaves_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let mut leash = spawn(folder.path(), "exec sleep 1000").unwrap();
        assert!(leash.ended().unwrap().is_none());
        // Returns only because the sleep was killed.
        drop(leash);
        assert!(folder.path().exists());
    }

    #[test]
    fn the_end_of_the_pipe_kills_and_removes_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let mut leash = spawn(folder.path(), "exec sleep 1000").unwrap();
        // What the kernel does when this process dies.
        leash.pipe = None;
        leash.wait().unwrap();
        assert!(!folder.path().exists());
    }
}
