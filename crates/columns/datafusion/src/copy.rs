//! Runs a COPY into a staging folder. When the files are complete, moves them to the target or
//! uploads them.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind};
use std::ops::Deref;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fs, mem};

use datafusion::arrow::array::cast::AsArray;
use datafusion::arrow::datatypes::{SchemaRef, UInt64Type};
use datafusion::datasource::file_format::csv::{CsvFormat, CsvFormatFactory};
use datafusion::datasource::file_format::json::{JsonFormat, JsonFormatFactory};
use datafusion::datasource::file_format::parquet::{ParquetFormat, ParquetFormatFactory};
use datafusion::datasource::file_format::{
    FileFormat, FileFormatFactory, file_type_to_format, format_as_file_type,
};
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use futures::TryStreamExt;
use object_store::buffered::BufWriter;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use url::Url;

use crate::stores;

/// The staging folders of the statements that run in this process.
static STAGING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// An option of COPY that does not belong to the file format.
const KEEP_COLUMNS: &str = "execution.keep_partition_by_columns";

/// A COPY that writes to a staging folder first, because DataFusion completes a query's files even
/// if the query fails.
pub(crate) struct StagedCopy {
    staging: Staging,
    target: Target,
    /// The target as the query names it.
    name: String,
    /// The name of the file in the staging folder; `None` if the target is a folder.
    file: Option<String>,
    format: Arc<dyn FileFormat>,
    /// The names of the columns in the files.
    columns: Vec<String>,
    schema: SchemaRef,
    /// The settings of the session.
    config: SessionConfig,
}

/// A staging folder. Dropping this value removes the folder: after a COPY, after its failure or
/// panic, and when its future is dropped.
struct Staging(PathBuf);

impl Staging {
    fn create(path: PathBuf) -> io::Result<Staging> {
        fs::create_dir(&path)?;
        Ok(Staging::of_folder(path))
    }

    fn of_folder(path: PathBuf) -> Staging {
        lock_staging().insert(path.clone());
        Staging(path)
    }
}

impl Deref for Staging {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // Ignore errors: after success, the folder may have moved. After a failure, an executor
        // that cannot be reached may still write to it.
        let _ = fs::remove_dir_all(&self.0);
        lock_staging().remove(&self.0);
    }
}

/// Locks [`STAGING`]. While the lock is held, no COPY can move its staging folder or file to its
/// target.
pub(crate) fn lock_staging() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    STAGING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A copy of [`STAGING`].
pub(crate) fn staging_folders() -> BTreeSet<PathBuf> {
    lock_staging().clone()
}

/// Removes `..` from an absolute path, as URLs do, without resolving symbolic links.
fn without_parents(path: &Path) -> Option<PathBuf> {
    let url = Url::from_file_path(path).ok()?;
    Url::parse(url.as_str()).ok()?.to_file_path().ok()
}

/// Whether a URL is a staging folder, or a file in one.
fn is_staged(url: &str) -> bool {
    let path = Url::parse(url).ok().and_then(|url| url.to_file_path().ok());
    path.is_some_and(|path| staging_folders().iter().any(|folder| path.starts_with(folder)))
}

/// Where the files of a COPY go when they are complete.
enum Target {
    /// A local file or folder. The staging folder is beside it, and one `rename` moves the file, or
    /// the whole folder, to the target.
    Local(PathBuf),
    /// An object, or the prefix of objects. The staging folder is a temporary folder.
    Store(Arc<dyn ObjectStore>, ObjectPath),
}

