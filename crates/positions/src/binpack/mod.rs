//! Binpack, the format of Stockfish's training data: positions with a move, a score and a result,
//! about 2.5 bytes each.
//!
//! A file is a sequence of *chunks* of about 1 MiB, each with the four bytes `BINP`, the length of
//! its payload (32 bits, little-endian) and the payload. A payload is a sequence of *chains*: a
//! *stem* of 32 bytes with the first position, the number of plies that follow (16 bits,
//! big-endian), and those plies as bits. A ply is the index of a piece of the side to move, the
//! index of one of its pseudo-legal destinations, and the difference of the score.
//!
//! Chunks do not depend on each other, so [`Chunks`] hands them out and any thread decodes them
//! with [`Entries`]. [`Writer`] makes a file.

mod board;
mod chunks;
mod entries;
mod filter;
mod write;

pub(crate) use board::NONE;
pub use board::{Board, Move};
pub use chunks::{Chunks, MAX_CHUNK};
pub(crate) use chunks::{HEADER, MAGIC};
pub use entries::{Entries, Entry, EntryError};
pub use filter::{
    Context, Filter, GOLDEN, PieceCounter, PieceCounts, Reason, Sieve, SoftEarly, UNSCORED, mix,
};
pub use write::Writer;
