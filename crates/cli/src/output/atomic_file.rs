//! A file that appears complete or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::print;
use crate::signals;

/// A file under a temporary name next to where it shall be. Dropped, it is gone. Failures name the file that was asked for.
pub(crate) struct AtomicFile {
    file: NamedTempFile,
    target: PathBuf,
    asked: PathBuf,
}

/// The file that an interrupt removes; held while one gets its name.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

impl AtomicFile {
    pub(crate) fn create(path: &Path) -> Result<AtomicFile, Failure> {
        AtomicFile::try_create(path).map_err(|error| failure(path, &error))
    }

    fn try_create(path: &Path) -> io::Result<AtomicFile> {
        // A link stays a link: what it leads to is replaced.
        let target = match fs::canonicalize(path) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if fs::symlink_metadata(path).is_ok() {
                    return Err(io::Error::other(
                        "it is a symbolic link to what is not there",
                    ));
                }
                path.to_owned()
            }
            Err(error) => return Err(error),
        };
        let existing = fs::metadata(&target).ok();
        if existing.as_ref().is_some_and(|there| !there.is_file()) {
            return Err(io::Error::other("it is there and not a regular file"));
        }
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".setwise-").suffix(".tmp");
        set_permissions(&mut builder, existing.as_ref());
        let file = {
            // An interrupt waits until it knows of the file.
            let mut unfinished = lock();
            let file = builder.tempfile_in(folder)?;
            *unfinished = Some(file.path().to_owned());
            file
        };
        signals::when_interrupted(|| {
            let unfinished = lock();
            if let Some(path) = &*unfinished {
                let _ = fs::remove_file(path);
            }
            // Nothing gets its name any more.
            std::mem::forget(unfinished);
        });
        Ok(AtomicFile {
            file,
            target,
            asked: path.to_owned(),
        })
    }

    /// Does something with the open file.
    pub(crate) fn with(
        &mut self,
        act: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), Failure> {
        act(self.file.as_file_mut()).map_err(|error| failure(&self.asked, &error))
    }

    /// Gives the file its name, in place of one that may be there.
    pub(crate) fn publish(self) -> Result<(), Failure> {
        let AtomicFile {
            file,
            target,
            asked,
        } = self;
        let publish = || {
            file.as_file().sync_all()?;
            let mut unfinished = lock();
            file.persist(target)?;
            *unfinished = None;
            Ok(())
        };
        publish().map_err(|error| failure(&asked, &error))
    }
}

fn lock() -> std::sync::MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The cause alone: an error of a temporary file ends by naming that file.
fn failure(path: &Path, error: &io::Error) -> Failure {
    let text = error.to_string();
    let cause = text.split(" at path \"").next().unwrap_or_default();
    Failure::Input(format!("{}: {cause}", print::name(path)))
}

/// Those of the file that is replaced, or of any new file (the process's mask applies): not
/// private as temporary files are.
#[cfg(unix)]
fn set_permissions(builder: &mut tempfile::Builder<'_, '_>, replaced: Option<&fs::Metadata>) {
    use std::os::unix::fs::PermissionsExt;
    let permissions = replaced.map_or(fs::Permissions::from_mode(0o666), fs::Metadata::permissions);
    builder.permissions(permissions);
}

#[cfg(not(unix))]
fn set_permissions(_: &mut tempfile::Builder<'_, '_>, _: Option<&fs::Metadata>) {}