impl StagedCopy {
    /// Redirects a COPY to a new staging folder. If `remote`, other processes run the COPY.
    pub(crate) async fn redirect(
        context: &SessionContext,
        copy: &mut CopyTo,
        remote: bool,
    ) -> Result<StagedCopy> {
        let wrong = |what: &str| {
            DataFusionError::Execution(format!("COPY cannot write to {}: {what}", copy.output_url))
        };
        let unreadable =
            |error: &dyn Display| wrong(&format!("{error}{}", stores::hint(&copy.output_url)));
        let target = match Url::parse(&copy.output_url) {
            Ok(url) if url.scheme() == "file" => {
                let path = url.to_file_path();
                Target::Local(path.map_err(|()| wrong("expected the URL of a local file"))?)
            }
            Ok(url) if copy.output_url.contains("://") => {
                if let "https" | "http" = url.scheme() {
                    return Err(wrong("expected a local path, or a URL s3:// or gs://"));
                }
                if remote {
                    // Executors have no common folder whose files could be uploaded.
                    return Err(wrong("a cluster writes only with COPY to a local file or folder"));
                }
                stores::check_url(&copy.output_url)?;
                let url = ListingTableUrl::parse(&copy.output_url)?;
                let store = context.runtime_env().object_store(&url)?;
                Target::Store(store, url.prefix().clone())
            }
            // The processes of a cluster run in other directories, so the path must be absolute.
            _ => {
                let path = std::path::absolute(&copy.output_url)?;
                Target::Local(without_parents(&path).ok_or_else(|| wrong("expected a path"))?)
            }
        };
        let target = match target {
            Target::Local(path) => {
                // Removes a final `/`.
                let path: PathBuf = path.components().collect();
                // Replaces what a symbolic link points to, not the link.
                let path = if path.is_symlink() { fs::canonicalize(path) } else { Ok(path) };
                Target::Local(path.map_err(|error| wrong(&error.to_string()))?)
            }
            store @ Target::Store(..) => store,
        };
        let name = match &target {
            Target::Local(path) => path.file_name().and_then(|name| name.to_str()),
            Target::Store(_, path) => Some(path.filename().unwrap_or_default()),
        };
        let name = name.ok_or_else(|| wrong("expected the name of a file or folder"))?.to_owned();
        // As in DataFusion, `x.` has no extension.
        let extension = Path::new(&name).extension();
        let is_file = !copy.output_url.ends_with('/')
            && copy.partition_by.is_empty()
            && extension.is_some_and(|extension| !extension.is_empty())
            && !matches!(&target, Target::Local(path) if path.is_dir());
        let is_empty = match &target {
            _ if is_file => true,
            Target::Local(path) => match fs::read_dir(path) {
                Ok(mut entries) => entries.next().is_none(),
                Err(error) if error.kind() == ErrorKind::NotFound => true,
                Err(error) => return Err(unreadable(&error)),
            },
            Target::Store(store, path) => {
                is_empty(store, path).await.map_err(|error| unreadable(&error))?
            }
        };
        if !is_empty {
            return Err(wrong("the folder is not empty; choose a new folder"));
        }
        let format = file_type_to_format(&copy.file_type)?;
        let format = format.create(&context.state(), &copy.options)?;
        if remote && let Some(factory) = with_options(&*format) {
            // `datafusion-proto` loses `copy.options`, but not the options of the factory.
            copy.file_type = format_as_file_type(factory);
            copy.options.retain(|name, _| !name.starts_with("format."));
            if copy.options.contains_key(KEEP_COLUMNS) {
                return Err(wrong(&format!(
                    "a cluster loses the option `{KEEP_COLUMNS}`; use --set \
                     datafusion.{KEEP_COLUMNS}=true"
                )));
            }
        }
        let config = context.copied_config();
        let keep = config.options().execution.keep_partition_by_columns;
        let schema = Arc::clone(copy.input.schema().inner());
        let names = schema.fields().iter().map(|field| field.name().clone());
        let columns = names.filter(|name| keep || !copy.partition_by.contains(name)).collect();
        let staging = match &target {
            Target::Local(path) => {
                // The number is random. A process ID would not do, because a folder may remain from
                // an earlier process with the same ID. A name with `=` would be a partition of the
                // parent folder.
                let number = RandomState::new().hash_one(0);
                let name = format!(".{}.partial-{number:016x}", name.replace('=', "-"));
                let staging = path.with_file_name(name);
                let parent = staging.parent().map_or(Ok(()), fs::create_dir_all);
                let created = parent.and_then(|()| Staging::create(staging));
                created.map_err(|error| wrong(&error.to_string()))?
            }
            Target::Store(..) => {
                Staging::of_folder(tempfile::Builder::new().prefix("setwise-").tempdir()?.keep())
            }
        };
        let file = is_file.then_some(name);
        // A URL, because DataFusion takes `*`, `?` and `[` in a path for wildcards.
        let url = match &file {
            Some(file) => Url::from_file_path(staging.join(file)),
            None => Url::from_directory_path(&*staging),
        };
        let url = url.map_err(|()| wrong("expected an absolute path"))?.into();
        let name = mem::replace(&mut copy.output_url, url);
        Ok(StagedCopy { staging, target, name, file, format, columns, schema, config })
    }

