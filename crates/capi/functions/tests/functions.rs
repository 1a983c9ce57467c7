//! Tests the functions of the C library from Rust, because Miri cannot run C programs. `tests/c`
//! calls the functions from C.

use std::ffi::CStr;
use std::ptr::{self, null, null_mut};

use kernels::Kernel;
use setwise_capi_functions::{
    setwise_active, setwise_available, setwise_by_name, setwise_init, setwise_perft,
    setwise_status, setwise_version,
};

const IGNORE_ENVIRONMENT: u32 = 1;

fn status() -> String {
    // SAFETY: the status is a string, and no other thread overwrites it.
    unsafe { CStr::from_ptr(setwise_status()) }.to_str().unwrap().into()
}

fn by_name(name: &CStr) -> Option<&'static str> {
    // SAFETY: the name is a string.
    unsafe { setwise_by_name(name.as_ptr()) }.map(Kernel::name)
}

/// A single test, because the choice of a kernel applies to the whole process.
#[test]
fn the_choice_by_names_and_lists() {
    assert_eq!(status(), "");
    let best = Kernel::available().next().map(Kernel::name);

    // SAFETY: null is allowed.
    let count = unsafe { setwise_available(null_mut(), 9) };
    for room in [0, 1, count - 1, count] {
        let mut list = vec![null(); room];
        // SAFETY: the list has length `room`.
        assert_eq!(unsafe { setwise_available(list.as_mut_ptr(), room) }, count);
        assert!(Kernel::available().map(ptr::from_ref).take(room).eq(list));
    }

    assert_eq!(by_name(c"scalar"), Some("scalar"));
    for unknown in [c"", c"scala", c"\xff"] {
        assert_eq!(by_name(unknown), None);
    }
    // SAFETY: null is allowed.
    assert_eq!(unsafe { setwise_by_name(null()) }, None);

    let init = |force: Option<&CStr>, exclude: Option<&CStr>| {
        let [force, exclude] = [force, exclude].map(|text| text.map_or(null(), CStr::as_ptr));
        // SAFETY: the arguments are null or strings.
        unsafe { setwise_init(IGNORE_ENVIRONMENT, force, exclude) }.map(Kernel::name)
    };
    assert_eq!(init(Some(c"portable"), None), Some("portable"));
    assert_eq!((setwise_active().name(), status()), ("portable", String::new()));
    assert_eq!(init(None, None), best);
    let second = Kernel::available().nth(1).unwrap().name();
    let without = [best.unwrap(), " , ", "\0"].concat();
    let without = CStr::from_bytes_with_nul(without.as_bytes()).unwrap();
    assert_eq!(init(None, Some(without)), Some(second));

    // A failure keeps the active kernel and sets a status of at most 511 bytes.
    let long = [&[b'x'; 600][..], b"\0"].concat();
    for wrong in [c"no kernel", c"\xff", CStr::from_bytes_with_nul(&long).unwrap()] {
        assert_eq!(init(Some(wrong), None), None);
        assert_eq!(setwise_active().name(), second);
        assert!((1..512).contains(&status().len()), "{}", status());
        assert_eq!(init(None, Some(wrong)), None);
    }
    assert_eq!(init(None, Some(c"avx2, abacus")), None);
    assert!(status().contains("abacus"), "{}", status());
    let all: Vec<_> = Kernel::available().map(Kernel::name).collect();
    let [others, all] = [&all[1..], &all].map(|names| names.join(" , ") + "\0");
    let [others, all] =
        [&others, &all].map(|names| CStr::from_bytes_with_nul(names.as_bytes()).unwrap());
    assert_eq!(init(None, Some(others)), best);
    assert_eq!(init(None, Some(all)), None);
    assert!(status().contains("no kernel is left"), "{}", status());
    assert_eq!(init(Some(c"scalar"), Some(all)), Some("scalar"));
    assert_eq!(init(None, None), best);
    assert_eq!(status(), "");

    // SAFETY: the version is a string.
    let version = unsafe { CStr::from_ptr(setwise_version()) };
    assert_eq!(version.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
}

#[test]
fn perft() {
    let mut position = kernels::position::Position::default();
    (position.pieces[0][5], position.pieces[1][5]) = (1, 1 << 63); // kings a1, h8
    let position = kernels::moves::GamePosition::new(position, kernels::moves::State::default());
    // SAFETY: the position is valid.
    let counts = [0, 1, 2, 4].map(|depth| unsafe { setwise_perft(&raw const position, depth) });
    assert_eq!(counts, [1, 3, 9, 324]);
}
