//! What is computed for each position.

use setwise::Kernel;
use setwise::threats::{MOST, Rules, Threat};

use crate::inputs::Inputs;
use crate::lists::Lists;

/// The boards of one call of [`Kernel::threats`]: their threats stay in the cache.
pub(crate) const BLOCK: usize = 64;

/// What to compute for each position besides the board.
#[derive(Debug, Clone)]
pub enum Features {
    /// Nothing.
    Boards,
    /// Its threats, by rules with the codes of [`CODES`](setwise::threats::CODES).
    Threats(Rules),
    /// The indices of its active inputs, as both sides see it.
    Indices(Inputs),
}

/// All threats of each board. Any bytes are a board: only the low four bits of a code count.
///
/// # Panics
///
/// If there are more than 2^32 threats, or the environment names a kernel that cannot run here.
#[must_use]
pub fn threats(boards: &[[u8; 64]], rules: &Rules) -> Lists<Threat> {
    threats_by(Kernel::active(), boards, rules)
}

/// The same by a kernel of your choice.
///
/// # Panics
///
/// If there are more than 2^32 threats.
#[must_use]
pub fn threats_by(kernel: &Kernel, boards: &[[u8; 64]], rules: &Rules) -> Lists<Threat> {
    let (mut offsets, mut found) = (vec![0; BLOCK + 1], vec![Threat::default(); BLOCK * MOST]);
    let mut lists = Lists::default();
    lists.start(boards.len());
    for block in boards.chunks(BLOCK) {
        let offsets = &mut offsets[..=block.len()];
        let done = kernel.threats(block, rules, offsets, &mut found);
        debug_assert_eq!(done, block.len());
        lists.append(offsets, &found).expect("fewer than 2^32 threats");
    }
    lists
}
