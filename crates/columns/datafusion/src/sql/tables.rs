//! Files as tables: `SELECT ... FROM 'positions.epd'`.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{
    ArrayRef, Int16Array, RecordBatch, StringArray, UInt8Array, UInt16Array, UInt64Array,
};
use arrow_schema::SchemaRef;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{DynamicFileCatalog, TableProvider, UrlTableFactory};
use datafusion::common::exec_datafusion_err;
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
use setwise_arrow::position_fields;
use setwise_positions::{
    Batch, Block, Blocks, Detected, Format, Piece, Side, decompress, extension, foreign,
};

use crate::failure::note;

/// The extensions of files of positions that are not text.
const BINARY: [&str; 9] =
    ["bin", "binpack", "bullet", "bf", "marlin", "viri", "vf", "data", "plain"];

/// Lets the queries of a session use names of files and folders as tables. DataFusion reads
/// Parquet, Arrow IPC, CSV and JSON; [`Positions`] reads files of positions.
pub(crate) fn enable(context: SessionContext) -> SessionContext {
    let factory = Arc::new(Files::default());
    let files = Arc::clone(&factory) as Arc<dyn UrlTableFactory>;
    let catalogs = Arc::clone(context.state().catalog_list());
    let context: SessionContext = context
        .into_state_builder()
        .with_catalog_list(Arc::new(DynamicFileCatalog::new(catalogs, files)))
        .build()
        .into();
    factory.session.session_store().with_state(context.state_weak_ref());
    context
}

#[derive(Debug, Default)]
struct Files {
    /// Used only for its `SessionStore`, a type that `datafusion` does not re-export.
    session: DynamicListTableFactory,
}

#[async_trait::async_trait]
impl UrlTableFactory for Files {
    async fn try_new(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let path = Path::new(name);
        match extension(path).as_deref() {
            Some("epd" | "fen") => return positions(path, false).map(Some),
            Some(kind) if BINARY.contains(&kind) => return positions(path, true).map(Some),
            _ => {}
        }
        let session = self.session.session_store().get_session().upgrade();
        let state = session.and_then(|session| {
            let session = session.read();
            session.as_any().downcast_ref::<SessionState>().cloned()
        });
        let state = state.ok_or_else(|| DataFusionError::Internal("no session".into()))?;
        let url = ListingTableUrl::parse(name)?;
        if let Ok(config) = ListingTableConfig::new(url.clone()).infer_options(&state).await {
            let table = async {
                let config = config.infer_partitions_from_path(&state).await?;
                ListingTable::try_new(config.infer_schema(&state).await?)
            };
            let table = table.await.map_err(|error| unreadable(name, &error))?;
            return Ok(Some(Arc::new(table)));
        }
        if !name.contains(['.', '/', '*']) {
            // DataFusion reports that there is no such table.
            return Ok(None);
        }
        Err(not_a_table(name, &url, &state).await)
    }
}

/// The error that explains why `name` is not a table.
async fn not_a_table(name: &str, url: &ListingTableUrl, state: &SessionState) -> DataFusionError {
    let found = async {
        let store = state.runtime_env().object_store(url)?;
        let mut files = url.list_all_files(state, &store, "").await?;
        files.try_next().await
    };
    let found: Result<Option<_>> = found.await;
    DataFusionError::Execution(match found {
        Ok(Some(_)) => format!(
            "`{name}` is not a table; expected a file .parquet, .arrow, .csv, .json, .epd, .fen, .{}, \
             or a folder of the first four",
            BINARY.join(", .")
        ),
        Ok(None) if name.contains(['*', '?', '[']) => format!("no file matches `{name}`"),
        Ok(None) if name.ends_with('/') => format!("there are no files in `{name}`"),
        Err(error) if name.contains("://") || Path::new(name).exists() => {
            return unreadable(name, &error);
        }
        _ => format!("the file `{name}` does not exist"),
    })
}

fn unreadable(name: &str, error: &DataFusionError) -> DataFusionError {
    exec_datafusion_err!("cannot read `{name}`: {}", error.strip_backtrace())
}

