//! Attacks square by square: what the race checks every kernel against before it times one.

/// Steps of a rook and of a bishop, in files and ranks.
const ROOK: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const BISHOP: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// What rooks (and queens) of one set and bishops (and queens) of another attack, by walking from each along its rays up to the first occupied square.
///
/// ```
/// // A rook on d4 and a piece on d7.
/// assert_eq!(setwise_web::walk::slider_attacks(1 << 27, 0, 1 << 51), 0x0008_0808_f708_0808);
/// ```
#[must_use]
pub fn slider_attacks(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    let occupied = occupied | orthogonal | diagonal;
    let mut attacks = 0;
    for (sliders, steps) in [(orthogonal, ROOK), (diagonal, BISHOP)] {
        for square in 0..64_i8 {
            if sliders >> square & 1 == 0 {
                continue;
            }
            for (east, north) in steps {
                let (mut file, mut rank) = (square % 8 + east, square / 8 + north);
                while (0..8).contains(&file) && (0..8).contains(&rank) {
                    let here = 1 << (8 * rank + file);
                    attacks |= here;
                    if occupied & here != 0 {
                        break;
                    }
                    file += east;
                    rank += north;
                }
            }
        }
    }
    attacks
}
