//! What can be seen of a mismatch with the trainer: its sources, if the working folder has them.
//!
//! The trainer passes structures by value, and its functions had the same names in all versions. So
//! nothing at run time shows that it has other structures, or another number of inputs for a set.
//! The installer of the Python package checks more.

use std::fs;
use std::path::Path;

use setwise_loader::Inputs;

/// What the library serves, as it says once.
pub(crate) const SERVED: &str = "nnue-pytorch since 2026-07-24 (02141a4), with Full_Threats of \
    59,808 inputs, PP_3Wide, HalfKAv2_hm and their sums";

/// The fields that changed last of the structures that the trainer passes or reads.
const FIELDS: [(&str, &str, &[&str]); 2] = [
    (
        "data_loader/_native.py",
        "SparseBatch",
        &[
            "num_inputs",
            "size",
            "is_white",
            "outcome",
            "score",
            "num_active_white_features",
            "num_active_black_features",
            "max_active_features",
            "white",
            "black",
            "piece_count",
        ],
    ),
    (
        "data_loader/config.py",
        "CDataloaderSkipConfig",
        &[
            "filtered",
            "random_fen_skipping",
            "wld_filtered",
            "early_fen_skipping",
            "soft_early_fen_skipping",
            "simple_eval_skipping",
            "param_index",
            "pc_y0",
            "pc_y1",
            "pc_y2",
            "pc_y3",
            "pc_y4",
            "ply_x1",
            "ply_y1",
            "ply_x2",
            "ply_y2",
            "ply_x3",
            "ply_y3",
            "ply_x4",
            "ply_y4",
        ],
    ),
];

/// Checks that the trainer whose sources are in this folder has the structures of this library, and
/// the same number of inputs for each part of a set. Sources that are missing or cannot be read
/// differ in nothing.
pub(crate) fn check(folder: &Path, set: Option<&str>) -> Result<(), String> {
    for (file, structure, fields) in FIELDS {
        let Ok(text) = fs::read_to_string(folder.join(file)) else {
            continue;
        };
        let found = fields_of(&text, structure);
        if found.as_ref().is_some_and(|found| found != fields) {
            let what = format!("{structure} in {file} has other fields than this library");
            return Err(format!("{what}, which serves {SERVED}"));
        }
    }
    let Some(set) = set else {
        return Ok(());
    };
    let files = fs::read_dir(folder.join("model/modules/features")).into_iter().flatten().flatten();
    for path in files.map(|file| file.path()).filter(|path| path.extension() == Some("py".as_ref()))
    {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let (mut name, mut inputs) = (None, None);
        for (what, value) in text.lines().filter_map(|line| line.split_once('=')) {
            let value = value.split('#').next().unwrap_or_default().trim();
            match what.trim() {
                "INPUT_FEATURE_NAME" => name = Some(value.trim_matches(['"', '\''])),
                "NUM_INPUTS" => inputs = value.replace('_', "").parse::<u32>().ok(),
                _ => {}
            }
        }
        let (Some(name), Some(inputs)) = (name, inputs) else {
            continue;
        };
        let is_asked = set.split('+').any(|part| part.trim_end_matches('^') == name);
        let ours = Inputs::named(name).map_or(0, |set| set.count());
        if is_asked && ours != inputs {
            let what = format!("{name} has {inputs} inputs in this trainer, and {ours} here");
            return Err(format!("{what}: this library serves {SERVED}"));
        }
    }
    Ok(())
}

/// The names in the list of a structure's fields. `None` if it has none.
fn fields_of<'a>(text: &'a str, structure: &str) -> Option<Vec<&'a str>> {
    let class = text.split_once(&format!("class {structure}("))?.1;
    let list = class.split_once("_fields_")?.1.split_once(']')?.0;
    let quotes = ['"', '\''];
    let names = list.split('(').filter_map(|field| field.trim_start().strip_prefix(quotes));
    Some(names.filter_map(|name| name.split(quotes).next()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    fn write(folder: &Path, file: &str, text: &str) {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn structure(name: &str, fields: &[&str]) -> String {
        let mut text = format!("import ctypes\n\n\nclass {name}(ctypes.Structure):\n");
        text += "    _fields_ = [\n";
        for field in fields {
            // The trainer may break lines elsewhere.
            let quote = if field.len() % 2 == 0 { '"' } else { '\'' };
            let end = if field.len() % 3 == 0 { "\n" } else { "" };
            let _ = write!(text, " ({quote}{field}{quote}, ctypes.POINTER(ctypes.c_int)),{end}");
        }
        text + "    ]\n\n    def size(self):\n        return self[\"size\"]\n"
    }

    #[test]
    fn a_trainer_of_another_version_is_refused() {
        let folder = std::env::temp_dir().join(format!("setwise-checkout-{}", std::process::id()));
        let default = Some("Full_Threats+PP_3Wide+HalfKAv2_hm^");
        // Nothing is there.
        assert_eq!(check(&folder, default), Ok(()));

        let [(batch_file, batch, batch_fields), (config_file, config, config_fields)] = FIELDS;
        let good = || {
            write(&folder, batch_file, &structure(batch, batch_fields));
            write(&folder, config_file, &structure(config, config_fields));
            let threats = "class Threats:\n    INPUT_FEATURE_NAME = \"Full_Threats\"\n    \
                NUM_INPUTS = 59_808  # inputs\n";
            write(&folder, "model/modules/features/threats.py", threats);
            // A computed number is not known.
            let king =
                "class King:\n    INPUT_FEATURE_NAME = 'HalfKAv2_hm'\n    NUM_INPUTS = A * B\n";
            write(&folder, "model/modules/features/king.py", king);
        };
        good();
        assert_eq!(check(&folder, default), Ok(()));
        assert_eq!(check(&folder, None), Ok(()));

        let threats = "    INPUT_FEATURE_NAME = \"Full_Threats\"\n    NUM_INPUTS = 60720\n";
        write(&folder, "model/modules/features/threats.py", threats);
        let error = check(&folder, default).unwrap_err();
        assert!(error.starts_with("Full_Threats has 60720 inputs in this trainer, and 59808 here"));
        assert!(error.contains("2026-07-24"), "{error}");
        // Other sets do not need it.
        assert_eq!(check(&folder, Some("PP_3Wide+HalfKAv2_hm")), Ok(()));
        assert_eq!(check(&folder, None), Ok(()));

        for (file, name, fields) in FIELDS {
            for changed in [&fields[1..], &[fields, &["values"]].concat()[..]] {
                good();
                write(&folder, file, &structure(name, changed));
                let error = check(&folder, None).unwrap_err();
                assert!(error.contains(&format!("{name} in {file} has other fields")), "{error}");
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
