//! Calls the one-board table entries that take pointers. The pieces and results behind these
//! pointers lie next to inaccessible pages, so an out-of-bounds access faults.

use setwise::Kernel;
use setwise::reflection::TABLE_OFFSETS;
use setwise_check::Pages;

use crate::check::{Checked, Plan, Prepared};

/// The function pointer of an operation in a kernel's table.
pub(crate) fn entry(kernel: &'static Kernel, name: &str) -> *const () {
    let found = TABLE_OFFSETS.iter().find(|(field, _)| *field == name);
    let (_, offset) = found.expect("a field of the table");
    // SAFETY: the table has a function pointer at this offset.
    unsafe { std::ptr::from_ref(kernel).byte_add(*offset).cast::<*const ()>().read() }
}

/// A one-board table entry that takes four sets and a pointer to its results.
type Kinds = unsafe extern "C" fn(u64, u64, u64, u64, *mut u64);
/// A one-board table entry that takes a side, a pointer to six sets, the occupancy and a pointer to
/// its results.
type OfSide = unsafe extern "C" fn(u8, *const [u64; 6], u64, *mut u64);

/// Compares a one-board entry with the oracle. Its pieces and results first lie right before
/// inaccessible pages, then right after such pages.
pub(crate) fn agree(plan: &Plan, prepared: &Prepared, kernel: &'static Kernel) -> Checked {
    let operation = &prepared.operation;
    let count = operation.info.outputs().len();
    let is_of_side = operation.info.parameter().is_some();
    if !is_of_side && count == 1 {
        return Ok(0);
    }
    let entry = entry(kernel, operation.info.name());
    let mut pages = [Pages::new(8 * 6), Pages::new(8 * count)];
    let mut compared = 0;
    for at_end in [true, false] {
        for case in plan.random_cases(prepared).0.iter().take(1000) {
            let words = case.inputs(operation);
            let [sets, results] = &mut pages;
            let sets = sets.place(bytemuck::cast_slice(&words[..words.len().min(6)]), at_end);
            let results = results.place(&vec![0xa5; 8 * count], at_end);
            let to: *mut u64 = results.as_mut_ptr().cast();
            // SAFETY: each function type matches the entry. An entry for one side reads six sets
            // through its pointer. The entries with a result pointer write `count` results.
            unsafe {
                if !is_of_side {
                    let entry: Kinds = std::mem::transmute(entry);
                    entry(words[0], words[1], words[2], words[3], to);
                } else if count > 1 {
                    let entry: OfSide = std::mem::transmute(entry);
                    entry(operation.parameter, sets.as_ptr().cast(), words[6], to);
                } else {
                    let entry: unsafe extern "C" fn(u8, *const [u64; 6], u64) -> u64 =
                        std::mem::transmute(entry);
                    to.write(entry(operation.parameter, sets.as_ptr().cast(), words[6]));
                }
            }
            if *results != *bytemuck::cast_slice::<_, u8>(&operation.oracle(&words)) {
                return Err(format!("{}: {words:#x?}: {results:x?}", operation.title()));
            }
            compared += 1;
        }
    }
    Ok(compared)
}
