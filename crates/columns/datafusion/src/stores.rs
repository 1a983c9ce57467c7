//! Object stores as sources and targets: `s3://`, `gs://`, `https://` and `http://`.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::cache::cache_manager::CacheManagerConfig;
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use object_store::aws::AmazonS3Builder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use url::{Position, Url};

/// Opens an object store when a URL first names it. Its settings are the environment variables
/// `AWS_...` and `GOOGLE_...` that the crate `object_store` documents.
#[derive(Debug, Default)]
pub struct Stores {
    open: DefaultObjectStoreRegistry,
}

/// A runtime environment with these stores, and a folder for temporary files (default: the system's
/// temporary folder).
///
/// # Errors
/// If DataFusion cannot create the folder.
pub fn runtime(stores: &Arc<Stores>, temporary: Option<&Path>) -> Result<Arc<RuntimeEnv>> {
    let stores = Arc::clone(stores) as Arc<dyn ObjectStoreRegistry>;
    // By default, DataFusion keeps the list of files in a folder for ever, so it would miss the
    // files of a later COPY.
    let cache = CacheManagerConfig::default().with_list_files_cache_limit(0);
    let builder = RuntimeEnvBuilder::new().with_cache_manager(cache);
    let mut builder = builder.with_object_store_registry(stores);
    if let Some(folder) = temporary {
        builder = builder.with_temp_file_path(folder);
    }
    builder.build_arc()
}

impl ObjectStoreRegistry for Stores {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        self.open.register_store(url, store)
    }

    fn deregister_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        self.open.deregister_store(url)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        if let Ok(store) = self.open.get_store(url) {
            return Ok(store);
        }
        let store = open(url)?;
        self.open.register_store(url, Arc::clone(&store));
        Ok(store)
    }
}

fn open(url: &Url) -> Result<Arc<dyn ObjectStore>> {
    // With the default of 10, it takes a minute until a refused connection is reported.
    let retry = RetryConfig { max_retries: 4, ..RetryConfig::default() };
    let name = url.as_str();
    Ok(match url.scheme() {
        "s3" => Arc::new(AmazonS3Builder::from_env().with_url(name).with_retry(retry).build()?),
        "gs" => {
            let store = GoogleCloudStorageBuilder::from_env().with_url(name);
            Arc::new(store.with_retry(retry).build()?)
        }
        scheme @ ("https" | "http") => {
            let options = ClientOptions::new().with_allow_http(scheme == "http");
            let store = HttpBuilder::new().with_url(&url[..Position::BeforePath]);
            Arc::new(store.with_client_options(options).with_retry(retry).build()?)
        }
        scheme => {
            return Err(DataFusionError::Execution(format!(
                "URLs with `{scheme}://` are not supported; expected s3, gs, https or http"
            )));
        }
    })
}

/// Rejects a URL with a query or a fragment, which would not reach the store.
pub(crate) fn check_url(name: &str) -> Result<()> {
    match Url::parse(name) {
        Ok(url) if url.query().or(url.fragment()).is_some() => {
            Err(DataFusionError::Execution(format!(
                "`{name}`: a URL cannot have a query; write `?` in a name as %3F, and `#` as %23"
            )))
        }
        _ => Ok(()),
    }
}

/// A possible reason for an error of a store, to append to the message: no variable for credentials
/// is set. `object_store` then requests credentials from servers that exist only in the cloud.
/// Empty if the reason does not apply.
pub(crate) fn hint(url: &str) -> String {
    let names: &[&str] = match url.split_once("://") {
        Some(("s3", _)) => &["AWS_ACCESS_KEY_ID", "AWS_SKIP_SIGNATURE"],
        Some(("gs", _)) => {
            &["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SKIP_SIGNATURE"]
        }
        _ => return String::new(),
    };
    let is_set = |(name, _): (OsString, OsString)| {
        names.iter().any(|start| name.to_string_lossy().starts_with(start))
    };
    if std::env::vars_os().any(is_set) {
        return String::new();
    }
    format!("; none of {} is set", names.join(", "))
}
