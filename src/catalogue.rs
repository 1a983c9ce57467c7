//! The catalogue of kernels, and whether each can run here.

use core::ffi::CStr;
use core::fmt;

use crate::detect;
use crate::kernels::CATALOGUE;
pub use crate::kernels::{Kernel, KernelInfo};

/// Whether a kernel can run in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelStatus {
    /// The kernel can run.
    Available,
    /// The kernel is compiled in, but the CPU or the operating system lacks features.
    Unsupported(MissingFeatures),
    /// The kernel is not compiled in for this target or these crate features.
    NotCompiled,
}

/// The features that a kernel needs and this CPU lacks. Displayed as `avx2, gfni`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MissingFeatures {
    needs: &'static [&'static str],
}

impl MissingFeatures {
    /// The names of the features, as in `std::arch::is_x86_feature_detected!` and its counterparts.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.needs.iter().copied().filter(|name| !detect::has(&[name]))
    }
}

impl fmt::Display for MissingFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(f, self.names())
    }
}

fn write_list<'a>(f: &mut fmt::Formatter<'_>, names: impl Iterator<Item = &'a str>) -> fmt::Result {
    let mut comma = "";
    for name in names {
        f.write_str(comma)?;
        f.write_str(name)?;
        comma = ", ";
    }
    Ok(())
}

impl fmt::Debug for MissingFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// The reason why a kernel cannot be used: the error of [`Kernel::by_name`], and part of
/// [`ChoiceError`](crate::error::ChoiceError).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelError {
    /// No kernel of the catalogue has this name.
    Unknown {
        /// The requested name.
        name: RequestedName,
    },
    /// The kernel is compiled in, but the CPU or the operating system lacks features.
    Unsupported {
        /// The requested kernel.
        name: &'static str,
        /// The missing features.
        missing: MissingFeatures,
    },
    /// The kernel is not compiled in for this target or these crate features.
    NotCompiled {
        /// The requested kernel.
        name: &'static str,
    },
    /// Every kernel that this CPU can run is excluded.
    NoneLeft,
}

impl KernelError {
    /// The requested name, if there was one. An unknown name is cut to 30 bytes.
    ///
    /// ```
    /// let error = setwise::Kernel::by_name("abacus").unwrap_err();
    /// assert_eq!(error.name(), Some("abacus"));
    /// ```
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            KernelError::Unknown { name } => Some(name.as_str()),
            KernelError::Unsupported { name, .. } | KernelError::NotCompiled { name } => Some(name),
            KernelError::NoneLeft => None,
        }
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelError::Unknown { name } => {
                write!(f, "there is no kernel `{name}`; the kernels are ")?;
                return write_list(f, Kernel::catalogue().iter().map(KernelInfo::name));
            }
            KernelError::Unsupported { name, missing } => {
                write!(
                    f,
                    "`{name}` needs {missing}, which this CPU or its operating system lacks"
                )?;
            }
            KernelError::NotCompiled { name } => {
                write!(f, "`{name}` is not compiled in for this target or these crate features")?;
            }
            KernelError::NoneLeft => f.write_str("no kernel is left")?,
        }
        f.write_str("; available here: ")?;
        write_list(f, Kernel::available().map(Kernel::name))
    }
}

/// A requested name, cut to 30 bytes so that an error can hold it without allocating.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RequestedName {
    bytes: [u8; 30],
    length: u8,
    cut: bool,
}

impl RequestedName {
    /// Keeps the text up to the capacity or the first invalid UTF-8 byte, whichever comes first.
    fn new(name: &[u8]) -> Self {
        let mut bytes = [0; 30];
        let start = name.get(..bytes.len()).unwrap_or(name);
        let text = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        // No indexing: it could panic, and the C library must not contain panics.
        bytes.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
        RequestedName { bytes, length: text.len() as u8, cut: text.len() < name.len() }
    }

    /// The name, possibly cut.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let text = self.bytes.get(..self.length.into()).unwrap_or_default();
        str::from_utf8(text).unwrap_or_default()
    }
}

impl fmt::Display for RequestedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        f.write_str(if self.cut { "..." } else { "" })
    }
}