    /// Runs the COPY, and moves its files to the target. If `check`, first reads the files back.
    /// They must come from one attempt and have the number of rows that the COPY reports. Returns
    /// the result of the COPY: the number of rows.
    pub(crate) async fn run(
        self,
        frame: DataFrame,
        check: bool,
    ) -> Result<SendableRecordBatchStream> {
        let schema = Arc::clone(frame.schema().inner());
        let committed = async {
            let result = frame.collect().await?;
            if check {
                let counts = result.iter().flat_map(|batch| {
                    batch.column(0).as_primitive::<UInt64Type>().values().iter().copied()
                });
                self.check(counts.sum()).await?;
            }
            if let Target::Local(_) = &self.target {
                sync(&self.staging)?;
            }
            match (&self.target, &self.file) {
                (Target::Local(path), Some(file)) => {
                    let file = self.staging.join(file);
                    if let Ok(existing) = fs::metadata(path) {
                        // Ignore errors: the file may belong to the user who runs an executor.
                        let _ = fs::set_permissions(&file, existing.permissions());
                    }
                    let _lock = lock_staging();
                    fs::rename(file, path)?;
                }
                // Fails if files were added to the target folder after the COPY started.
                (Target::Local(path), None) => {
                    let _lock = lock_staging();
                    fs::rename(&*self.staging, path)?;
                }
                (Target::Store(store, path), file) => {
                    if file.is_none() && !is_empty(store, path).await? {
                        let message = "the folder is no longer empty";
                        return Err(DataFusionError::Execution(message.to_owned()));
                    }
                    self.upload(store, path).await?;
                }
            }
            if let Target::Local(path) = &self.target {
                // Ignore errors: the target is in place, so the COPY has not failed.
                let _ = path.parent().map(sync_one);
            }
            Ok::<_, DataFusionError>(result)
        };
        let result = committed.await.map_err(|error| {
            error.context(format!(
                "nothing was written to {}{}",
                self.name,
                stores::hint(&self.name)
            ))
        })?;
        let result = futures::stream::iter(result.into_iter().map(Ok));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, result)))
    }

    /// Uploads the files. If one fails, deletes the files that were uploaded before.
    async fn upload(&self, store: &Arc<dyn ObjectStore>, to: &ObjectPath) -> Result<()> {
        let mut files = vec![];
        list(&self.staging, &mut files)?;
        let mut uploaded = vec![];
        for file in &files {
            let path = if self.file.is_some() {
                to.clone()
            } else {
                let name = file.strip_prefix(&*self.staging).unwrap_or(file).to_string_lossy();
                let path = format!("{to}/{}", name.replace(MAIN_SEPARATOR, "/"));
                ObjectPath::parse(path).map_err(object_store::Error::from)?
            };
            if let Err(error) = upload(file, store, &path).await {
                let mut error = error.to_string();
                for path in &uploaded {
                    if let Err(other) = store.delete(path).await {
                        error = format!("{error}; {path} stays, because {other}");
                    }
                }
                return Err(DataFusionError::Execution(error));
            }
            uploaded.push(path);
        }
        Ok(())
    }

    async fn check(&self, rows: u64) -> Result<()> {
        let mut files = vec![];
        list(&self.staging, &mut files)?;
        let wrong = |what: String| Err(DataFusionError::Execution(what));
        // DataFusion names the files of an attempt `ID_NUMBER.EXTENSION` or, if partitioned,
        // `ID.EXTENSION`. An unfinished file has the suffix `#NUMBER`.
        let mut attempts = BTreeSet::new();
        for file in &files {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if is_unfinished(&name) {
                return wrong(format!("the file {} is incomplete", file.display()));
            }
            let stem = name.split('.').next().unwrap_or_default();
            attempts.insert(stem.split('_').next().unwrap_or_default().to_owned());
        }
        if self.file.is_none() && attempts.len() > 1 {
            return wrong(format!("{} attempts wrote files; expected one", attempts.len()));
        }
        let found = if files.is_empty() { 0 } else { self.count(&files).await? };
        if found != rows {
            return wrong(format!("COPY reports {rows} rows, but its files contain {found}"));
        }
        Ok(())
    }

    /// The number of rows in these files.
    async fn count(&self, files: &[PathBuf]) -> Result<u64> {
        let urls = files.iter().map(|file| {
            let url = Url::from_file_path(file);
            let url = url.map_err(|()| DataFusionError::Internal("a relative path".into()))?;
            ListingTableUrl::try_new(url, None)
        });
        let options = ListingOptions::new(Arc::clone(&self.format)).with_file_extension("");
        let positions = self.columns.iter().map(|name| self.schema.index_of(name));
        let schema = self.schema.project(&positions.collect::<Result<Vec<_>, _>>()?)?;
        let config = ListingTableConfig::new_with_multi_paths(urls.collect::<Result<_>>()?)
            .with_listing_options(options)
            .with_schema(Arc::new(schema));
        let table = ListingTable::try_new(config)?;
        // Reads whole files, because DataFusion would also divide CSV at line breaks inside quotes.
        let config = self.config.clone().with_repartition_file_scans(false);
        let context = SessionContext::new_with_config(config);
        let rows = context.read_table(Arc::new(table))?.count().await?;
        Ok(rows as u64)
    }
}

