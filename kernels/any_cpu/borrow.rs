//! East rays with a subtraction, the others with Kogge-Stone, one board at a time.
//!
//! In `o - 2r`, each slider `r` removes its own bit from the occupancy `o` and borrows from the
//! next occupied square above. The borrow changes the bits of that blocker and of all squares
//! between the two. These squares are the east ray.
//!
//! `setwise::techniques::adder` derives this fill from a binary adder.
//! `setwise::techniques::borrow` has its other forms: westward, and along whole ranks.
//!
//! Sources: Gerd Isenberg, Computer Chess Club, 22 May 2005. The barrier that keeps borrows within
//! a rank comes from the set-wise form of "Hyperbola Quintessence" (Chess Programming Wiki).

use crate::kernels::entry_points::kernel;

kernel! {
    name: "borrow",
    technique: "east by subtraction with a barrier, the other rays by Kogge-Stone, in loops over boards that the compiler vectorises",
    targets: feature = "techniques",
    features: [],
    imports: { generic::{each_board::EachBoard, board_rays::Borrow} },
    driver: EachBoard<Borrow>,
}
