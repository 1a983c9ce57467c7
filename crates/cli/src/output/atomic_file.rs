//! Files that appear complete or not at all.

use std::fs;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::print;

/// A temporary file next to the file that it will replace. Removed when dropped, and by [`exit`].
pub(crate) struct AtomicFile {
    file: NamedTempFile,
    target: PathBuf,
    /// The path as the user wrote it, for messages.
    path: PathBuf,
}

/// The temporary files. Locked while one of them is created or renamed.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl AtomicFile {
    pub(crate) fn create(path: &Path) -> Result<AtomicFile, Failure> {
        AtomicFile::try_create(path).map_err(|error| failure(path, &error))
    }

    fn try_create(path: &Path) -> io::Result<AtomicFile> {
        // Replace what a symbolic link points to, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let existing = fs::metadata(&target).ok();
        if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
            return Err(io::Error::other("it exists and is not a regular file"));
        }
        let folder = target.parent().filter(|folder| *folder != Path::new(""));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".setwise-").suffix(".tmp");
        // By default, `tempfile` creates private files. A new file gets the usual permissions,
        // which the umask restricts; another one keeps those of the file that it replaces.
        #[cfg(unix)]
        builder.permissions(existing.as_ref().map_or_else(
            || std::os::unix::fs::PermissionsExt::from_mode(0o666),
            fs::Metadata::permissions,
        ));
        let mut temporary = lock();
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        temporary.push(file.path().to_owned());
        drop(temporary);
        // The umask has restricted the permissions, so set them again. Ignore errors, because some
        // file systems have no permissions. On Windows, a file may only be read-only, and could
        // then not be removed.
        #[cfg(unix)]
        if let Some(existing) = existing {
            let _ = file.as_file().set_permissions(existing.permissions());
        }
        Ok(AtomicFile { file, target, path: path.to_owned() })
    }

    /// Lets `write` work on the file. Its error becomes one that names the file.
    pub(crate) fn with(
        &mut self,
        write: impl FnOnce(&mut fs::File) -> io::Result<()>,
    ) -> Result<(), Failure> {
        write(self.file.as_file_mut()).map_err(|error| failure(&self.path, &error))
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.with(|file| file.write_all(bytes))
    }

    pub(crate) fn write_at_start(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.with(Seek::rewind)?;
        self.write(bytes)
    }

    /// Renames the file to its final name, replacing an existing file.
    pub(crate) fn publish(self) -> Result<(), Failure> {
        let publish = || {
            self.file.as_file().sync_all()?;
            let mut temporary = lock();
            let path = self.file.path().to_owned();
            self.file.persist(self.target)?;
            temporary.retain(|other| *other != path);
            Ok(())
        };
        publish().map_err(|error| failure(&self.path, &error))
    }
}

/// Removes all temporary files and ends the process.
pub(crate) fn exit(code: i32) -> ! {
    // Keep the lock, so that no temporary file is created or renamed before the process ends.
    let temporary = lock();
    for path in &*temporary {
        let _ = fs::remove_file(path);
    }
    std::process::exit(code)
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The failure for an error, without the name of the temporary file.
fn failure(path: &Path, error: &io::Error) -> Failure {
    let text = error.to_string();
    let cause = text.split(" at path \"").next().unwrap_or_default();
    Failure::Input(format!("{}: {cause}", print::name(path)))
}
