//! Finds the kernel that is the fastest for the caller's own work.

use std::time::{Duration, Instant};

use crate::Kernel;

impl Kernel {
    /// Runs `work` with every available kernel in turn, for about `budget` and for at least three
    /// rounds. Returns the kernel whose fastest run took the least time: the run that other
    /// programs on the machine disturbed least. Activates no kernel (feature `std`).
    ///
    /// A run of `work` should take at least some microseconds, and do what the program will do: the
    /// same operations on batches of the same size. All kernels compute the same results, so a
    /// misleading measurement costs only speed. [`active`](Kernel::active) measures nothing.
    ///
    /// ```
    /// use std::time::Duration;
    /// use setwise::Kernel;
    /// let (queens, occupied, mut attacks) = ([1; 256], [0x5500; 256], [0; 256]);
    /// let kernel = Kernel::fastest(Duration::from_millis(5), |kernel| {
    ///     kernel.queen_attacks(&queens, &occupied, &mut attacks);
    /// });
    /// kernel.activate();
    /// ```
    #[must_use]
    pub fn fastest(budget: Duration, mut work: impl FnMut(&'static Kernel)) -> &'static Kernel {
        let start = Instant::now();
        let mut times: Vec<_> = Kernel::available().map(|kernel| (Duration::MAX, kernel)).collect();
        let mut rounds = 0;
        while rounds < 3 || start.elapsed() < budget {
            for (shortest, kernel) in &mut times {
                let start = Instant::now();
                work(kernel);
                *shortest = start.elapsed().min(*shortest);
            }
            rounds += 1;
        }
        let fastest = times.into_iter().min_by_key(|(shortest, _)| *shortest);
        fastest.map_or(Kernel::of_target(), |(_, kernel)| kernel)
    }
}
