//! Perft: the number of sequences of legal moves of a length, the usual test of move generators.
//!
//! Positions are expanded some at a time: [`legal_moves_in_planes`] lists their moves,
//! [`successors_in_planes`] makes them, and [`legal_counts_in_planes`] counts the last moves
//! without making them. There is no hash table, and [`Kernel::perft`] allocates nothing.
//!
//! [`legal_moves_in_planes`]: super::legal_moves_in_planes
//! [`successors_in_planes`]: super::successors_in_planes
//! [`legal_counts_in_planes`]: super::legal_counts_in_planes

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};
use core::{ptr, slice};

use super::{GamePosition, Move};
use crate::Kernel;
use crate::kernels::geometry::{AfterColumns, PlaneColumns};

/// Positions that are expanded at once: as many as the lists of moves read at once. With fewer,
/// more blocks of positions after their moves are not full.
const NODES: usize = 32;

/// Room for the moves of these positions, of which most have fewer than 56.
const ROOM: usize = 56 * NODES;

const _: () = assert!(ROOM >= super::ROOM, "the moves of any position fit");

/// Room for positions in columns, in the frame of a recursive call.
#[repr(C)]
struct Nodes {
    planes: [[u64; ROOM]; 4],
    side: [u8; ROOM],
    en_passant: [u8; ROOM],
    castling: [[u8; ROOM]; 2],
}

impl Nodes {
    /// Pointers to the columns. Pointers instead of slices, because checks of bounds could panic,
    /// and the C library must not contain panics.
    const fn columns(room: &mut MaybeUninit<Nodes>) -> AfterColumns {
        let nodes = room.as_mut_ptr();
        // SAFETY: the fields of an allocation, whose content is not read.
        let (planes, castling) = unsafe { (&raw mut (*nodes).planes, &raw mut (*nodes).castling) };
        let plane = planes.cast::<u64>();
        let file = castling.cast::<u8>();
        AfterColumns {
            planes: [
                plane,
                plane.wrapping_add(ROOM),
                plane.wrapping_add(2 * ROOM),
                plane.wrapping_add(3 * ROOM),
            ],
            // SAFETY: as above.
            side: unsafe { (&raw mut (*nodes).side).cast() },
            // SAFETY: as above.
            en_passant: unsafe { (&raw mut (*nodes).en_passant).cast() },
            castling: [file, file.wrapping_add(ROOM)],
        }
    }
}

impl Kernel {
    /// See [`perft`], on the calling thread.
    ///
    /// Each level takes about 70 KB of the thread's stack (without optimisation more), so that 2
    /// MiB are enough for a depth of 25. [`perft`] and [`Kernel::perft_each`] start threads with
    /// as large a stack as they need.
    ///
    /// ```
    /// use setwise::Kernel;
    /// use setwise::moves::{GamePosition, State};
    /// use setwise::position::Position;
    /// let mut position = Position::default();
    /// (position.pieces[0][5], position.pieces[1][5]) = (1, 1 << 63); // kings a1, h8
    /// let position = GamePosition::new(position, State::default());
    /// assert_eq!(Kernel::active().perft(&position, 2), 9);
    /// ```
    #[must_use]
    pub fn perft(&self, position: &GamePosition, depth: u32) -> u64 {
        self.perft_until(position, depth, &AtomicBool::new(false))
    }

    /// [`perft`](Kernel::perft) that ends soon if `stop` is set: then it is what has been counted.
    fn perft_until(&self, position: &GamePosition, depth: u32, stop: &AtomicBool) -> u64 {
        let (planes, state) = (position.planes(), &position.state);
        let nodes = PlaneColumns {
            planes: planes.each_ref().map(ptr::from_ref),
            side: &raw const state.side,
            en_passant: &raw const state.en_passant,
            castling: state.castling.each_ref().map(ptr::from_ref),
            moves: ptr::null_mut(),
            checks: ptr::null_mut(),
        };
        // SAFETY: the columns have one position.
        unsafe { self.leaves(&nodes, 1, depth, stop) }
    }

    /// The sum over some positions.
    ///
    /// # Safety
    /// The columns have `count` positions.
    unsafe fn leaves(
        &self,
        nodes: &PlaneColumns,
        count: usize,
        depth: u32,
        stop: &AtomicBool,
    ) -> u64 {
        let parts = |size| {
            (0..count).step_by(size).map(move |first| (nodes.from(first), size.min(count - first)))
        };
        match depth {
            0 => count as u64,
            // SAFETY: as the caller promises, of a part.
            1 => parts(ROOM).map(|(nodes, count)| unsafe { self.moves_of(nodes, count) }).sum(),
            _ => parts(NODES)
                // SAFETY: as the caller promises, of a part.
                .map(|(nodes, count)| unsafe { self.expand(&nodes, count, depth, stop) })
                .sum(),
        }
    }

