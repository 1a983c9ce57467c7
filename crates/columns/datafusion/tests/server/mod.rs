//! An S3 server on this machine (`s3s-fs`). Its buckets are the subfolders of a folder.

use std::path::Path;

use hyper::Request;
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tokio::net::TcpListener;

/// Serves a folder until the process ends, and returns the URL of the server. `keys` are the access
/// key and its secret. Without keys, access is anonymous. Tests use an anonymous server for plain
/// HTTP and for Google Cloud Storage, which has the same interface as S3.
pub(crate) fn serve(folder: &Path, keys: Option<(&str, &str)>) -> String {
    let mut service = S3ServiceBuilder::new(s3s_fs::FileSystem::new(folder).unwrap());
    if let Some((key, secret)) = keys {
        service.set_auth(SimpleAuth::from_single(key, secret));
    }
    let service = service.build();
    let is_open = keys.is_none();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        runtime.block_on(async {
            let server = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
            while let Ok((stream, _)) = listener.accept().await {
                let service = service.clone();
                let service = service_fn(move |mut request: Request<Incoming>| {
                    if is_open {
                        // The client of Google Cloud Storage sends this header with an empty token.
                        request.headers_mut().remove("authorization");
                    }
                    Service::call(&service, request)
                });
                let connection = server.serve_connection(TokioIo::new(stream), service);
                let connection = connection.into_owned();
                tokio::spawn(async move {
                    // Ignore errors: clients may close connections.
                    let _ = connection.await;
                });
            }
        });
    });
    url
}
