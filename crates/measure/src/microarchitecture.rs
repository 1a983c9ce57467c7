//! Names of x86 microarchitectures by CPUID's family, model and stepping. Virtual machines often
//! hide the brand string, but not these numbers.

/// The name, if the CPU is known. The numbers are the display family and the display model.
#[must_use]
pub(crate) fn name(vendor: &str, family: u8, model: u8, stepping: u8) -> Option<&'static str> {
    Some(match (vendor, family, model) {
        ("GenuineIntel", 6, 0x2a | 0x2d) => "Sandy Bridge",
        ("GenuineIntel", 6, 0x3a | 0x3e) => "Ivy Bridge",
        ("GenuineIntel", 6, 0x3c | 0x3f | 0x45 | 0x46) => "Haswell",
        ("GenuineIntel", 6, 0x3d | 0x47 | 0x4f | 0x56) => "Broadwell",
        ("GenuineIntel", 6, 0x55) if stepping >= 10 => "Cooper Lake",
        ("GenuineIntel", 6, 0x55) if stepping >= 5 => "Cascade Lake",
        ("GenuineIntel", 6, 0x4e | 0x55 | 0x5e) => "Skylake",
        ("GenuineIntel", 6, 0x8e | 0x9e) => "Kaby Lake or Coffee Lake",
        ("GenuineIntel", 6, 0xa5 | 0xa6) => "Comet Lake",
        ("GenuineIntel", 6, 0x6a | 0x6c | 0x7d | 0x7e) => "Ice Lake",
        ("GenuineIntel", 6, 0x8c | 0x8d) => "Tiger Lake",
        ("GenuineIntel", 6, 0xa7) => "Rocket Lake",
        ("GenuineIntel", 6, 0x97 | 0x9a) => "Alder Lake",
        ("GenuineIntel", 6, 0xb7 | 0xba | 0xbf) => "Raptor Lake",
        ("GenuineIntel", 6, 0xaa | 0xac) => "Meteor Lake",
        ("GenuineIntel", 6, 0xb5 | 0xc5 | 0xc6) => "Arrow Lake",
        ("GenuineIntel", 6, 0xbd) => "Lunar Lake",
        ("GenuineIntel", 6, 0x8f) => "Sapphire Rapids",
        ("GenuineIntel", 6, 0xcf) => "Emerald Rapids",
        ("GenuineIntel", 6, 0xad | 0xae) => "Granite Rapids",
        ("GenuineIntel", 6, 0xbe) => "Gracemont",
        ("HygonGenuine", 0x18, _) => "Dhyana",
        ("AuthenticAMD", 0x15, 0x00 | 0x01) => "Bulldozer",
        ("AuthenticAMD", 0x15, 0x02 | 0x10..=0x1f) => "Piledriver",
        ("AuthenticAMD", 0x15, 0x30..=0x3f) => "Steamroller",
        ("AuthenticAMD", 0x15, 0x60..=0x7f) => "Excavator",
        ("AuthenticAMD", 0x17, 0x08 | 0x18) => "Zen+",
        ("AuthenticAMD", 0x17, 0x00..=0x2f | 0x50..=0x5f) => "Zen",
        ("AuthenticAMD", 0x17, _) => "Zen 2",
        ("AuthenticAMD", 0x19, 0x00..=0x0f | 0x20..=0x5f) => "Zen 3",
        ("AuthenticAMD", 0x19, _) => "Zen 4",
        ("AuthenticAMD", 0x1a, _) => "Zen 5",
        _ => return None,
    })
}