/// Whether a file has the suffix `#NUMBER`, which `object_store` removes when the file is complete.
fn is_unfinished(name: &str) -> bool {
    name.rsplit_once('#').is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}

async fn is_empty(store: &Arc<dyn ObjectStore>, path: &ObjectPath) -> object_store::Result<bool> {
    Ok(store.list(Some(path)).try_next().await?.is_none())
}

/// Uploads a file. The object appears only when it is complete.
async fn upload(file: &Path, store: &Arc<dyn ObjectStore>, to: &ObjectPath) -> io::Result<()> {
    let mut file = File::open(file).await?;
    let mut writer = BufWriter::new(Arc::clone(store), to.clone());
    if let Err(error) = tokio::io::copy(&mut file, &mut writer).await {
        // Return the first error, not that of `abort`.
        let _ = writer.abort().await;
        return Err(error);
    }
    writer.shutdown().await
}

/// A factory for this format with its options. `None` if the format has no options.
fn with_options(format: &dyn FileFormat) -> Option<Arc<dyn FileFormatFactory>> {
    if let Some(csv) = format.downcast_ref::<CsvFormat>() {
        return Some(Arc::new(CsvFormatFactory::new_with_options(csv.options().clone())));
    }
    if let Some(json) = format.downcast_ref::<JsonFormat>() {
        return Some(Arc::new(JsonFormatFactory::new_with_options(json.options().clone())));
    }
    let parquet = format.downcast_ref::<ParquetFormat>()?;
    Some(Arc::new(ParquetFormatFactory::new_with_options(parquet.options().clone())))
}

/// Flushes a folder, its subfolders and their files to the disk. After a later rename, the files
/// are complete even if the power fails.
fn sync(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { sync(&path)? } else { sync_one(&path)? }
    }
    sync_one(folder)
}

/// Flushes a file, or the names in a folder, to the disk. Does nothing except on Unix, because
/// other systems cannot flush a folder, or a file that is open for reading. Some network file
/// systems cannot flush a folder. This is not an error.
fn sync_one(path: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match fs::File::open(path)?.sync_all() {
        Err(error)
            if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported)
                && path.is_dir() =>
        {
            Ok(())
        }
        result => result,
    }
}

/// Appends the files of a folder and its subfolders.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a plan writes files without a staging folder: a COPY that
/// [`run_with`](crate::program::run_with) has not redirected, or an INSERT.
#[must_use]
pub fn writes_in_place(plan: &LogicalPlan) -> bool {
    let mut found = false;
    let visit = |node: &LogicalPlan| match node {
        LogicalPlan::Copy(copy) => !is_staged(&copy.output_url),
        LogicalPlan::Dml(_) => true,
        _ => false,
    };
    // The closure never fails.
    let _ = plan.apply_with_subqueries(|node| {
        found |= visit(node);
        Ok(datafusion::common::tree_node::TreeNodeRecursion::Continue)
    });
    found
}

#[cfg(test)]
mod tests {
    use datafusion::sql::parser::{DFParser, Statement};

    use super::*;

    async fn plan(context: &SessionContext, query: &str) -> LogicalPlan {
        let statement: Statement = DFParser::parse_sql(query).unwrap().pop_front().unwrap();
        context.state().statement_to_plan(statement).await.unwrap()
    }

    /// A COPY to a folder that is only named like a staging folder writes in place.
    #[tokio::test]
    async fn only_staged_copies_do_not_write_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("x.partial-0123456789abcdef");
        let context = SessionContext::new();
        for target in [
            format!("{}/", target.display()),
            format!("file://{}/x.csv", target.display()),
            format!("{}/.x.csv.partial-0123456789abcdef/x.csv", folder.path().display()),
            format!("{}/none/../y.csv", folder.path().display()),
        ] {
            let query = format!("COPY (SELECT 1 AS x) TO '{target}' STORED AS CSV");
            let mut plan = plan(&context, &query).await;
            assert!(writes_in_place(&plan), "{target}");
            let LogicalPlan::Copy(copy) = &mut plan else { panic!("not a COPY") };
            let staged = StagedCopy::redirect(&context, copy, true).await.unwrap();
            let (staging, redirected) = (staged.staging.to_path_buf(), plan.clone());
            assert!(staging.is_dir());
            assert!(!writes_in_place(&redirected), "{redirected}");
            // Dropping the copy removes its folder, as after an error or a panic.
            drop(staged);
            assert!(!staging.exists());
            assert!(writes_in_place(&redirected), "{redirected}");
        }
    }
}
