/// The result of `vpperm destination, first, second, selector`, the byte permute of AMD's XOP.
///
/// Each result byte is made from one of 32 source bytes. Its selector byte has the bits
/// `ooo iiiii`. The low five bits choose the source byte: 0 to 15 from `first`, 16 to 31 from
/// `second`. The high three bits choose one of eight operations:
///
/// | `ooo` | result | for the byte `0b1011_0000` |
/// |---|---|---|
/// | 0 | the byte | `0b1011_0000` |
/// | 1 | the byte, inverted | `0b0100_1111` |
/// | 2 | its bits, reversed | `0b0000_1101` |
/// | 3 | its bits, reversed and inverted | `0b1111_0010` |
/// | 4 | 0x00 | `0b0000_0000` |
/// | 5 | 0xff | `0b1111_1111` |
/// | 6 | its sign (the most significant bit) in all eight bits | `0b1111_1111` |
/// | 7 | its sign, inverted, in all eight bits | `0b0000_0000` |
///
/// This function describes the instruction byte by byte, and runs on any CPU.
/// `rook_and_bishop_by_vpperm` executes the instruction itself, and
/// `rook_and_bishop_by_vpperm_emulated` emulates it with 28 SSSE3 operations.
///
/// ```
/// let (first, second) = ([0b1011_0000; 16], [0; 16]);
/// let mut selector = [0; 16];
/// for operation in 0..8 {
///     selector[operation] = (operation << 5) as u8;
/// }
/// let result = setwise::techniques::hyperbola::vpperm(first, second, selector);
/// let table = [0b1011_0000, 0b0100_1111, 0b0000_1101, 0b1111_0010, 0x00, 0xff, 0xff, 0x00];
/// assert_eq!(result[..8], table);
/// ```
///
/// Source: AMD's manual, as described in "Hyperbola Quintessence", Chess Programming Wiki.
#[must_use]
pub const fn vpperm(first: [u8; 16], second: [u8; 16], selector: [u8; 16]) -> [u8; 16] {
    let mut result = [0; 16];
    let mut i = 0;
    while i < 16 {
        let index = (selector[i] & 0x1f) as usize;
        let byte = if index < 16 { first[index] } else { second[index - 16] };
        let sign = (byte.cast_signed() >> 7).cast_unsigned();
        result[i] = match selector[i] >> 5 {
            0 => byte,
            1 => !byte,
            2 => byte.reverse_bits(),
            3 => !byte.reverse_bits(),
            4 => 0x00,
            5 => 0xff,
            6 => sign,
            _ => !sign,
        };
        i += 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One bit of a result byte, computed from single source bits. These are numbered from bit 0 of
    /// byte 0 (in `first`) to bit 7 of byte 31 (in `second`).
    fn bit(sources: &[bool; 256], selector: u8, bit: usize) -> bool {
        let of_byte = |bit: usize| sources[8 * usize::from(selector % 32) + bit];
        let inverted = selector & 0b0010_0000 != 0;
        let chosen = match (selector & 0b1000_0000 != 0, selector & 0b0100_0000 != 0) {
            (false, false) => of_byte(bit),
            (false, true) => of_byte(7 - bit),
            (true, false) => false,
            (true, true) => of_byte(7),
        };
        chosen != inverted
    }

    fn check(first: [u8; 16], second: [u8; 16], selector: [u8; 16]) {
        let mut sources = [false; 256];
        for (i, byte) in first.into_iter().chain(second).enumerate() {
            for k in 0..8 {
                sources[8 * i + k] = byte / (1 << k) % 2 == 1;
            }
        }
        let result = vpperm(first, second, selector);
        for i in 0..16 {
            for k in 0..8 {
                let expected = bit(&sources, selector[i], k);
                assert_eq!(result[i] & 1 << k != 0, expected, "{first:?} {second:?} {selector:?}");
            }
        }
    }

    #[test]
    fn every_selector_in_every_place() {
        let mut random = fastrand::Rng::with_seed(2009);
        for selector in 0..=255 {
            for place in 0..16 {
                let [first, second, mut selectors] =
                    core::array::from_fn(|_| random.u128(..).to_le_bytes());
                selectors[place] = selector;
                check(first, second, selectors);
            }
        }
    }
}
