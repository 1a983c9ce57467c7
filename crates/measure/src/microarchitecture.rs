//! Names of x86 microarchitectures by CPUID's family, model and stepping. Virtual machines often
//! hide the brand string, but not these numbers.

/// The name, if the CPU is known. The numbers are the display family and the display model.
#[must_use]
pub(crate) fn name(vendor: &str, family: u8, model: u8, stepping: u8) -> Option<&'static str> {
    match (vendor, family) {
        ("GenuineIntel", 6) => intel(model, stepping),
        ("AuthenticAMD", _) => amd(family, model),
        ("HygonGenuine", 0x18) => Some("Dhyana"),
        _ => None,
    }
}

fn intel(model: u8, stepping: u8) -> Option<&'static str> {
    Some(match model {
        0x0f | 0x16 => "Merom",
        0x17 | 0x1d => "Penryn",
        0x1a | 0x1e | 0x1f | 0x2e => "Nehalem",
        0x25 | 0x2c | 0x2f => "Westmere",
        0x2a | 0x2d => "Sandy Bridge",
        0x3a | 0x3e => "Ivy Bridge",
        0x3c | 0x3f | 0x45 | 0x46 => "Haswell",
        0x3d | 0x47 | 0x4f | 0x56 => "Broadwell",
        0x55 if stepping >= 10 => "Cooper Lake",
        0x55 if stepping >= 5 => "Cascade Lake",
        0x4e | 0x55 | 0x5e => "Skylake",
        0x8e | 0x9e => "Kaby Lake or Coffee Lake",
        0xa5 | 0xa6 => "Comet Lake",
        0x66 => "Cannon Lake",
        0x6a | 0x6c | 0x7d | 0x7e => "Ice Lake",
        0x8c | 0x8d => "Tiger Lake",
        0xa7 => "Rocket Lake",
        0x97 | 0x9a => "Alder Lake",
        0xb7 | 0xba | 0xbf => "Raptor Lake",
        0xaa | 0xac => "Meteor Lake",
        0xb5 | 0xc5 | 0xc6 => "Arrow Lake",
        0xbd => "Lunar Lake",
        0x8f => "Sapphire Rapids",
        0xcf => "Emerald Rapids",
        0xad | 0xae => "Granite Rapids",
        0xaf => "Sierra Forest",
        0x57 => "Knights Landing",
        0x85 => "Knights Mill",
        0x37 | 0x4a | 0x4d | 0x5a | 0x5d => "Silvermont",
        0x5c | 0x5f => "Goldmont",
        0x7a => "Goldmont Plus",
        0x86 | 0x96 | 0x9c => "Tremont",
        0xbe => "Gracemont",
        _ => return None,
    })
}

fn amd(family: u8, model: u8) -> Option<&'static str> {
    Some(match (family, model) {
        (0x10, _) => "K10",
        (0x14, _) => "Bobcat",
        (0x15, 0x00 | 0x01) => "Bulldozer",
        (0x15, 0x02 | 0x10..=0x1f) => "Piledriver",
        (0x15, 0x30..=0x3f) => "Steamroller",
        (0x15, 0x60..=0x7f) => "Excavator",
        (0x16, 0x00..=0x0f) => "Jaguar",
        (0x16, 0x30..=0x3f) => "Puma",
        (0x17, 0x08 | 0x18) => "Zen+",
        (0x17, 0x00..=0x2f | 0x50..=0x5f) => "Zen",
        (0x17, 0x30..=0x4f | 0x60..=0x7f | 0x90..=0x91 | 0xa0..=0xaf) => "Zen 2",
        (0x19, 0x00..=0x0f | 0x20..=0x5f) => "Zen 3",
        (0x19, 0x10..=0x1f | 0x60..=0xaf) => "Zen 4",
        (0x1a, 0x00..=0x2f | 0x40..=0x4f | 0x60..=0x7f) => "Zen 5",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::name;

    /// CPUs must get the names of their microarchitectures, which are known from other sources.
    #[test]
    fn known_cpus_have_names() {
        for (vendor, family, model, stepping, expected) in [
            ("GenuineIntel", 6, 207, 2, "Emerald Rapids"), // Xeon 8500 series
            ("GenuineIntel", 6, 85, 4, "Skylake"),         // Xeon Platinum 8175
            ("GenuineIntel", 6, 85, 7, "Cascade Lake"),    // Xeon Platinum 8259
            ("GenuineIntel", 6, 106, 6, "Ice Lake"),       // Xeon Platinum 8375
            ("GenuineIntel", 6, 143, 8, "Sapphire Rapids"), // Xeon Platinum 8488
            ("AuthenticAMD", 23, 49, 0, "Zen 2"),          // EPYC 7R32
            ("AuthenticAMD", 25, 1, 1, "Zen 3"),           // EPYC 7R13
            ("AuthenticAMD", 25, 17, 1, "Zen 4"),          // EPYC 9R14
            ("AuthenticAMD", 25, 97, 2, "Zen 4"),          // Ryzen 9 7950X
            ("AuthenticAMD", 26, 68, 0, "Zen 5"),          // Ryzen 9 9950X
        ] {
            assert_eq!(name(vendor, family, model, stepping), Some(expected));
        }
        assert_eq!(name("GenuineIntel", 6, 0xfe, 0), None);
        assert_eq!(name("CentaurHauls", 6, 207, 2), None);
    }
}
