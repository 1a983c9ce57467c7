//! Tests of object stores: `setwise-sql` with an S3 server on this machine.
#![allow(missing_docs)]

mod server;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const KEYS: (&str, &str) = ("reader", "a secret of the test");

fn run(environment: &[(&str, &str)], query: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_setwise-sql"));
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("AWS_") || name.starts_with("GOOGLE_") {
            command.env_remove(&*name);
        }
    }
    let temporary = TempDir::new().unwrap();
    command.env("TMPDIR", temporary.path()).envs(environment.iter().copied());
    let output = command.arg(query).stdin(Stdio::null()).output().unwrap();
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{query}");
    output
}

#[track_caller]
fn good(environment: &[(&str, &str)], query: &str) -> String {
    let output = run(environment, query);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*errors), (Some(0), ""), "{query}");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn bad(environment: &[(&str, &str)], query: &str, messages: &[&str]) {
    let output = run(environment, query);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{query}: {errors}");
    for message in messages {
        assert!(errors.contains(message), "{query}: {errors}");
    }
    assert!(output.stdout.is_empty(), "{query}");
}

/// A folder with an empty bucket.
fn bucket() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("chess")).unwrap();
    folder
}

/// Writes tables to a bucket, and reads them. `scheme` is the scheme of the bucket's URL.
fn write_and_read(environment: &[(&str, &str)], scheme: &str, folder: &Path) {
    let good = |query: &str| good(environment, query);
    let all = "SELECT bit_xor(rook_attacks(1 << (value % 64), value)) AS x, count(*) AS n";
    let boards = "generate_series(0, 9999)";
    let expected = good(&format!("{all} FROM {boards}"));
    assert!(expected.ends_with(",10000\n"), "{expected}");

    for target in ["one.parquet", "one.csv", "folder/"] {
        let url = format!("{scheme}://chess/{target}");
        let query = format!("COPY (SELECT value FROM {boards}) TO '{url}' STORED AS PARQUET");
        let query = if target.ends_with("csv") { query.replace("PARQUET", "CSV") } else { query };
        assert_eq!(good(&query), "count\n10000\n");
        assert_eq!(good(&format!("{all} FROM '{url}'")), expected, "{url}");
    }
    assert!(folder.join("chess/one.parquet").is_file());
    assert_eq!(good(&format!("{all} FROM '{scheme}://chess/folder/*.parquet'")), expected);
    let table = format!(
        "CREATE EXTERNAL TABLE t STORED AS PARQUET LOCATION '{scheme}://chess/folder/';
         {all} FROM t"
    );
    assert_eq!(good(&table), expected);

    for (name, message) in [
        ("none.parquet", "the file `URL/none.parquet` does not exist"),
        ("none/", "there are no files in `URL/none/`"),
        ("none*.parquet", "no file matches `URL/none*.parquet`"),
    ] {
        let url = format!("{scheme}://chess");
        let query = format!("SELECT * FROM '{url}/{name}'");
        bad(environment, &query, &[&message.replace("URL", &url)]);
    }
    fs::write(folder.join("chess/x.epd"), "8/8/8/8/8/8/8/R6k w - -\n").unwrap();
    let query = format!("SELECT * FROM '{scheme}://chess/x.epd'");
    bad(environment, &query, &["is not a table; expected", "a local file .epd"]);

    // A COPY to a folder must not add its files to existing files.
    let query = format!("COPY (SELECT 1 AS n) TO '{scheme}://chess/folder' STORED AS PARQUET");
    bad(environment, &query, &["the folder is not empty; choose a new folder"]);
    assert_eq!(good(&format!("{all} FROM '{scheme}://chess/folder/'")), expected);

    // An upload of more than one part.
    let copy = |last: i64, name: &str| {
        format!(
            "COPY (SELECT repeat('x', 100) AS text, fen_occupied(
                   CASE WHEN value < {last} THEN '8/8/8/8/8/8/8/8' ELSE '8/8' END) AS o
                 FROM generate_series(1, 200000)) TO '{scheme}://chess/{name}' STORED AS CSV"
        )
    };
    assert_eq!(good(&copy(i64::MAX, "large.csv")), "count\n200000\n");
    let size = fs::metadata(folder.join("chess/large.csv")).unwrap().len();
    assert_eq!(size, "text,o\n".len() as u64 + 200_000 * 103);
    bad(environment, &copy(200_000, "bad.csv"), &["`8/8`"]);
    assert!(!folder.join("chess/bad.csv").exists());
    // A COPY that fails keeps the object that it would have replaced.
    bad(environment, &copy(200_000, "large.csv"), &["`8/8`"]);
    assert_eq!(fs::metadata(folder.join("chess/large.csv")).unwrap().len(), size);

    // A COPY that fails leaves no object.
    let fails = format!(
        "COPY (SELECT fen_occupied(CASE WHEN value < 9000 THEN '8/8/8/8/8/8/8/8' ELSE '8/8' END)
         FROM {boards}) TO '{scheme}://chess/bad.parquet'"
    );
    bad(environment, &fails, &["`8/8`"]);
    assert!(!folder.join("chess/bad.parquet").exists());
}

