//! A `NumPy` archive of threats: `offsets`, one more than there are positions; `threats`, a row of
//! attacker, from, victim and to each; and the columns that are numbers.
//!
//! The archive has one array after another, so each is collected in a temporary file.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use super::atomic_file::AtomicFile;
use super::columns::{Column, Evaluated, Layout};
use super::npy;
use crate::failure::Failure;
use crate::print;

/// An array's name, the type of its numbers, their size in bytes, and its column.
type Array = (&'static str, &'static str, usize, Column);

/// The arrays of the archive. The column of threats has two.
fn arrays(layout: &Layout) -> impl Iterator<Item = Array> {
    layout.fields.iter().flat_map(|field| {
        let column = field.column;
        let arrays: &[(&str, &str, usize)] = match column {
            Column::Threats => &[("offsets", "<u8", 8), ("threats", "|u1", 4)],
            Column::Line => &[("line", "<u8", 8)],
            Column::Score => &[("score", "<i2", 2)],
            Column::Result => &[("result", "|u1", 1)],
            Column::Ply => &[("ply", "<u2", 2)],
            Column::Moves => &[("moves", "|u1", 1)],
            Column::Check => &[("check", "|u1", 1)],
            Column::Mate => &[("mate", "|u1", 1)],
            Column::Stalemate => &[("stalemate", "|u1", 1)],
            _ => &[],
        };
        arrays.iter().map(move |&(name, kind, size)| (name, kind, size, column))
    })
}

/// Replaces `bytes` with a block of each array: its length in eight bytes, then its data. The
/// offsets are the ends of the positions' threats in this block.
pub(super) fn write(layout: &Layout, positions: &Evaluated<'_>, bytes: &mut Vec<u8>) {
    bytes.clear();
    let count = positions.positions();
    for (name, _, size, column) in arrays(layout) {
        let start = bytes.len();
        bytes.extend_from_slice(&[0; 8]);
        let offsets = &positions.threats.offsets;
        match name {
            "offsets" => {
                let ends = &offsets[1..=count];
                bytes.extend(ends.iter().flat_map(|&end| u64::from(end).to_le_bytes()));
            }
            "threats" => {
                let threats = positions.threats.values[..offsets[count] as usize].iter();
                bytes.extend(threats.flat_map(|t| [t.attacker, t.from, t.victim, t.to]));
            }
            _ => {
                for number in positions.numbers(column) {
                    bytes.extend_from_slice(&number.to_le_bytes()[..size]);
                }
            }
        }
        let length = (bytes.len() - start - 8) as u64;
        bytes[start..start + 8].copy_from_slice(&length.to_le_bytes());
    }
}

pub(crate) struct Archive {
    file: AtomicFile,
    arrays: Vec<Collected>,
    threats: u64,
}

struct Collected {
    array: Array,
    data: BufWriter<File>,
}

impl Archive {
    pub(super) fn create(path: &Path, layout: &Layout) -> Result<Archive, Failure> {
        let file = AtomicFile::create(path)?;
        // Beside the archive, because the system's folder of temporary files may be in memory.
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let collect = |array| {
            let data = tempfile::tempfile_in(folder.unwrap_or(Path::new(".")))?;
            Ok(Collected { array, data: BufWriter::new(data) })
        };
        let arrays: io::Result<Vec<Collected>> = arrays(layout).map(collect).collect();
        let arrays =
            arrays.map_err(|error| Failure::Input(format!("{}: {error}", print::name(path))))?;
        Ok(Archive { file, arrays, threats: 0 })
    }

    /// Appends the blocks that [`write`] made.
    pub(super) fn write(&mut self, mut blocks: &[u8]) -> Result<(), Failure> {
        let (arrays, first) = (&mut self.arrays, self.threats);
        let mut threats = 0;
        let mut write = || {
            for Collected { array: (name, ..), data } in &mut *arrays {
                let Some((length, rest)) = blocks.split_first_chunk() else { break };
                let (block, rest) = rest.split_at(u64::from_le_bytes(*length) as usize);
                blocks = rest;
                if *name == "offsets" {
                    for end in block.as_chunks().0 {
                        data.write_all(&(first + u64::from_le_bytes(*end)).to_le_bytes())?;
                    }
                } else {
                    data.write_all(block)?;
                }
                threats += if *name == "threats" { block.len() as u64 / 4 } else { 0 };
            }
            Ok(())
        };
        self.file.with(|_| write())?;
        self.threats = first + threats;
        Ok(())
    }

    /// Writes the archive and gives it its final name.
    pub(super) fn finish(self, positions: u64) -> Result<(), Failure> {
        let Archive { mut file, arrays, threats } = self;
        file.with(|file| {
            let mut archive = rawzip::ZipArchiveWriter::new(BufWriter::new(file));
            for Collected { array: (name, kind, ..), data } in arrays {
                let mut data = data.into_inner().map_err(io::IntoInnerError::into_error)?;
                data.rewind()?;
                let shape = match name {
                    "offsets" => format!("({},)", positions + 1),
                    "threats" => format!("({threats}, 4)"),
                    _ => format!("({positions},)"),
                };
                let member = archive.new_file(format!("{name}.npy")).start();
                let (mut member, config) = member.map_err(io::Error::other)?;
                let mut to = config.wrap(&mut member);
                to.write_all(&npy::header(&format!("'{kind}'"), &shape, shape.len()))?;
                if name == "offsets" {
                    to.write_all(&0_u64.to_le_bytes())?;
                }
                io::copy(&mut data, &mut to)?;
                let (_, end) = to.finish().map_err(io::Error::other)?;
                member.finish(end).map_err(io::Error::other)?;
            }
            archive.finish().map_err(io::Error::other)?.flush()
        })?;
        file.publish()
    }
}
