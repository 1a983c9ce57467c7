//! Runs a COPY into a staging folder, and moves the files to the target when they are complete.

use std::error::Error;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::datasource::file_format::file_type_to_format;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::dml::CopyTo;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::{DataFrame, SessionContext};
use tempfile::TempDir;
use url::Url;

/// The staging folder of the latest COPY. Statements run one after the other.
static LATEST: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Removes what the tasks of an interrupted COPY have written after its [`StagedCopy`] was dropped.
pub(crate) fn clean_up() {
    if let Some(folder) = LATEST.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // Ignore errors: the folder is usually gone.
        let _ = fs::remove_dir_all(folder);
    }
}

/// A COPY that writes to a staging folder first, because DataFusion completes a query's files even
/// if the query fails.
pub(crate) struct StagedCopy {
    /// The file or folder that COPY is to write. One `rename` moves the output there.
    target: PathBuf,
    /// The target as the query names it.
    name: String,
    /// The file or folder that COPY writes first.
    output: PathBuf,
    /// The folder of the output, beside the target. Dropped after a COPY, after its failure or
    /// panic, and when its future is dropped.
    _staging: TempDir,
}

impl StagedCopy {
    /// Redirects a COPY to a new staging folder.
    pub(crate) fn redirect(context: &SessionContext, copy: &mut CopyTo) -> Result<StagedCopy> {
        // Reports invalid options before a folder is created.
        file_type_to_format(&copy.file_type)?.create(&context.state(), &copy.options)?;
        let name = copy.output_url.clone();
        StagedCopy::stage(copy).map_err(|error| {
            DataFusionError::Execution(format!("COPY cannot write to {name}: {error}"))
        })
    }

    fn stage(copy: &mut CopyTo) -> Result<StagedCopy, Box<dyn Error>> {
        if copy.output_url.contains("://") {
            return Err("expected the path of a file or folder".into());
        }
        // Removes a final `/`.
        let mut target: PathBuf = std::path::absolute(&copy.output_url)?.components().collect();
        // Replaces what a link points to, not the link. It need not exist.
        let mut links = 0;
        while let Ok(link) = fs::read_link(&target) {
            links += 1;
            if links > 40 {
                return Err("too many links".into());
            }
            target.pop();
            target.push(link);
        }
        let name = target.file_name().and_then(OsStr::to_str);
        let (Some(folder), Some(name)) = (target.parent(), name) else {
            return Err("expected the name of a file or folder".into());
        };
        // As in DataFusion, `x.` has no extension.
        let extension = Path::new(name).extension();
        let is_file = !copy.output_url.ends_with('/')
            && copy.partition_by.is_empty()
            && extension.is_some_and(|extension| !extension.is_empty())
            && !target.is_dir();
        if !is_file && target.exists() && fs::read_dir(&target)?.next().is_some() {
            return Err("the folder is not empty; choose a new folder".into());
        }
        fs::create_dir_all(folder)?;
        // A name with `=` would be a partition of the parent folder.
        let prefix = format!(".{}.partial-", name.replace('=', "-"));
        // Without `..`, which URLs do not have.
        let folder = folder.canonicalize()?;
        let staging = tempfile::Builder::new().prefix(&prefix).tempdir_in(&folder)?;
        *LATEST.lock().unwrap_or_else(PoisonError::into_inner) = Some(staging.path().to_owned());
        let output = staging.path().join(if is_file { name } else { "files" });
        // A URL, because DataFusion takes `*`, `?` and `[` in a path for wildcards.
        let url = if is_file {
            Url::from_file_path(&output)
        } else {
            fs::create_dir(&output)?;
            Url::from_directory_path(&output)
        };
        let url = url.map_err(|()| "expected an absolute path")?.into();
        let target = folder.join(name);
        let name = std::mem::replace(&mut copy.output_url, url);
        Ok(StagedCopy { target, name, output, _staging: staging })
    }

    /// Runs the COPY, and moves its output to the target. Returns the result of the COPY: the
    /// number of rows.
    pub(crate) async fn run(self, frame: DataFrame) -> Result<SendableRecordBatchStream> {
        let schema = Arc::clone(frame.schema().inner());
        let result =
            frame.collect().await.and_then(|result| Ok(self.publish().map(|()| result)?));
        let message = || format!("nothing was written to {}", self.name);
        let result = result.map_err(|error| error.context(message()))?;
        let result = futures::stream::iter(result.into_iter().map(Ok));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, result)))
    }

    fn publish(&self) -> io::Result<()> {
        let (from, to) = (&self.output, &self.target);
        sync(from)?;
        if let Ok(existing) = fs::metadata(to)
            && existing.is_file()
        {
            // Ignore errors: the file may belong to another user.
            let _ = fs::set_permissions(from, existing.permissions());
        }
        // Fails if files were added to the target folder after the COPY started.
        fs::rename(from, to)?;
        // Ignore errors: the target is in place, so the COPY has not failed.
        let _ = to.parent().map(|folder| File::open(folder)?.sync_all());
        Ok(())
    }
}

/// Flushes a file, or a folder and all that it contains, to the disk. After a later rename, the
/// files are complete even if the power fails. Does nothing except on Unix, because other systems
/// cannot flush a file that is open for reading.
fn sync(path: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    if !path.is_dir() {
        return File::open(path)?.sync_all();
    }
    for entry in fs::read_dir(path)? {
        sync(&entry?.path())?;
    }
    // Ignore errors: some network file systems cannot flush a folder.
    let _ = File::open(path)?.sync_all();
    Ok(())
}

#[cfg(test)]
mod tests {
    use datafusion::logical_expr::LogicalPlan;

    use super::*;

    /// A COPY is redirected to a folder beside the target, which exists as long as the
    /// [`StagedCopy`].
    #[tokio::test]
    async fn a_copy_is_staged() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().canonicalize().unwrap();
        let context = SessionContext::new();
        for target in ["x=1/", "x.csv", ".x.csv.partial-0123/x.csv", "none/../y.csv"] {
            let query = format!("COPY (SELECT 1) TO '{}/{target}' STORED AS CSV", here.display());
            let mut plan = context.state().create_logical_plan(&query).await.unwrap();
            let LogicalPlan::Copy(copy) = &mut plan else { panic!("not a COPY") };
            let staged = StagedCopy::redirect(&context, copy).unwrap();
            let url = Url::parse(&copy.output_url).unwrap().to_file_path().unwrap();
            let staging = url.parent().unwrap();
            let name = staging.file_name().unwrap().to_str().unwrap();
            assert!(name.starts_with('.') && name.contains(".partial-") && !name.contains('='));
            assert!(staging.is_dir() && staging.parent() == staged.target.parent());
            assert!(staging.starts_with(&here) && !staged.target.exists(), "{target}");
            drop(staged);
            assert!(!staging.exists());
        }
    }
}