impl fmt::Debug for RequestedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl core::error::Error for KernelError {}

getters! { KernelInfo {
    /// The kernel's name, by which users choose it.
    name: &'static str;
    /// A one-line description of how the kernel works.
    description: &'static str;
    /// The CPU features that the kernel needs, as named by `std::arch::is_x86_feature_detected!`
    /// and its counterparts for other architectures.
    needs: &'static [&'static str];
} }

impl KernelInfo {
    /// Whether the kernel can run in this process, and if not, why.
    #[must_use]
    pub fn status(&self) -> KernelStatus {
        match self.admit() {
            Ok(_) => KernelStatus::Available,
            Err(KernelError::Unsupported { missing, .. }) => KernelStatus::Unsupported(missing),
            Err(_) => KernelStatus::NotCompiled,
        }
    }

    /// The kernel itself, if the CPU can run it. No other code returns a reference to a kernel that
    /// needs detection.
    #[inline(never)]
    pub(crate) fn admit(&self) -> Result<&'static Kernel, KernelError> {
        let (name, needs) = (self.name, self.needs);
        let kernel = self.table.ok_or(KernelError::NotCompiled { name })?;
        if detect::has(needs) {
            Ok(kernel)
        } else {
            Err(KernelError::Unsupported { name, missing: MissingFeatures { needs } })
        }
    }

    /// The kernel's entry in the catalogue.
    pub(crate) fn by_name(name: &[u8]) -> Result<&'static KernelInfo, KernelError> {
        let found = Kernel::catalogue().iter().find(|info| info.name.as_bytes() == name);
        found.ok_or_else(|| KernelError::Unknown { name: RequestedName::new(name) })
    }
}

impl fmt::Debug for KernelInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelInfo")
            .field("name", &self.name())
            .field("needs", &self.needs())
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

impl Kernel {
    /// The kernels that this CPU can run, best first.
    ///
    /// ```
    /// let names: Vec<_> = setwise::Kernel::available().map(|k| k.name()).collect();
    /// assert!(names.contains(&"scalar"));
    /// ```
    pub fn available() -> impl Iterator<Item = &'static Kernel> {
        Kernel::catalogue().iter().filter_map(|info| info.admit().ok())
    }

    /// The kernel with this name.
    ///
    /// # Errors
    /// [`KernelError`] if the kernel is unknown, not compiled in, or needs features that are
    /// missing.
    ///
    /// ```
    /// use setwise::{KernelError, Kernel};
    /// assert_eq!(Kernel::by_name("scalar").unwrap().name(), "scalar");
    /// assert!(matches!(Kernel::by_name("abacus"), Err(KernelError::Unknown { .. })));
    /// ```
    pub fn by_name(name: &str) -> Result<&'static Kernel, KernelError> {
        KernelInfo::by_name(name.as_bytes())?.admit()
    }

    /// The kernel with this name, if it is compiled in. Does not check the CPU, so tests can use
    /// an emulator whose features are not detected. Not part of the stable interface.
    ///
    /// # Safety
    /// The CPU, or an emulator, must support the features that the kernel
    /// [needs](KernelInfo::needs).
    #[doc(hidden)]
    #[must_use]
    pub unsafe fn by_name_unchecked(name: &str) -> Option<&'static Kernel> {
        KernelInfo::by_name(name.as_bytes()).ok()?.table
    }

    /// Every kernel known to the crate, best first, including those that cannot run here or are not
    /// compiled in.
    #[must_use]
    pub fn catalogue() -> &'static [KernelInfo] {
        // Without `black_box`, LLVM unrolls each search for a name, which adds 3 KB.
        core::hint::black_box(CATALOGUE)
    }

    /// The kernel's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        // SAFETY: the name in a table is an ASCII string literal with a NUL at the end.
        unsafe { str::from_utf8_unchecked(CStr::from_ptr(self.name).to_bytes()) }
    }
}

/// Kernels are equal if they have the same name.
impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        // Compares names, not addresses, because `of_target` may leave several copies of a table in
        // a program.
        self.name() == other.name()
    }
}

impl Eq for Kernel {}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.name()).finish()
    }
}
