//! Files as tables: `SELECT ... FROM 'positions.epd'`.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int16Array, RecordBatch, StringArray, UInt8Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{DynamicFileCatalog, TableProvider, UrlTableFactory};
use datafusion::datasource::dynamic_file::DynamicListTableFactory;
use datafusion::datasource::listing::{
    ListingTable, ListingTableConfig, ListingTableConfigExt, ListingTableUrl,
};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::execution::session_state::SessionState;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::prelude::{SessionContext, ident};
use futures::TryStreamExt;
use object_store::ObjectStoreExt;
use setwise_arrow::position_fields;
use setwise_positions::{Batch, Block, Blocks, Detected, Format, Piece, Side, decompress, foreign};

use crate::stores;

/// Whether a session can read `.epd`, `.fen` and `.bin` files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PositionFiles {
    /// Yes, as tables: see [`enable`].
    Tables,
    /// No: using such a file is an error. For clusters, which cannot divide it into tasks.
    Rejected,
}

/// Lets the queries of a session use names of files and folders as tables.
///
/// DataFusion reads Parquet, CSV and JSON. An `.epd` or `.fen` file, or a `.bin` file in
/// bulletformat, marlinformat or viriformat, is a table with a row for each position, in the order
/// of the file. It may be compressed with gzip or Zstandard, as in `.epd.gz` and `.bin.zst`.
///
/// * `line`: the number of the line, the record, or the position in a file of games, from 1
/// * `fen`: the position without EPD operations
/// * `white_pawns` to `black_kings`: the sets of the position
/// * `score`, `result`: the score and the result of the position, only in `.bin` files
#[must_use]
pub fn enable(context: SessionContext, positions: PositionFiles) -> SessionContext {
    let factory = Arc::new(Files { session: DynamicListTableFactory::default(), positions });
    let files = Arc::clone(&factory) as Arc<dyn UrlTableFactory>;
    let catalogs = Arc::clone(context.state().catalog_list());
    let id = context.session_id();
    let context: SessionContext = context
        .into_state_builder()
        .with_session_id(id)
        .with_catalog_list(Arc::new(DynamicFileCatalog::new(catalogs, files)))
        .build()
        .into();
    factory.session.session_store().with_state(context.state_weak_ref());
    context
}

#[derive(Debug)]
struct Files {
    /// Used only for its `SessionStore`, a type that `datafusion` does not re-export.
    session: DynamicListTableFactory,
    positions: PositionFiles,
}

#[async_trait::async_trait]
impl UrlTableFactory for Files {
    async fn try_new(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let path = Path::new(name);
        let is_local = !name.contains("://");
        let kind = extension(path).filter(|_| is_local);
        if let Some(kind @ ("epd" | "fen" | "bin" | "bf" | "vf" | "data" | "plain")) = kind.as_deref() {
            if self.positions == PositionFiles::Rejected {
                return Err(DataFusionError::Execution(format!(
                    "a cluster cannot read `{name}`; convert it first: setwise-sql \
                     \"COPY (SELECT * FROM '{name}') TO 'FOLDER/' STORED AS PARQUET\""
                )));
            }
            return positions(path, !matches!(kind, "epd" | "fen")).map(Some);
        }
        let session = self.session.session_store().get_session().upgrade();
        let state = session.and_then(|session| {
            let session = session.read();
            session.as_any().downcast_ref::<SessionState>().cloned()
        });
        let state = state.ok_or_else(|| DataFusionError::Internal("no session".into()))?;
        if !is_local {
            stores::check_url(name)?;
        }
        let url = listing_url(name)?;
        if let ("https" | "http", true) = (url.scheme(), url.is_collection()) {
            return Err(DataFusionError::Execution(format!(
                "`{name}` is not a file; web servers do not list folders"
            )));
        }
        if let Ok(config) = ListingTableConfig::new(url.clone()).infer_options(&state).await {
            let table = async {
                let config = config.infer_partitions_from_path(&state).await?;
                ListingTable::try_new(config.infer_schema(&state).await?)
            };
            let table = table.await.map_err(|error| unreadable(name, &error))?;
            return Ok(Some(Arc::new(table)));
        }
        if is_local && !name.contains(['.', '/', '*']) {
            // DataFusion reports that there is no such table.
            return Ok(None);
        }
        Err(not_a_table(name, &url, &state).await)
    }
}

/// The files that a path or URL names. Both may contain wildcards.
fn listing_url(name: &str) -> Result<ListingTableUrl> {
    let wildcard = name.find("://").and_then(|_| name.find('*'));
    let folder = wildcard.and_then(|wildcard| name[..wildcard].rfind('/'));
    match folder.map(|end| name.split_at(end + 1)) {
        Some((folder, pattern)) => ListingTableUrl::parse(folder)?.with_glob(pattern),
        None => ListingTableUrl::parse(name),
    }
}

/// The error that explains why `name` is not a table.
async fn not_a_table(name: &str, url: &ListingTableUrl, state: &SessionState) -> DataFusionError {
    let found = async {
        let store = state.runtime_env().object_store(url)?;
        // The calls below fail if the store cannot be read, for example because the credentials are
        // wrong.
        if url.is_collection() {
            let mut files = url.list_all_files(state, &store, "").await?;
            return Ok(files.try_next().await?.is_some());
        }
        match store.head(url.prefix()).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    };
    let found: Result<bool> = found.await;
    DataFusionError::Execution(match found {
        Err(error) => return unreadable(name, &error),
        Ok(true) => format!(
            "`{name}` is not a table; expected a file .parquet, .csv or .json, a folder of one of \
             these, or a local file .epd, .fen or .bin"
        ),
        Ok(false) if name.contains(['*', '?', '[']) => format!("no file matches `{name}`"),
        Ok(false) if name.ends_with('/') => format!("there are no files in `{name}`"),
        Ok(false) => format!("the file `{name}` does not exist"),
    })
}

