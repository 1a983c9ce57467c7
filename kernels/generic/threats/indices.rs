//! Threats as inputs of a network: the code of all kernels without AVX2, and the `const` code.

use super::portable::{elements, elements_mut};
use crate::kernels::geometry::{IndexList, IndexTable, Threat};

/// See [`Kernel::threat_indices`](crate::Kernel::threat_indices).
///
/// # Safety
/// Each list has room for as many indices as there are threats.
#[inline(always)]
pub(crate) const unsafe fn fill(
    threats: &[Threat],
    table: &IndexTable,
    start: u32,
    lists: &mut [IndexList<'_>],
) {
    let mut i = 0;
    while i < lists.len() {
        // SAFETY: the caller's contract.
        unsafe { fill_one(threats, table, start, &mut lists[i]) };
        i += 1;
    }
}

/// Branch-free: the next index overwrites one that does not count.
///
/// # Safety
/// The contract of [`fill`].
#[inline(always)]
const unsafe fn fill_one(
    threats: &[Threat],
    table: &IndexTable,
    start: u32,
    list: &mut IndexList<'_>,
) {
    let (codes, flip) = (list.codes(table), list.flip());
    let (mut count, mut i) = (0, 0);
    while i < threats.len() {
        let Threat { attacker, from, victim, to } = threats[i];
        let attacker = codes[attacker as usize & 15] as usize & 15;
        let victim = codes[victim as usize & 15] as usize & 15;
        let [from, to] = [(from ^ flip) as usize & 63, (to ^ flip) as usize & 63];
        let base = table.base[attacker][victim][(from < to) as usize];
        let index = base.wrapping_add(table.place[attacker][from][to]);
        // SAFETY: the caller's contract; `count` is at most `i`.
        unsafe { list.indices.add(count).write(start.wrapping_add(index)) };
        count += (index >> 31 == 0) as usize;
        i += 1;
    }
    list.count = count;
}

/// The entry of the table.
///
/// # Safety
/// The contract of [`Entries`](super::Entries).
pub(crate) unsafe extern "C" fn entry(
    threats: *const Threat,
    count: usize,
    table: *const IndexTable,
    start: u32,
    lists: *mut IndexList<'_>,
    list_count: usize,
) {
    // SAFETY: the table's contract. Threats are bytes, which need no alignment.
    unsafe {
        fill(elements(threats, count), &*table, start, elements_mut(lists, list_count));
    }
}