/// A file of positions as a table.
fn positions(path: &Path, is_binary: bool) -> Result<Arc<dyn TableProvider>> {
    let mut file = open(path)?;
    let mut format = Format::Text;
    if is_binary {
        let (detected, start) =
            Format::detect_stream(&mut file).map_err(|error| failed(path, error))?;
        format = match (detected.of_file(path), detected) {
            // An empty file has no format. Treated as records, it gets their columns.
            (Some(Format::Text), _) if start.is_empty() => Format::Bullet,
            (Some(Format::Text), _) => {
                return Err(failed(path, "it is text; name it .epd or .fen"));
            }
            (Some(format), _) => format,
            (None, Detected::Several(formats)) if !formats.is_empty() => {
                let name = |format: &Format| match format {
                    Format::Bullet => "bulletformat (name it .bf)",
                    Format::Marlin => "marlinformat (name it .marlin)",
                    Format::Viri => "viriformat (name it .vf)",
                    other => other.name(),
                };
                let names = formats.iter().map(name).collect::<Vec<_>>();
                return Err(failed(path, format!("it could be {}", names.join(" or "))));
            }
            _ => {
                let expected = "expected whole records of bulletformat or marlinformat, games of \
                                viriformat, or binpack";
                let what = foreign(&start).map(|what| format!("this is {what}"));
                return Err(failed(path, what.unwrap_or_else(|| expected.to_owned())));
            }
        };
    }
    let schema = rows(&Batch::default(), format)?.schema();
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
    let file = File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => exec_datafusion_err!("the file `{}` does not exist", path.display()),
        _ => failed(path, error),
    })?;
    let name = path.display().to_string();
    let garbage = move || note(&format!("{name}: the data after the gzip data is ignored"));
    let (stream, _) = decompress(file, garbage).map_err(|error| failed(path, error))?;
    Ok(stream)
}

fn failed(path: &Path, error: impl std::fmt::Display) -> DataFusionError {
    exec_datafusion_err!("{}: {error}", path.display())
}

/// A file of positions, with a row for each position in the order of the file. README.md lists the
/// columns.
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
        let (path, format) = (self.path.clone(), self.format);
        let most = context.session_config().batch_size();
        builder.spawn_blocking(move || {
            let mut blocks = Blocks::of(format, open(&path)?).filled();
            let (mut block, mut batch) = (Block::default(), Batch::default());
            while blocks.next(&mut block).map_err(|error| failed(&path, error))? {
                batch.clear();
                batch.read_block(format, &block);
                if let Some(error) = batch.errors().first() {
                    return Err(failed(&path, error));
                }
                let rows = rows(&batch, format)?;
                for start in (0..rows.num_rows()).step_by(most) {
                    let part = rows.slice(start, most.min(rows.num_rows() - start));
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

fn rows(batch: &Batch, format: Format) -> Result<RecordBatch> {
    let mut columns: Vec<(String, ArrayRef)> = vec![];
    let mut push = |name: &str, column: ArrayRef| columns.push((name.to_owned(), column));
    push("line", Arc::new(UInt64Array::from(batch.lines().to_vec())));
    push("fen", Arc::new(StringArray::from_iter_values(batch.fens())));
    let kinds = Side::BOTH.into_iter().flat_map(|side| Piece::ALL.map(|piece| (side, piece)));
    for (field, (side, piece)) in position_fields().iter().zip(kinds) {
        let sets = batch.placements().iter().map(|position| position.pieces(side, piece));
        push(field.name(), Arc::new(UInt64Array::from_iter_values(sets)));
    }
    if format != Format::Text {
        push("score", Arc::new(Int16Array::from(batch.scores().to_vec())));
        push("result", Arc::new(UInt8Array::from(batch.results().to_vec())));
    }
    if format == Format::Binpack {
        push("ply", Arc::new(UInt16Array::from(batch.plies().to_vec())));
        let moves = batch.moves().iter().map(ToString::to_string);
        push("move", Arc::new(StringArray::from_iter_values(moves)));
    }
    Ok(RecordBatch::try_from_iter(columns)?)
}