fn unreadable(name: &str, error: &DataFusionError) -> DataFusionError {
    let (error, hint) = (error.strip_backtrace(), stores::hint(name));
    DataFusionError::Execution(format!("cannot read `{name}`: {error}{hint}"))
}

/// The extension of a file name in lower case, ignoring a final `.gz` or `.zst`.
fn extension(path: &Path) -> Option<String> {
    let mut path = path;
    if path.extension().is_some_and(|last| last == "gz" || last == "zst") {
        path = Path::new(path.file_stem()?);
    }
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// A file of positions as a table.
fn positions(path: &Path, is_binary: bool) -> Result<Arc<dyn TableProvider>> {
    let mut file = open(path)?;
    let mut format = Format::Text;
    if is_binary {
        let (detected, start) =
            Format::detect_stream(&mut file).map_err(|error| failed(path, error))?;
        format = match detected {
            // An empty .bin file has no format. Treated as records, it gets their columns.
            Detected::One(Format::Text) if start.is_empty() => Format::Bullet,
            Detected::One(Format::Text) => {
                return Err(failed(path, "it is text; name it .epd or .fen"));
            }
            Detected::One(format) => format,
            Detected::Several(formats) if !formats.is_empty() => {
                let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
                let names = names.join(" or ");
                return Err(failed(path, format!("it could be {names}; convert it to text first")));
            }
            _ => {
                if let Some(what) = foreign(&start) {
                    return Err(failed(path, format!("this is {what}")));
                }
                let expected = "expected whole records of bulletformat or marlinformat, or games \
                                of viriformat";
                return Err(failed(path, expected));
            }
        };
    }
    let mut fields = vec![
        Arc::new(Field::new("line", DataType::UInt64, false)),
        Arc::new(Field::new("fen", DataType::Utf8, false)),
    ];
    fields.extend(position_fields().iter().cloned());
    if format != Format::Text {
        fields.push(Arc::new(Field::new("score", DataType::Int16, false)));
        fields.push(Arc::new(Field::new("result", DataType::UInt8, false)));
    }
    let schema = Arc::new(Schema::new(fields));
    let stream = Positions { path: path.to_owned(), format, schema: Arc::clone(&schema) };
    let order = vec![ident("line").sort(true, false)];
    let table = StreamingTable::try_new(schema, vec![Arc::new(stream)])?;
    Ok(Arc::new(table.with_sort_order(order)))
}

/// Opens a file, which may be compressed with gzip or Zstandard.
fn open(path: &Path) -> Result<Box<dyn Read + Send>> {
    if path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir()) {
        return Err(failed(path, "expected a regular file, because it is read more than once"));
    }
    let file = File::open(path).map_err(|error| {
        if error.kind() != ErrorKind::NotFound {
            return failed(path, error);
        }
        let name = path.display();
        DataFusionError::Execution(if name.to_string().contains('*') {
            format!("a table is one file of positions, so `{name}` cannot have wildcards")
        } else {
            format!("the file `{name}` does not exist")
        })
    })?;
    let name = path.display().to_string();
    let garbage = move || eprintln!("{name}: the data after the gzip data is ignored");
    let (stream, _) = decompress(file, garbage).map_err(|error| failed(path, error))?;
    Ok(stream)
}

fn failed(path: &Path, error: impl std::fmt::Display) -> DataFusionError {
    DataFusionError::Execution(format!("{}: {error}", path.display()))
}

#[derive(Debug)]
struct Positions {
    path: PathBuf,
    format: Format,
    schema: SchemaRef,
}

impl PartitionStream for Positions {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut builder = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), 2);
        let sender = builder.tx();
        let (path, format, schema) = (self.path.clone(), self.format, Arc::clone(&self.schema));
        let rows = context.session_config().batch_size();
        builder.spawn_blocking(move || {
            let mut blocks = Blocks::of(format, open(&path)?).filled();
            let (mut block, mut batch) = (Block::default(), Batch::default());
            while blocks.next(&mut block).map_err(|error| failed(&path, error))? {
                batch.clear();
                batch.read_block(format, &block);
                if let Some(error) = batch.errors().first() {
                    return Err(failed(&path, error));
                }
                let columns = columns(&batch, format);
                let all = RecordBatch::try_new(Arc::clone(&schema), columns)?;
                for start in (0..all.num_rows()).step_by(rows) {
                    let part = all.slice(start, rows.min(all.num_rows() - start));
                    if sender.blocking_send(Ok(part)).is_err() {
                        // The query needs no more rows.
                        return Ok(());
                    }
                }
            }
            Ok(())
        });
        builder.build()
    }
}

fn columns(batch: &Batch, format: Format) -> Vec<ArrayRef> {
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from(batch.lines().to_vec())),
        Arc::new(StringArray::from_iter_values(batch.fens())),
    ];
    for side in [Side::White, Side::Black] {
        for piece in Piece::ALL {
            let sets = batch.placements().iter().map(|position| position.pieces(side, piece));
            columns.push(Arc::new(UInt64Array::from_iter_values(sets)));
        }
    }
    if format != Format::Text {
        columns.push(Arc::new(Int16Array::from(batch.scores().to_vec())));
        columns.push(Arc::new(UInt8Array::from(batch.results().to_vec())));
    }
    columns
}