#[test]
fn s3_with_keys() {
    let folder = bucket();
    let url = server::serve(folder.path(), Some(KEYS));
    let environment = |secret| {
        [
            ("AWS_ENDPOINT_URL", url.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", KEYS.0),
            ("AWS_SECRET_ACCESS_KEY", secret),
        ]
    };
    write_and_read(&environment(KEYS.1), "s3", folder.path());

    let query = "SELECT * FROM 's3://chess/one.parquet'";
    bad(&environment("a wrong secret"), query, &["cannot read `s3://chess/one.parquet`", "403"]);
    // Uploads of one part and of several parts.
    for rows in [1, 3_000_000] {
        let rows = format!("SELECT value FROM generate_series(1, {rows})");
        let query = format!("COPY ({rows}) TO 's3://chess/new.csv'");
        let messages = ["nothing was written to s3://chess/new.csv", "403"];
        bad(&environment("a wrong secret"), &query, &messages);
        assert!(!folder.path().join("chess/new.csv").exists());
    }
    let query = "SELECT * FROM 's3://no-bucket/one.parquet'";
    bad(&environment(KEYS.1), query, &["s3://no-bucket/one.parquet"]);
    let query = "SELECT * FROM 's3://chess/one.parquet'";
    let nobody = [("AWS_SKIP_SIGNATURE", "true"), environment("")[0], environment("")[1]];
    bad(&nobody, query, &["cannot read `s3://chess/one.parquet`", "403"]);
}

#[test]
fn google_cloud_storage_and_http() {
    let folder = bucket();
    let url = server::serve(folder.path(), None);
    // `object_store` skips signatures only for reads. Writes need a key.
    let key = r#"{"private_key":"","private_key_id":"","client_email":"","disable_oauth":true}"#;
    let environment = [
        ("GOOGLE_BASE_URL", url.as_str()),
        ("GOOGLE_SKIP_SIGNATURE", "true"),
        ("GOOGLE_SERVICE_ACCOUNT_KEY", key),
    ];
    write_and_read(&environment, "gs", folder.path());

    let query = format!("SELECT count(*) AS n FROM '{url}/chess/one.parquet'");
    assert_eq!(good(&[], &query), "n\n10000\n");
    let missing = format!("{url}/chess/none.parquet");
    let message = format!("the file `{missing}` does not exist");
    bad(&[], &format!("SELECT * FROM '{missing}'"), &[&message]);
    let copy = format!("COPY (SELECT 1 AS n) TO '{url}/chess/new.parquet'");
    bad(&[], &copy, &["expected a local path, or a URL s3:// or gs://"]);
    assert!(!folder.path().join("chess/new.parquet").exists());
    for name in ["chess/", "chess/*.parquet"] {
        let query = format!("SELECT * FROM '{url}/{name}'");
        bad(&[], &query, &["web servers do not list folders"]);
    }
    // The client tries TLS, which this server does not have.
    let secure = url.replace("http:", "https:");
    let query = format!("SELECT * FROM '{secure}/chess/one.parquet'");
    bad(&[], &query, &[&format!("cannot read `{secure}/chess/one.parquet`")]);
}

/// Tests URLs with unsupported schemes, and servers that do not answer.
#[test]
fn errors_name_the_url() {
    bad(&[], "SELECT * FROM 'ftp://x/y.csv'", &["`ftp://` are not supported; expected s3, gs"]);
    // Nothing listens on this port.
    let query = "SELECT * FROM 'http://127.0.0.1:1/x.parquet'";
    bad(&[], query, &["cannot read `http://127.0.0.1:1/x.parquet`"]);
    let none = [("AWS_METADATA_ENDPOINT", "http://127.0.0.1:1")];
    let message = "; none of AWS_ACCESS_KEY_ID, AWS_SKIP_SIGNATURE is set";
    bad(&none, "SELECT * FROM 's3://chess/x.parquet'", &["`s3://chess/x.parquet`", message]);
    for target in ["s3://chess/x.parquet", "s3://chess/x/"] {
        let query = format!("COPY (SELECT 1 AS n) TO '{target}' STORED AS PARQUET");
        bad(&none, &query, &[target, message]);
    }
    let gone = [
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:1"),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_SKIP_SIGNATURE", "true"),
    ];
    bad(&gone, "SELECT * FROM 's3://chess/x.parquet'", &["cannot read `s3://chess/x.parquet`"]);
    bad(&gone, "COPY (SELECT 1 AS n) TO 's3://chess/x.parquet'", &["127.0.0.1:1"]);
}
