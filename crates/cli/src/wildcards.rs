//! Names of files with `*` and `?`, which the shells of Windows leave to programs.

use std::path::PathBuf;

/// Replaces each name with wildcards by the files that it fits, in the order of their names. A name
/// that fits no file stays, and is reported as missing. Elsewhere than on Windows, the shell has
/// done this.
pub(crate) fn expand(paths: &[PathBuf]) -> Vec<PathBuf> {
    #[cfg(windows)]
    return paths.iter().flat_map(|path| fitting(path)).collect();
    #[cfg(not(windows))]
    paths.to_vec()
}

/// The files that a path fits, or the path itself.
#[cfg(any(windows, test))]
fn fitting(path: &std::path::Path) -> Vec<PathBuf> {
    let alone = || vec![path.to_owned()];
    let Some(pattern) = path.file_name().and_then(|name| name.to_str()) else { return alone() };
    if !pattern.contains(['*', '?']) || path.exists() {
        return alone();
    }
    let folder = path.parent().unwrap_or(std::path::Path::new(""));
    let listed = if folder.as_os_str().is_empty() { std::path::Path::new(".") } else { folder };
    let Ok(entries) = std::fs::read_dir(listed) else { return alone() };
    let names = entries.flatten().map(|entry| entry.file_name());
    let fits = |name: &std::ffi::OsString| {
        let (name, pattern) = (name.to_string_lossy().to_lowercase(), pattern.to_lowercase());
        fits(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
    };
    let mut found: Vec<PathBuf> =
        names.filter(fits).map(|name| folder.join(name)).filter(|path| path.is_file()).collect();
    found.sort();
    if found.is_empty() { alone() } else { found }
}

/// Whether a name fits a pattern: `*` stands for any characters, `?` for one.
#[cfg(any(windows, test))]
fn fits(pattern: &[char], name: &[char]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        (['*', rest @ ..], _) => (0..=name.len()).any(|taken| fits(rest, &name[taken..])),
        ([first, rest @ ..], [letter, others @ ..]) => {
            (*first == '?' || first == letter) && fits(rest, others)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn a_pattern_stands_for_the_files_that_it_fits() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.epd", "A.EPD", "c1.epd", "c.txt", "d.epd.gz"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("folder.epd")).unwrap();
        for (pattern, expected) in [
            ("*.epd", &["A.EPD", "b.epd", "c1.epd"][..]),
            ("?.epd", &["A.EPD", "b.epd"]),
            ("c*", &["c.txt", "c1.epd"]),
            ("*", &["A.EPD", "b.epd", "c.txt", "c1.epd", "d.epd.gz"]),
            ("x*", &["x*"]),
            ("b.epd", &["b.epd"]),
            ("missing", &["missing"]),
        ] {
            let expected: Vec<_> = expected.iter().map(|name| folder.path().join(name)).collect();
            assert_eq!(fitting(&folder.path().join(pattern)), expected, "{pattern}");
        }
    }
}
