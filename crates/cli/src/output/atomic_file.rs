//! Files that appear complete or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
#[cfg(any(panic = "abort", test))]
use std::{sync::TryLockError, thread::sleep, time::Duration};

use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::print;
use crate::signals;

/// A temporary file next to the file that it will replace. Removed when dropped, when a signal ends
/// the process, and on a panic.
pub(crate) struct AtomicFile {
    file: NamedTempFile,
    target: PathBuf,
    /// The path as the user wrote it, for messages.
    path: PathBuf,
}

/// Temporary files that a signal or a panic removes. Locked while one of them is created or
/// renamed.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl AtomicFile {
    pub(crate) fn create(path: &Path) -> Result<AtomicFile, Failure> {
        AtomicFile::try_create(path).map_err(|error| failure(path, &error))
    }

    fn try_create(path: &Path) -> io::Result<AtomicFile> {
        // Replace what a symbolic link points to, not the link.
        let target = match fs::canonicalize(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if fs::symlink_metadata(path).is_ok() {
                    return Err(io::Error::other("it is a symbolic link to a missing file"));
                }
                path.to_owned()
            }
            target => target?,
        };
        let existing = fs::metadata(&target).ok();
        if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
            return Err(io::Error::other("it exists and is not a regular file"));
        }
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".setwise-").suffix(".tmp");
        set_permissions(&mut builder, existing.as_ref());
        remove_at_the_end();
        let file = {
            let mut temporary = lock();
            let file = builder.tempfile_in(folder)?;
            temporary.push(file.path().to_owned());
            file
        };
        #[cfg(unix)]
        if let Some(existing) = existing {
            // The umask has restricted the permissions, so set them again. Ignore errors, because
            // some file systems have no permissions.
            let _ = file.as_file().set_permissions(existing.permissions());
        }
        let path = path.to_owned();
        Ok(AtomicFile { file, target, path })
    }

    /// Runs `act` on the open file; a failure names the file.
    pub(crate) fn with<T>(
        &mut self,
        act: impl FnOnce(&mut File) -> io::Result<T>,
    ) -> Result<T, Failure> {
        act(self.file.as_file_mut()).map_err(|error| failure(&self.path, &error))
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

/// Makes signals and panics remove the temporary files. Only the first call has an effect.
fn remove_at_the_end() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        signals::when_interrupted(|| remove(lock()));
        // A panic that unwinds drops every file, and so removes it. Code that shares a file between
        // threads must drop it itself, as the pipeline does.
        #[cfg(panic = "abort")]
        {
            let report = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                if let Some(temporary) = try_lock_for_a_while(&TEMPORARY) {
                    remove(temporary);
                }
                report(panic);
            }));
        }
    });
}

/// Locks the list, even if it is poisoned. Waits for up to half a second, because another thread
/// holds the lock only while it creates or renames a file. Returns `None` if the lock is still held
/// then, because the panicking thread itself may hold it.
#[cfg(any(panic = "abort", test))]
fn try_lock_for_a_while<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    for _ in 0..500 {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(error)) => return Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => sleep(Duration::from_millis(1)),
        }
    }
    None
}

fn remove(temporary: MutexGuard<'_, Vec<PathBuf>>) {
    for path in &*temporary {
        let _ = fs::remove_file(path);
    }
    // Keep the lock, so that no temporary file is renamed before the process ends.
    std::mem::forget(temporary);
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

/// Gives the temporary file the permissions of the file that it replaces. A new file gets the usual
/// permissions: 0o666, which the umask restricts. By default, `tempfile` creates private files.
#[cfg(unix)]
fn set_permissions(builder: &mut tempfile::Builder<'_, '_>, replaced: Option<&fs::Metadata>) {
    use std::os::unix::fs::PermissionsExt;
    let permissions = replaced.map_or(fs::Permissions::from_mode(0o666), fs::Metadata::permissions);
    builder.permissions(permissions);
}

#[cfg(not(unix))]
fn set_permissions(_: &mut tempfile::Builder<'_, '_>, _: Option<&fs::Metadata>) {}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::try_lock_for_a_while;

    #[test]
    fn a_panic_waits_for_the_lock_of_another_thread() {
        let mutex = Mutex::new(1);
        let (sender, is_locked) = channel();
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut guard = mutex.lock().unwrap();
                sender.send(()).unwrap();
                thread::sleep(Duration::from_millis(10));
                *guard = 2;
            });
            is_locked.recv().unwrap();
            assert_eq!(*try_lock_for_a_while(&mutex).unwrap(), 2);
        });
        let panicked = thread::scope(|scope| {
            let panicking = scope.spawn(|| {
                let _guard = mutex.lock().unwrap();
                panic!("as a test");
            });
            panicking.join().is_err()
        });
        assert!(panicked && mutex.is_poisoned());
        assert!(try_lock_for_a_while(&mutex).is_some());
        let _held = mutex.lock();
        assert!(try_lock_for_a_while(&mutex).is_none());
    }
}
