//! Dumb7Fill: seven one-step fill cycles, one board at a time. Attacks need only six.
//! `docs/techniques/dumb7fill.md` explains it.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "dumb7fill",
    description: "fills of one step, six and a last one per ray, in loops over boards that the compiler vectorises",
    targets: feature = "techniques",
    features: [],
    imports: { generic::{each_board::EachBoard, board_rays::Dumb7Fill} },
    driver: EachBoard<Dumb7Fill>,
}
