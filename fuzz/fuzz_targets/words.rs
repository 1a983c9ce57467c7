//! Converts a fuzzer's input to words.

/// An endless sequence that repeats the words of the input, rotated one bit further in each pass.
pub(crate) fn words(data: &[u8]) -> impl FnMut() -> u64 {
    let chunks = data.chunks(8).map(|chunk| {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(bytes)
    });
    let words: Vec<u64> = chunks.collect();
    let (mut next, mut rotation) = (0, 0);
    move || {
        if next == words.len() {
            (next, rotation) = (0, (rotation + 1) % 64);
        }
        next += 1;
        words.get(next - 1).copied().unwrap_or(0).rotate_left(rotation)
    }
}
