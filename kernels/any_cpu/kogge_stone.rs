//! Kogge-Stone fills, one board at a time. `docs/techniques/kogge_stone.md` explains them.
//!
//! The compiler vectorises the loop over the batch for the crate's target. For a batch of rays in
//! one direction, the code chooses between left and right shifts once, and keeps the shift count in
//! a register.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "kogge-stone",
    description: "fills in three doubling steps, in loops over boards that the compiler vectorises",
    targets: feature = "techniques",
    features: [],
    imports: { generic::{each_board::EachBoard, board_rays::KoggeStone} },
    driver: EachBoard<KoggeStone>,
}