    /// The number of moves of at most [`ROOM`] positions.
    ///
    /// # Safety
    /// The columns have `count` positions, at most [`ROOM`].
    unsafe fn moves_of(&self, nodes: PlaneColumns, count: usize) -> u64 {
        let mut moves = MaybeUninit::<[u8; ROOM]>::uninit();
        let columns = PlaneColumns { moves: moves.as_mut_ptr().cast(), ..nodes };
        // SAFETY: `self` proves that the CPU can run this kernel; the caller promises the columns,
        // and there is room for the results, which are all written.
        let counted = unsafe {
            (self.legal_counts_in_planes)(&raw const columns, count);
            slice::from_raw_parts(columns.moves, count)
        };
        // 255 stands for any greater number, too.
        if counted.iter().fold(0, |most, &moves| most.max(moves)) == 255 {
            // SAFETY: as the caller promises.
            return unsafe { self.many_moves(&nodes, count) };
        }
        // The sum of so few bytes fits.
        counted.iter().map(|&moves| u32::from(moves)).sum::<u32>().into()
    }

    /// [`moves_of`](Kernel::moves_of) from lists, which have no greatest number.
    ///
    /// # Safety
    /// The columns have `count` positions.
    #[cold]
    #[inline(never)]
    unsafe fn many_moves(&self, nodes: &PlaneColumns, count: usize) -> u64 {
        let (mut offsets, mut moves) = ([0; 2], [Move::default(); ROOM]);
        let list = |i| {
            let node = nodes.from(i);
            // SAFETY: as in `moves_of`, of one position; it has two offsets.
            unsafe {
                (self.legal_moves_in_planes)(
                    &raw const node,
                    1,
                    offsets.as_mut_ptr(),
                    moves.as_mut_ptr(),
                    ROOM,
                );
            }
            u64::from(offsets[1])
        };
        (0..count).map(list).sum()
    }

    /// The sum over at most [`NODES`] positions, at a depth of two or more.
    ///
    /// # Safety
    /// The columns have `count` positions.
    #[inline(never)]
    unsafe fn expand(
        &self,
        nodes: &PlaneColumns,
        count: usize,
        depth: u32,
        stop: &AtomicBool,
    ) -> u64 {
        let mut offsets = [0u32; NODES + 1];
        let mut moves = MaybeUninit::<[Move; ROOM]>::uninit();
        let moves = moves.as_mut_ptr().cast::<Move>();
        let mut room = MaybeUninit::uninit();
        let after = Nodes::columns(&mut room);
        let (mut first, mut sum) = (0, 0);
        while first < count && !stop.load(Ordering::Relaxed) {
            let left = nodes.from(first);
            // SAFETY: `self` proves that the CPU can run this kernel; the caller promises the
            // columns, there is one offset more than positions, and as much room for positions
            // after moves as for moves. The moves of any position fit, so one is always done.
            unsafe {
                let done = (self.legal_moves_in_planes)(
                    &raw const left,
                    count - first,
                    offsets.as_mut_ptr(),
                    moves,
                    ROOM,
                );
                (self.successors_in_planes)(
                    &raw const left,
                    done,
                    offsets.as_ptr(),
                    moves,
                    &raw const after,
                );
                let listed = *offsets.as_ptr().add(done) as usize;
                sum += self.leaves(&after.as_input(), listed, depth - 1, stop);
                first += done;
            }
        }
        sum
    }
}

#[cfg(feature = "std")]
pub use threads::{PerftProgress, perft};

/// Perft on several threads.
#[cfg(feature = "std")]
mod threads {
    use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
    use std::thread::{self, Thread};
    use std::time::Duration;
    use std::vec;
    use std::vec::Vec;

    use super::super::{GamePosition, Move};
    use crate::{Kernel, board};

    /// Positions at which a thread may be interrupted have at most this depth left, unless there
    /// would be too many of them.
    const DEPTH: u32 = 3;
    /// The number of positions at which the tree is not divided further.
    const ENOUGH: usize = 4096;
    /// Positions that a thread takes at a time.
    const TAKEN: usize = 8;
    /// The stack of a thread: for each level of the tree that it counts, and for all else.
    const STACK_PER_LEVEL: usize = if cfg!(debug_assertions) { 320 << 10 } else { 96 << 10 };
    const STACK: usize = 1 << 20;
    /// The time between two reports.
    const REPORT: Duration = Duration::from_millis(50);

