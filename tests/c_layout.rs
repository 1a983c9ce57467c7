//! Compares the size, the alignment and the offset of every field of every struct in the C headers
//! with Rust's.
#![cfg(all(unix, not(miri)))]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use setwise::reflection::LAYOUTS;

/// A program that compiles only if the header lays out its structs as Rust does.
fn program(header: &str, assert: &str, align: &str) -> String {
    let mut text = format!("#include <stddef.h>\n#include \"{header}\"\n");
    for (name, size, alignment, fields) in LAYOUTS {
        let _ = writeln!(text, "{assert}(sizeof({name}) == {size}, \"size of {name}\");");
        let _ =
            writeln!(text, "{assert}({align}({name}) == {alignment}, \"alignment of {name}\");");
        for (field, offset) in *fields {
            let what = format!("offset of {name}.{field}");
            let _ = writeln!(text, "{assert}(offsetof({name}, {field}) == {offset}, \"{what}\");");
        }
    }
    text
}

/// Compiles a program without running it. Does nothing if there is no such compiler.
fn compile(compiler: &str, standard: &str, file: &str, text: &str) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    fs::write(&path, text).unwrap();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/capi/include");
    let mut command = Command::new(compiler);
    command.args([standard, "-fsyntax-only", "-I"]).arg(include).arg(&path);
    match command.output() {
        Ok(done) => assert!(
            done.status.success(),
            "the header's layout is not Rust's; tools/check.sh generate writes the table:\n{}",
            String::from_utf8_lossy(&done.stderr)
        ),
        Err(error) => println!("skipped: {compiler}: {error}"),
    }
}

#[test]
fn of_the_c_header() {
    compile("cc", "-std=c11", "layout.c", &program("setwise.h", "_Static_assert", "_Alignof"));
}

#[test]
fn of_the_cpp_header() {
    compile("c++", "-std=c++17", "layout.cpp", &program("setwise.hpp", "static_assert", "alignof"));
}
