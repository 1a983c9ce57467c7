//! East rays with a subtraction, the others with Kogge-Stone, one board at a time.
//! `docs/techniques/borrow.md` explains the subtraction.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "borrow",
    description: "east by subtraction with a barrier, the other rays by Kogge-Stone, in loops over boards that the compiler vectorises",
    targets: feature = "techniques",
    features: [],
    imports: { generic::{each_board::EachBoard, board_rays::Borrow} },
    driver: EachBoard<Borrow>,
}
