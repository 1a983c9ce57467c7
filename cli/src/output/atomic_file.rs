//! A file that appears complete or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file under a temporary name next to where it shall be. Dropped, it is gone.
pub(super) struct AtomicFile {
    file: NamedTempFile,
    target: PathBuf,
}

impl AtomicFile {
    pub(super) fn create(path: &Path) -> io::Result<AtomicFile> {
        // A link stays a link: what it leads to is replaced.
        let target = match fs::canonicalize(path) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
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
        let file = builder.tempfile_in(folder)?;
        remove_when_interrupted(file.path());
        Ok(AtomicFile { file, target })
    }

    /// The open file, to write to.
    pub(super) fn writer(&self) -> io::Result<File> {
        self.file.as_file().try_clone()
    }

    /// Gives the file its name, in place of one that may be there.
    pub(super) fn publish(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(self.target)?;
        Ok(())
    }
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

/// Ctrl-C and the like end the process without dropping anything.
fn remove_when_interrupted(path: &Path) {
    let path = path.to_owned();
    let _ = ctrlc::set_handler(move || {
        let _ = fs::remove_file(&path);
        std::process::exit(130);
    });
}
