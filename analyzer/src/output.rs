//! A report's file: written whole or not at all, so that nobody ever reads half a report.

use std::error::Error;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use tempfile::NamedTempFile;

/// Bytes written between two looks at whether the user has interrupted.
const CHUNK_BYTES: usize = 1 << 16;

/// A file that a report can be written to.
#[derive(Debug)]
pub struct OutputFile {
    /// As the user gave it, for messages.
    given: PathBuf,
    /// Where that leads: a link is followed, not replaced.
    target: PathBuf,
}

/// A file that cannot be written.
#[derive(Debug)]
pub struct OutputError(String);

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for OutputError {}

impl OutputFile {
    /// Finds out, before the work, whether its result can be kept at `path`. Leaves nothing there.
    ///
    /// # Errors
    /// [`OutputError`] when `path` is a directory or not writable, or its folder is missing or not writable.
    pub fn new(path: &Path) -> Result<Self, OutputError> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let file = Self { given: path.to_owned(), target };
        let folder = file.folder();
        if file.target.is_dir() {
            return Err(file.error("it is a directory; name a file"));
        }
        if !folder.is_dir() {
            let shown = folder.display();
            return Err(file.error(if folder.exists() {
                format!("{shown} is not a folder; name a file in one")
            } else {
                format!("the folder {shown} does not exist; make it first")
            }));
        }
        if file.target.exists() {
            OpenOptions::new().append(true).open(&file.target).map_err(|error| file.error(error))?;
        }
        if file.is_replaced() {
            tempfile::tempfile_in(folder).map_err(|error| file.error(error))?;
        }
        Ok(file)
    }

    /// Writes `text`, with the permissions of the file that was there.
    ///
    /// A file is replaced in one step. When the user interrupts before that, what was written so far is removed and
    /// the program ends as if it had been interrupted elsewhere. Devices and pipes are written as they are.
    ///
    /// # Errors
    /// [`OutputError`] when the text cannot be written; the file is then as before.
    pub fn write(&self, text: &str) -> Result<(), OutputError> {
        if !self.is_replaced() {
            return fs::write(&self.target, text).map_err(|error| self.error(error));
        }
        let signals = [SIGINT, SIGTERM].map(|signal| (signal, Arc::new(AtomicBool::new(false))));
        for (signal, is_set) in &signals {
            flag::register(*signal, Arc::clone(is_set)).map_err(|error| self.error(error))?;
        }
        let interruption =
            || signals.iter().find(|(_, is_set)| is_set.load(Ordering::Relaxed)).map(|(signal, _)| *signal);
        match self.replace(text, || interruption().is_some()).map_err(|error| self.error(error))? {
            Replaced::Yes => Ok(()),
            Replaced::Interrupted => {
                let ended = low_level::emulate_default_handler(interruption().unwrap_or(SIGINT));
                Err(self.error(ended.err().map_or("interrupted".to_owned(), |error| error.to_string())))
            }
        }
    }

    fn replace(&self, text: &str, is_interrupted: impl Fn() -> bool) -> io::Result<Replaced> {
        let mut file = self.new_file_beside()?;
        for chunk in text.as_bytes().chunks(CHUNK_BYTES) {
            if is_interrupted() {
                return Ok(Replaced::Interrupted);
            }
            file.write_all(chunk)?;
        }
        file.persist(&self.target)?;
        Ok(Replaced::Yes)
    }

    /// A temporary file in the same folder, which a rename can put in place; removed when dropped.
    fn new_file_beside(&self) -> io::Result<NamedTempFile> {
        #[allow(unused_mut)] // permissions are for Unix alone
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(self.folder())?;
        if let Ok(before) = fs::metadata(&self.target) {
            file.as_file().set_permissions(before.permissions())?;
        }
        Ok(file)
    }

    /// Whether a new file takes the place of the old one, which a device or a pipe does not allow.
    fn is_replaced(&self) -> bool {
        self.target.is_file() || !self.target.exists()
    }

    fn folder(&self) -> &Path {
        self.target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    fn error(&self, why: impl fmt::Display) -> OutputError {
        OutputError(format!("-o {} cannot be written: {why}", self.given.display()))
    }
}

/// How a replacement went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replaced {
    Yes,
    Interrupted,
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn an_interruption_while_writing_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let text = "x".repeat(3 * CHUNK_BYTES);
        for before in [None, Some("before")] {
            if let Some(before) = before {
                fs::write(&path, before).unwrap();
            }
            let file = OutputFile::new(&path).unwrap();
            for chunks in 0..3 {
                let left = Cell::new(chunks);
                let is_interrupted = || left.replace(left.get() - 1) == 0;
                assert_eq!(file.replace(&text, is_interrupted).unwrap(), Replaced::Interrupted);
                assert_eq!(fs::read_to_string(&path).ok().as_deref(), before);
                let names = fs::read_dir(folder.path()).unwrap().count();
                assert_eq!(names, usize::from(before.is_some()), "after {chunks} chunks");
            }
            assert_eq!(file.replace(&text, || false).unwrap(), Replaced::Yes);
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            fs::remove_file(&path).unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (kept, link) = (folder.path().join("kept"), folder.path().join("link"));
        fs::write(&kept, "before").unwrap();
        fs::set_permissions(&kept, PermissionsExt::from_mode(0o600)).unwrap();
        symlink(&kept, &link).unwrap();
        OutputFile::new(&link).unwrap().write("after").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&kept).unwrap(), "after");
        assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
