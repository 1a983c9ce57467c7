//! Tests of every ending, with published counts, random positions, and checks of every value
//! against the position's moves.

mod counts;
mod sampled;
mod values;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use setwise_endgame::{Ending, Options, Table, generate};

fn table(name: &str) -> Table {
    generate(&name.parse().unwrap(), &Options::default())
}

/// The tables of all endings, generated once.
static TABLES: LazyLock<BTreeMap<String, Table>> = LazyLock::new(|| {
    let names = Ending::all().into_iter().map(|ending| ending.to_string());
    names.map(|name| (name.clone(), table(&name))).collect()
});
