//! Makes peers that loop over the boards. `#[target_feature]` compiles each loop for specific CPU
//! features.

/// Makes one contender for each build `[name, features]` that this CPU can run. A loop is described
/// by the operation's name and an expression that computes one board.
macro_rules! looped {
    ($operation:expr; $([$name:expr $(, $feature:tt)*])* => $loops:tt) => {
        [$($crate::peers::looped::looped! {
            @ $operation, $name,
            [true $(&& $crate::peers::looped::detected!($feature))*]
            [cfg_attr(
                target_arch = "x86_64",
                inline(never) $(, target_feature(enable = $feature))*
            )]
            $loops
        }),*].into_iter().flatten().collect()
    };
    (@ $operation:expr, $name:expr, [$detected:expr] [$features:meta] {
        $($function:ident($($set:ident),*) = $attacks:expr;)*
    }) => {
        match $operation.name {
            $(stringify!($function) if $detected => {
                #[$features]
                #[allow(clippy::needless_range_loop, reason = "one loop for any number of inputs")]
                unsafe fn looped($($set: &[u64],)* attacks: &mut [u64]) {
                    let boards = attacks.len();
                    $(let $set = &$set[..boards];)*
                    for i in 0..boards {
                        $(let $set = $set[i];)*
                        attacks[i] = $attacks;
                    }
                }
                let kind = $crate::contender::Kind::Peer;
                Some($crate::contender::Contender::new($name, kind, |buffers| {
                    $crate::buffers::for_windows! {
                        buffers ($($set: u64),*) (attacks: u64)
                        // SAFETY: the features are detected.
                        unsafe { looped($($set,)* attacks) }
                    }
                }))
            })*
            _ => None,
        }
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! detected {
    ($feature:tt) => {
        is_x86_feature_detected!($feature)
    };
}

#[cfg(not(target_arch = "x86_64"))]
macro_rules! detected {
    ($feature:tt) => {
        false
    };
}

pub(super) use {detected, looped};