    /// How far a count has come.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PerftProgress {
        /// The sequences counted so far.
        pub nodes: u64,
        /// The parts of the tree that are counted.
        pub done: usize,
        /// All parts.
        pub parts: usize,
    }

    /// The number of sequences of `depth` legal moves from a position, counted by several threads
    /// (0: one per CPU).
    ///
    /// Uses the active kernel. For progress, or one number for each move, use
    /// [`Kernel::perft_each`].
    ///
    /// # Panics
    /// If no kernel can be chosen (see [`Kernel::active`]), or if a thread cannot be started, such
    /// as one with a stack for millions of levels.
    ///
    /// ```
    /// use setwise::moves::{GamePosition, State, perft};
    /// use setwise::position::Position;
    /// let mut position = Position::default();
    /// (position.pieces[0][5], position.pieces[1][5]) = (1, 1 << 63); // kings a1, h8
    /// let position = GamePosition::new(position, State::default());
    /// assert_eq!(perft(&position, 4, 2), 324);
    /// ```
    #[must_use]
    pub fn perft(position: &GamePosition, depth: u32, threads: usize) -> u64 {
        let counts = Kernel::active().perft_each(&[*position], depth, threads, |_| true);
        counts[0]
    }

    /// A part of the tree.
    struct Part {
        position: GamePosition,
        /// The index of the position that it descends from.
        root: usize,
    }

    /// Ends the count if the thread that waits for it panics: otherwise the panic would go on only
    /// after the whole count.
    struct StopOnDrop<'a>(&'a AtomicBool);

    impl Drop for StopOnDrop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// The end of a thread's work, also by a panic: wakes the caller.
    struct End<'a> {
        running: &'a AtomicUsize,
        caller: Thread,
    }

    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.running.fetch_sub(1, Ordering::Release);
            self.caller.unpark();
        }
    }

    impl Kernel {
        /// [`perft`](crate::moves::perft) of each of several positions, such as those after each
        /// move of another.
        ///
        /// Calls `report` about every 0.05 seconds. If it returns `false`, it is not called again,
        /// and the count ends soon: then the results are what has been counted.
        ///
        /// # Panics
        /// If a thread cannot be started, such as one with a stack for millions of levels.
        #[must_use]
        pub fn perft_each(
            &self,
            positions: &[GamePosition],
            depth: u32,
            threads: usize,
            mut report: impl FnMut(PerftProgress) -> bool,
        ) -> Vec<u64> {
            let (parts, left) = divide(positions, depth);
            let counts: Vec<AtomicU64> = positions.iter().map(|_| AtomicU64::new(0)).collect();
            let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let (nodes, stop) = (AtomicU64::new(0), AtomicBool::new(false));
            let work = || {
                while !stop.load(Ordering::Relaxed) {
                    let first = next.fetch_add(TAKEN, Ordering::Relaxed);
                    let Some(taken) = parts.get(first..) else { return };
                    if taken.is_empty() {
                        return;
                    }
                    for part in taken.iter().take(TAKEN) {
                        if stop.load(Ordering::Relaxed) {
                            return;
                        }
                        let count = self.perft_until(&part.position, left, &stop);
                        counts[part.root].fetch_add(count, Ordering::Relaxed);
                        nodes.fetch_add(count, Ordering::Relaxed);
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                }
            };
            let threads = match threads {
                0 => thread::available_parallelism().map_or(1, usize::from),
                threads => threads,
            };
            let stack = STACK.saturating_add(STACK_PER_LEVEL.saturating_mul(left as usize));
            let threads = threads.min(parts.len());
            let running = AtomicUsize::new(threads);
            thread::scope(|scope| {
                let _stop = StopOnDrop(&stop);
                for _ in 0..threads {
                    let end = End { running: &running, caller: thread::current() };
                    let thread = thread::Builder::new().stack_size(stack);
                    let work = move || {
                        let _end = end;
                        work();
                    };
                    thread.spawn_scoped(scope, work).expect("a thread cannot be started");
                }
                while running.load(Ordering::Acquire) > 0 {
                    let progress = PerftProgress {
                        nodes: nodes.load(Ordering::Relaxed),
                        done: done.load(Ordering::Relaxed),
                        parts: parts.len(),
                    };
                    if !stop.load(Ordering::Relaxed) && !report(progress) {
                        stop.store(true, Ordering::Relaxed);
                    }
                    thread::park_timeout(REPORT);
                }
            });
            counts.into_iter().map(AtomicU64::into_inner).collect()
        }
    }

    /// Divides the tree into parts, and returns the depth that each has left.
    fn divide(positions: &[GamePosition], depth: u32) -> (Vec<Part>, u32) {
        let roots = positions.iter().enumerate();
        let mut parts: Vec<Part> = roots.map(|(root, &position)| Part { position, root }).collect();
        let mut left = depth;
        let mut moves = vec![Move::default(); super::ROOM];
        while left > DEPTH && parts.len() < ENOUGH && !parts.is_empty() {
            let mut divided = Vec::new();
            for Part { position, root } in parts {
                let count = board::legal_moves(&position, &mut moves);
                divided.extend(
                    moves[..count]
                        .iter()
                        .map(|&played| Part { position: board::play(&position, played), root }),
                );
            }
            parts = divided;
            left -= 1;
        }
        (parts, left)
    }
}
