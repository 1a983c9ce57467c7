#!/usr/bin/env python3
"""Breaks the library in many small ways, one at a time in a scratch copy, and runs the tests. A
mutation that no test catches shows a gap in the tests.

    tools/mutate.py                 all mutations (about 15 s each)
    tools/mutate.py tail west       those whose name contains one of the words
    tools/mutate.py --check         only checks that each matches exactly once and compiles
    tools/mutate.py --match         only checks that each matches exactly once; takes a second
    tools/mutate.py --list          prints their names

Prints `caught` or `SURVIVED` for each. Exit code: 0 all caught, 1 one survived, 2 one no longer
applies or does not compile (correct it here), or the tests fail without a mutation.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Name, file, pattern (a regular expression that must match exactly once), replacement. If kernels
# follow, the mutation is only tried if the runner exercises at least one of them here.
MUTATIONS = [
    # Fills on one board: masks and steps
    ("directions: steps east wrap around the edge", "kernels/geometry/direction.rs",
     r"9 \| 1 \| -7 => !H_FILE", "9 | 1 | -7 => !A_FILE"),
    ("directions: south-west for north-east", "kernels/geometry/direction.rs",
     r"\[8, 9, 1, -7, -8, -9, -1, 7\]", "[8, 7, 1, -7, -8, -9, -1, 7]"),
    ("board: a dropped Kogge-Stone step", "kernels/any_cpu/kogge_stone.rs",
     r"g \|= p & shift\(g, 2 \* k\);", ""),
    ("board: a wrong shift of Kogge-Stone's propagators", "kernels/any_cpu/kogge_stone.rs",
     r"p &= shift\(p, 2 \* k\)", "p &= shift(p, k)"),
    ("board: x-rays through blockers outside the occupancy", "src/board.rs",
     r"& blockers & occupied;", "& blockers;"),
    ("board: pins by sliders of the other lines", "src/board.rs",
     r"if i % 2 == 0 \{ orthogonal", "if i % 2 == 1 { orthogonal"),
    ("between: includes a square itself", "kernels/geometry/between.rs",
     r"\(high - low\) & !low", "(high - low)"),
    ("between: antidiagonals one rank off", "kernels/geometry/between.rs",
     r"rank \+ file - 7", "rank + file - 8"),
    # Fills on vectors of boards (a u64 counts as a vector)
    ("fills: a dropped Kogge-Stone step", "kernels/generic/fills.rs",
     r"let g = g \| p & g\.steps\(direction, 2\);", ""),
    ("small batches and rays: a wrong shift of the fill", "kernels/generic/fills.rs",
     r"g\.steps\(direction, 2\)", "g.steps(direction, 1)"),
    ("fills: a wrong shift of Kogge-Stone's propagators", "kernels/generic/fills.rs",
     r"p & p\.steps\(direction, 2\)", "p & p.steps(direction, 1)"),
    ("rays: a wrong shift of the propagators", "kernels/generic/fills.rs",
     r"p & p\.steps\(direction, 1\)", "p & p.steps(direction, 2)"),
    ("rays: the fill wraps around the edge", "kernels/generic/fills.rs",
     r"let p = propagators & [^;]*;(?=\s*let g)", "let p = propagators;"),
    ("Dumb7Fill wraps around the edge", "kernels/generic/fills.rs",
     r"let p = propagators & [^;]*;(?=\s*let \(mut flood)", "let p = propagators;"),
    ("fills and attacks: a step too few", "kernels/generic/technique.rs",
     r"Self::fill\(direction, sliders, !occupied\)\.step\(direction\)",
     "Self::fill(direction, sliders, !occupied) & sliders.splat_board(direction.wrap_mask())"),
    ("small batches and rays: attacks wrap around the edge", "kernels/generic/board_vector.rs",
     r"self\.steps\(direction, 1\) & self\.splat_board\(direction\.wrap_mask\(\)\)", "self.steps(direction, 1)"),
    ("Dumb7Fill attacks: a cycle too few", "kernels/generic/technique.rs",
     r"dumb7\(direction, sliders, !occupied, 6\)", "dumb7(direction, sliders, !occupied, 5)"),
    ("Dumb7Fill: a cycle too few", "kernels/generic/technique.rs",
     r"dumb7\(direction, generators, propagators, 7\)", "dumb7(direction, generators, propagators, 6)"),
    ("rays: no step beyond the fill", "kernels/generic/technique.rs",
     r"KoggeStone::ray\(direction, sliders, occupied\)", "KoggeStone::fill(direction, sliders, !occupied)"),
    ("rays: westward by borrow, not reversed", "kernels/generic/technique.rs",
     r"B::West::attacks\(sliders, occupied\)", "B::east_attacks(sliders, occupied)"),
    ("gfni: north and south exchanged", "kernels/generic/technique.rs",
     r"let attacks = if D::UP \{", "let attacks = if !D::UP {", "avx2-gfni"),
    ("gfni: boards flipped over the wrong diagonal", "kernels/x86_64/gfni.rs",
     r"0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01", "0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80", "avx2-gfni"),
    ("avx512-gfni: the wrong units swapped", "kernels/x86_64/zmm.rs",
     r"opaque\(0xcccc_cccc_cccc_cccc\)", "opaque(0x3333_3333_3333_3333)", "avx512-gfni"),
    ("avx512-gfni: square indices in the wrong order", "kernels/x86_64/zmm.rs",
     r"i % 4 \* 8 \+ i / 4", "i", "avx512-gfni"),
    ("avx2: seven bits of a square count", "kernels/x86_64/ymm.rs",
     r"_mm_set1_epi8\(63\)", "_mm_set1_epi8(127)", "avx2"),
    # Directions of rays
    ("rays: in the opposite direction", "kernels/generic/rays.rs",
     r"Direction::SouthEast \| Direction::SouthWest => \{?\s*with!\(ConstDirection::<false, DIAGONAL>::of\(\$direction\)\)",
     "Direction::SouthEast | Direction::SouthWest => with!(ConstDirection::<false, DIAGONAL>::of($direction.opposite()))"),
    ("rays: west for east", "kernels/generic/rays.rs",
     r"Direction::West => with!\(WEST\)", "Direction::West => with!(EAST)", "ssse3", "neon"),
    ("directions: north-west to the wrong side", "kernels/geometry/direction.rs",
     r"NORTH_WEST: ConstDirection<true, DIAGONAL>", "NORTH_WEST: ConstDirection<false, DIAGONAL>"),
    # Borrow on one board
    ("borrow: no barrier", "kernels/generic/bytes.rs",
     r"\(occupied \| A_FILE\)\.wrapping_sub", "(occupied).wrapping_sub"),
    ("borrow: no final mask", "kernels/generic/bytes.rs",
     r"\(occupied \^ difference\) & !A_FILE", "occupied ^ difference"),
    ("borrow: forgets sliders outside the occupancy", "kernels/generic/bytes.rs",
     r"let occupied = occupied \| sliders;", "let _unchanged = occupied;"),
    # Rank slices
    ("east in vectors: the sliders not toggled back", "kernels/generic/rank_bytes.rs",
     r"others\.sub_bytes\(sliders\) \^ others \^ sliders", "others.sub_bytes(sliders) ^ others"),
    ("sse2: subtracts words: the borrow runs into the next rank", "kernels/x86_64/xmm.rs",
     r"_mm_sub_epi8\(self", "core::arch::x86_64::_mm_sub_epi16(self", "sse2"),
    ("avx2: wrong half unpacked", "kernels/x86_64/ymm.rs",
     r"unpacklo_epi8\(self\.0, other\.0\)\),\s*Self::new\(_mm256_unpackhi_epi8",
     "unpackhi_epi8(self.0, other.0)), Self::new(_mm256_unpacklo_epi8", "avx2"),
    ("westward: masks the h-file instead of the a-file", "kernels/generic/rank_bytes.rs",
     r"splat\(0x01\)", "splat(0x80)"),
    ("rank slices: west rays wrap around the edge", "kernels/generic/attacks.rs",
     r"\$west = \$west\.flood\(west_occupied, west_sliders\);",
     "let _ = (west_occupied, west_sliders); $west = $west.flood(occupied[$i], diagonal[$i]);"),
    ("rank slices: the last rank left out northward", "kernels/generic/attacks.rs",
     r"sweep!\(0: 1 2 3 4 5 6 7, ALONG\)", "sweep!(0: 1 2 3 4 5 6, ALONG)"),
    ("flipped rooks: the reversed borrow uses the wrong occupancy", "kernels/generic/technique.rs",
     r"let others = occupied & !sliders;", "let others = occupied;", "avx512-gfni", "avx2-gfni"),
    ("flipped rooks: drops what only the reversed borrow changes", "kernels/x86_64/zmm.rs",
     r"::<0x7e>", "::<0x3e>", "avx512-gfni"),
    ("diagonal sliders do not block orthogonal ones", "kernels/generic/attacks.rs",
     r"occupied\[i\] \| a\[i\] \| b\[i\]", "occupied[i] | a[i]"),
    ("rank slices: a selecting flood without the sliders", "kernels/generic/attacks.rs",
     r"if R::FLOOD_SELECTS", "if false", "xop", "neon"),
    ("west fill in a byte: a dropped step", "kernels/generic/rank_bytes.rs",
     r"\(g\.west::<4>\(\) & !blocked \| g\)\.west::<1>\(\)", "g.west::<1>()"),
    ("west by reversal: not reversed back", "kernels/generic/rank_bytes.rs",
     r"borrowed\.reverse\(\) \^", "borrowed ^", "ssse3", "neon"),
    ("xop-emulated: a wrong entry in VPPERM's table", "kernels/x86_64/vpperm.rs",
     r"\[0, 8, 4, 12, 2, 10,", "[0, 8, 12, 4, 2, 10,", "xop-emulated"),
    ("xop: selects every byte instead of the odd ones", "kernels/x86_64/vpperm.rs",
     r"selector\(1, 2, 0\)", "selector(1, 1, 0)", "xop"),
    ("xop: vpcmov with its sources swapped", "kernels/x86_64/vpperm.rs",
     r'"vpcmov", yes, no, mask', '"vpcmov", no, yes, mask', "xop"),
    ("xop-emulated: the inverting operations do not invert", "kernels/x86_64/vpperm.rs",
     r"bit_is_set\(0x20\)\)", "zero)", "xop-emulated"),
    ("form: a cycle too few", "src/techniques/dumb7fill.rs",
     r"cycles < 6", "cycles < 5"),
    ("form: south-east by the shift of south-west", "src/techniques/dumb7fill.rs",
     r"down = shift\(down, files - 8\)", "down = shift(down, -files - 8)"),
    ("form: psubb without pandn", "kernels/x86_64/whole_boards.rs",
     r"\(occupied & !sliders\)", "occupied"),
    ("form: west on ranks that are not reversed back", "src/techniques/borrow.rs",
     r"bytes::reverse\(east_attacks\(", "core::convert::identity(east_attacks("),
    ("form: vpperm's sign without its inversion", "src/techniques/hyperbola/vpperm.rs",
     r"_ => !sign", "_ => sign"),
    ("form: no carry from a byte's last bit", "src/techniques/adder.rs",
     r"g \| \(g << 4\) & p", "g"),
    ("form: the main diagonal of the wrong square", "src/techniques/hyperbola.rs",
     r"9 \* file", "8 * file"),
    ("squares: pshufb swaps one board only", "kernels/x86_64/hyperbola.rs",
     r"15, 14, 13, 12, 11, 10, 9, 8\);\n    let \[_, masks\]", "8, 9, 10, 11, 12, 13, 14, 15);\n    let [_, masks]", "ssse3"),
    ("squares: one of the four lines left out", "kernels/x86_64/hyperbola.rs",
     r"let \[one, other\] = halves\(_mm_or_si128\(\s*_mm256_castsi256_si128\(attacks\),\s*_mm256_extracti128_si256::<1>",
     "let [one, other] = halves(_mm_or_si128(_mm256_castsi256_si128(attacks), _mm256_extracti128_si256::<0>", "avx2"),
    ("neon: bsl with its sources swapped", "kernels/aarch64/register.rs",
     r"vbslq_u8\(occupied\.0, sliders\.0, self\.0\)", "vbslq_u8(occupied.0, self.0, sliders.0)",
     "neon"),
    ("simd128: westward shifts wrap, unmasked", "kernels/wasm32/register.rs",
     r"WEST_WRAPS: bool = true", "WEST_WRAPS: bool = false", "simd128"),
    ("gfni: a matrix that shifts one file too far", "kernels/x86_64/gfni.rs",
     r"from\[i\] \+= files;", "from[i] += files + 1;", "avx2-gfni"),
    # Rank slices in plain integers
    ("scalar: a wrong mask in the transposition", "kernels/generic/transpose.rs",
     r"0x0000_ffff_0000_ffff", "0x0000_ffff_0000_fffe"),
    ("portable: boards joined in the wrong order", "kernels/generic/plain_slices.rs",
     r"eight\[n\]\.store\(to\.add\(STRIDE \* n \+ i\)\)",
     "eight[n].store(to.add(STRIDE * (7 - n) + i))"),
    ("portable: no attacks along ranks", "kernels/generic/plain_slices.rs",
     r"attacks_along_ranks\(attacks, sliders, occupied\);", ""),
    ("portable: sliders of the block before", "kernels/generic/plain_slices.rs",
     r"slice\(inputs\[n\], &mut sets\[n\]\);",
     "if n > 0 || left == boards { slice(inputs[n], &mut sets[n]); }"),
    ("portable: attacks ORed into the old contents", "kernels/generic/plain_slices.rs",
     r"\*result = \[\[0; STRIDE\]; 8\];", "let _ = result;"),
    ("portable: sliders that do not block", "kernels/generic/plain_slices.rs",
     r"\*occupied \|= sliders;", "let _ = (&occupied, sliders);"),
    ("portable: diagonal rays wrap around the edge", "kernels/any_cpu/portable.rs",
     r"self << 1", "self.rotate_left(1)"),
    # Streaming
    ("streaming: results after the last cache line not copied", "kernels/generic/reentry.rs",
     r"bytes - last\)", "0 * (bytes - last))", "avx2"),
    ("streaming: no peeling to an aligned start", "kernels/generic/reentry.rs",
     r"if done > 0 \{", "if false {", "avx2"),
    ("streaming: a cache line left out", "kernels/x86_64/nontemporal.rs",
     r"0\.\.2 \* lines", "0..2 * lines.saturating_sub(1)", "avx2"),
    # Batches of positions
    ("positions: the words of a pair swapped", "kernels/generic/maps_and_checks.rs",
     r"\[low, high\]\n\}", "[high, low]\n}", "avx2"),
    ("positions: the last column does not block", "kernels/generic/sliced_maps.rs",
     r"for kind in 0\.\.6 \{\n                    // SAFETY: the caller's contract: vector", "for kind in 0..5 {\n                    // SAFETY: the caller's contract: vector", "avx2"),
    ("columns: threats do not need rooks", "kernels/generic/sliced_maps.rs",
     r"kind < 4 &&", "kind < 3 &&"),
    ("columns: absent slider columns leave the others without occupancy", "kernels/generic/sliced_maps.rs",
     r"side\[BISHOPS\.\.=QUEENS\]", "side[ROOKS..=QUEENS]", "avx2"),
    ("columns: the remainder overwrites the first block", "kernels/generic/reentry.rs",
     r"copy_boards\(set\.as_ptr\(\), to\.add\(first\), boards\)", "copy_boards(set.as_ptr(), to, boards)"),
    ("positions: Black's results are White's", "kernels/generic/reentry.rs",
     r"R::load\(pinned\.add\(CHUNK \+ at\)\)", "R::load(pinned.add(at))", "avx2"),
    # One board
    ("one board in general registers: arguments in the wrong order", "kernels/generic/one_board.rs",
     r"Borrow::rook\(rooks, occupied\)", "Borrow::rook(occupied, rooks)"),
    ("one board on avx2: a step left out", "kernels/x86_64/variable_shifts.rs",
     r"g\[i\] = \$or\(g\[i\], \$and\(p, \$up\(g\[i\], k\)\)\);", "if step < 2 { g[i] = $or(g[i], $and(p, $up(g[i], k))); }", "avx2"),
    ("one board on avx2: downward rays wrap", "kernels/x86_64/variable_shifts.rs",
     r"\$and\(enter_down, \$down\(h\[i\], k\)\)", "$down(h[i], k)", "avx2"),
    ("one board on avx2: queens do not block bishops", "kernels/x86_64/variable_shifts.rs",
     r"set1_epi64x\(\(occupied \| bishops \| rooks \| queens\)", "set1_epi64x((occupied | bishops | rooks)", "avx2"),
    ("one board on avx2: a knight's move wraps", "kernels/x86_64/variable_shifts.rs",
     r"\[NOT_H, NOT_A, NOT_GH, NOT_AB\]", "[NOT_H, NOT_A, NOT_GH, !0]", "avx2"),
    ("one board on avx2: attacks from different lanes are not united", "kernels/x86_64/variable_shifts.rs",
     r"_mm_or_si128\(_mm_or_si128\(c, d\), _mm_and_si128\(a, b\)\)", "_mm_or_si128(c, d)", "avx2"),
    ("one board in two kinds: queens move as rooks", "kernels/generic/one_board.rs",
     r"\[bishops, rooks, diagonal \| orthogonal\]", "[bishops, rooks, orthogonal]", "sse2", "neon", "simd128"),
    ("one side: kings are not in the union", "kernels/generic/one_board.rs",
     r"all: pawns \| knights \| bishops \| rooks \| queens \| kings,", "all: pawns | knights | bishops | rooks | queens,"),
    ("one side: pawns of the wrong side", "kernels/geometry/leapers.rs",
     r"\(side as u64\)\.wrapping_sub\(1\)", "(1 - side as u64).wrapping_sub(1)"),
    ("one side: once is enough", "kernels/generic/one_board.rs",
     r"twice \| once & set\]", "twice | set & !once]"),
    ("one side: a word is loaded twice", "kernels/generic/one_board.rs",
     r"\.add\(i\)\.read_volatile\(\)", ".add(i % 5).read_volatile()"),
    ("one board on avx512-gfni: a step left out", "kernels/x86_64/variable_shifts.rs",
     r"g = \$or\(g, \$and\(p, \$rotate\(g, k\)\)\);", "if step < 2 { g = $or(g, $and(p, $rotate(g, k))); }", "avx512-gfni"),
    ("one board on avx512-gfni: rooks move as bishops", "kernels/x86_64/variable_shifts.rs",
     r"0b0101_0101", "0b1010_1010", "avx512-gfni"),
    ("one board on avx2-gfni: files of the wrong half", "kernels/x86_64/variable_shifts.rs",
     r"_mm_unpackhi_epi64\(along_files\.0, along_files\.0\)", "_mm_unpacklo_epi64(along_files.0, along_files.0)", "avx2-gfni"),
    # Kernels that work slider by slider, and look-ups
    ("leapers: knights wrap around the edge", "kernels/generic/leapers.rs",
     r"& knights\.splat_board\(NOT_AB\)", ""),
    ("leapers: kings do not attack beside themselves", "kernels/generic/leapers.rs",
     r"sides \| row\.steps\(NORTH, 1\)", "row.steps(NORTH, 1)"),
    ("leapers: pawns of the other side", "kernels/geometry/position.rs",
     r"number\.is_multiple_of\(2\)", "!number.is_multiple_of(2)"),
    ("slider by slider: the other half of the line", "kernels/generic/per_slider.rs",
     r"if D::UP \{ above", "if !D::UP { above"),
    ("slider by slider: fills include the blockers", "kernels/generic/per_slider.rs",
     r"!propagators\) & propagators", "!propagators)"),
    ("switch: tests begin with the second square", "kernels/any_cpu/switch/generate.rs",
     r"\.take\(n\)", ".take(n.max(2))", "switch"),
    ("magic: every square uses the first square's part of the table", "kernels/any_cpu/magic.rs",
     r"self\.first as usize \+", "0 *", "magic"),
    ("pext: mask and occupancy swapped", "kernels/x86_64/pext.rs",
     r"pext\(occupied, mask\)", "pext(mask, occupied)", "pext"),
    # Blocks and remainders
    ("blocks: less than a vector counts as a block", "kernels/generic/rank_slices.rs",
     r"while boards - done > Op::MAX_UNSLICED_VECTORS \* R::BOARDS \{", "while boards - done > 0 {", "avx2", "neon", "simd128"),
    ("tail: the last vector beyond the end", "kernels/generic/rank_slices.rs",
     r"\.min\(left - R::BOARDS\)", ".min(left - R::BOARDS + 1)"),
    ("tail: a read one word beyond the end", "kernels/generic/rank_slices.rs",
     r"let results = op\.slices\(sets\);",
     "black_box(inputs[0].add(done + offsets[7] + R::BOARDS).read_volatile()); "
     "let results = op.slices(sets);"),
    ("tail: the first board left out", "kernels/generic/rank_slices.rs",
     r"for i in boards \{", "for i in boards.skip(1) {"),
    ("tail: the last vector but one left out", "kernels/generic/rank_slices.rs",
     r"while done < boards \{(?=\s*let left)",
     "while done < boards { "
     "if (1 + R::BOARDS..=2 * R::BOARDS).contains(&(boards - done)) { done += R::BOARDS; }"),
    ("whole boards: a partial vector treated as whole", "kernels/generic/rank_slices.rs",
     r"while boards - done >= R::BOARDS(?= \{[^{}]*\{\s*let mut sets = \[R)", "while done < boards"),
    ("whole boards: the first result stored twice", "kernels/generic/rank_slices.rs",
     r"results\[m\]\.store_some", "results[0].store_some"),
    ("rays: a partial vector has sliders for blockers", "kernels/generic/rank_slices.rs",
     r"load_some\(inputs\[n\]", "load_some(inputs[0]"),
    ("avx512-gfni, partial vector: one board too few", "kernels/x86_64/zmm.rs",
     r"_mm512_mask_storeu_epi64\(to\.cast\(\), first\(boards\)",
     "_mm512_mask_storeu_epi64(to.cast(), first(boards - 1)", "avx512-gfni"),
    ("avx512-gfni, partial vector: one board too many", "kernels/x86_64/zmm.rs",
     r"\(\(1u32 << boards\) - 1\) as u8", "((2u32 << boards) - 1) as u8", "avx512-gfni"),
    ("avx512-gfni, partial vector: reads all of it", "kernels/x86_64/zmm.rs",
     r"_mm512_maskz_loadu_epi64\(first\(boards\), from", "_mm512_loadu_si512(from", "avx512-gfni"),
    ("avx2, partial vector: one board too few", "kernels/x86_64/ymm.rs",
     r"_mm256_maskstore_epi64\(to\.cast\(\), first\(boards\)",
     "_mm256_maskstore_epi64(to.cast(), first(boards - 1)", "avx2"),
    ("avx2, partial vector: one board too many", "kernels/x86_64/ymm.rs",
     r"\(0, 1, 2, 3\)", "(-1, 0, 1, 2)", "avx2"),
    ("avx2, partial vector: reads all of it", "kernels/x86_64/ymm.rs",
     r"_mm256_maskload_epi64\(from\.cast\(\), first\(boards\)\)",
     "_mm256_loadu_si256(from.cast())", "avx2"),
    ("sse2, partial vector: reads all of it", "kernels/x86_64/xmm.rs",
     r"_mm_loadl_epi64\(from", "_mm_loadu_si128(from", "sse2"),
    ("sse2, partial vector: writes all of it", "kernels/x86_64/xmm.rs",
     r"_mm_storel_epi64\(to", "_mm_storeu_si128(to", "sse2"),
    ("neon, partial vector: writes all of it", "kernels/aarch64/register.rs",
     r"vst1_u8\(to\.cast\(\), vget_low_u8\(self\.0\)\)", "vst1q_u8(to.cast(), self.0)", "neon"),
    ("simd128, partial vector: reads all of it", "kernels/wasm32/register.rs",
     r"v128_load64_zero\(from\)", "v128_load(from.cast())", "simd128"),
    # Chunks of single boards
    ("chunks: wrong squares", "kernels/generic/each_board.rs",
     r"0\.\.count \{\s*sliders\[i\] = 1 << \(squares", "0..count { sliders[i] = 1 << (1 ^ squares"),
    ("chunks: the last board not copied", "kernels/generic/each_board.rs",
     r"copy_from_nonoverlapping\(bytes, 8 \* count\)",
     "copy_from_nonoverlapping(bytes, 8 * (count - 1))"),
    ("chunks: the padding overwrites the last board", "kernels/generic/each_board.rs",
     r"set\.add\(count\)", "set.add(count - 1)"),
    ("chunks: boards after the last eight left out", "kernels/generic/each_board.rs",
     r"count\.next_multiple_of\(8\)", "count"),
    ("the two sets of sliders do not block each other", "kernels/generic/attacks.rs",
     r"occupied \| orthogonal \| diagonal;(?=\s*\[T::slider)", "occupied | orthogonal;"),
    ("split: the two sets of sliders do not block each other", "kernels/generic/attacks.rs",
     r"occupied \| orthogonal \| diagonal;(?=\s*\[T::rook)", "occupied | diagonal;"),
    ("counts: every chunk uses the first one's targets", "kernels/generic/reentry.rs",
     r"targets\.add\(done\)", "targets"),
    ("counts: includes squares outside the targets", "kernels/generic/reentry.rs",
     r"read_unaligned\(\) & b", "read_unaligned() | b"),
    # X-rays, pins, squares
    ("x-rays by rays: through blockers outside the occupancy", "kernels/generic/xray.rs",
     r"transparent = blockers & occupied;", "transparent = blockers;"),
    ("x-rays by rays: through opaque pieces", "kernels/generic/xray.rs",
     r"occupied\) & transparent;", "occupied) | transparent;"),
    ("pins by rays: includes the other side's pieces", "kernels/generic/xray.rs",
     r"sliders, occupied\) & own;", "sliders, occupied);"),
    ("pins by rays: sliders of the other lines", "kernels/generic/xray.rs",
     r"if is_orthogonal \{", "if !is_orthogonal {"),
    ("x-rays: the second flood passes blockers", "kernels/generic/xray.rs",
     r"self\.second & !occupied \|", "self.second |", "avx2", "neon", "simd128"),
    ("x-rays: wrap around the edge westward", "kernels/generic/xray.rs",
     r"let \(west_transparent, _\) = westward\(transparent\[i\], occupied\[i\]\);",
     "let west_transparent = transparent[i];", "avx2"),
    ("pins: a wrong pair of diagonals", "kernels/generic/xray.rs",
     r"east\.first & met\[2\]", "east.first & met[1]", "avx2", "neon", "simd128"),
    ("squares: the eighth rank left out along the rank", "kernels/generic/from_square.rs",
     r"for i in 1\.\.8", "for i in 1..7", "sse2", "neon", "simd128"),
    ("squares: the last block uses the wrong squares", "kernels/generic/rank_slices.rs",
     r"squares\.add\(offsets\[v\]\)", "squares.add(v * R::BOARDS)", "sse2", "neon", "simd128"),
    ("squares: halves of a vector swapped", "kernels/x86_64/ymm.rs",
     r"0b11_01_10_00", "0b11_10_01_00", "avx2"),
    ("squares: files e to h taken for a to d", "kernels/x86_64/xmm.rs",
     r"\(4, 4\)", "(4, 0)", "sse2"),
    ("a line from squares: every vector uses the first one's squares", "kernels/generic/rank_slices.rs",
     r"R::of_squares\(squares\.add\(done\)\)", "R::of_squares(squares)", "sse2", "neon", "simd128"),
    ("squares that a kernel does not slice are not computed", "kernels/generic/rank_slices.rs",
     r"attacks, done\.\.boards\) \};", "attacks, boards..boards) };", "ssse3"),
    # The list of operations, entry points, methods
    ("the list: x-rays of bishops for those of rooks", "kernels/operations.rs",
     r"= XRAY_ROOK;", "= XRAY_BISHOP;"),
    ("the list: attacks for fills", "kernels/operations.rs",
     r"= Fill;", "= Ray;"),
    ("the list: bishops counted for rooks", "kernels/operations.rs",
     r"= rook_attacks;", "= bishop_attacks;"),
    ("the list: bishops for rooks on one board", "kernels/operations.rs",
     r"= rook;", "= bishop;"),
    ("entry points: rays in the opposite direction", "kernels/entry_points.rs",
     r"Direction::from_index\(\$direction\)", "Direction::from_index($direction).opposite()"),
    ("methods: an input's length is not checked", "src/operations.rs",
     r"\$\(check_lengths!\(@ \$input, boards, outputs\);\)\*", "let _ = outputs;"),
    ("methods: an input may be longer", "src/operations.rs",
     r"\$slice\.len\(\) != \$boards", "$slice.len() < $boards"),
    ("methods: attacks along a line include the other line", "src/operations.rs",
     r"attacks & line_of\(line, square\.number\(\)\)", "attacks"),
    ("a root function with a fixed kernel", "src/operations.rs",
     r"Kernel::active\(\)\.\$name\(",
     '(if stringify!($name) == "rook_attacks" { Kernel::by_name("scalar").unwrap() } '
     "else { Kernel::active() }).$name("),
    # Detection, which the library's unit tests check with made-up CPUs and systems
    ("detect: SSSE3 by the wrong bit", "src/detect/x86.rs",
     r"bit\(self\.leaf1_ecx, 9\)", "bit(self.leaf1_ecx, 10)"),
    ("detect: AVX-512 without FMA and F16C", "src/detect/x86.rs",
     r"avx2 && fma_and_f16c &&", "avx2 &&"),
    ("detect: AVX-512 without F16C", "src/detect/x86.rs",
     r"bit\(self\.leaf1_ecx, 12\) && bit\(self\.leaf1_ecx, 29\)", "bit(self.leaf1_ecx, 12)"),
    ("detect: AVX-512 without FMA", "src/detect/x86.rs",
     r"bit\(self\.leaf1_ecx, 12\) && bit\(self\.leaf1_ecx, 29\)", "bit(self.leaf1_ecx, 29)"),
    ("detect: ignores what the system saves", "src/detect/x86.rs",
     r"self\.xcr0 & states == states", "states != 0"),
    ("detect: the system need only save some of the state", "src/detect/x86.rs",
     r"self\.xcr0 & states == states", "self.xcr0 & states != 0"),
    ("detect: AVX without OSXSAVE", "src/detect/x86.rs",
     r"bit\(self\.leaf1_ecx, 28\) && bit\(self\.leaf1_ecx, 27\) &&", "bit(self.leaf1_ecx, 28) &&"),
    ("detect: AVX without AVX's bit", "src/detect/x86.rs",
     r"bit\(self\.leaf1_ecx, 28\) && bit\(self\.leaf1_ecx, 27\) &&", "bit(self.leaf1_ecx, 27) &&"),
    ("detect: AVX2 without AVX", "src/detect/x86.rs",
     r"avx && bit\(self\.leaf7_ebx, 5\)", "bit(self.leaf7_ebx, 5)"),
    ("detect: AVX-512's masks need not be saved", "src/detect/x86.rs",
     r"0b1110_0110", "0b1100_0110"),
    ("detect: AVX-512's upper registers need not be saved", "src/detect/x86.rs",
     r"0b1110_0110", "0b0110_0110"),
    ("detect: AVX-512's upper halves need not be saved", "src/detect/x86.rs",
     r"0b1110_0110", "0b1010_0110"),
    ("detect: BW by VL's bit", "src/detect/x86.rs",
     r'"avx512bw" => avx512 && bit\(self\.leaf7_ebx, 30\)', '"avx512bw" => avx512 && bit(self.leaf7_ebx, 31)'),
    ("detect: VL by BW's bit", "src/detect/x86.rs",
     r'"avx512vl" => avx512 && bit\(self\.leaf7_ebx, 31\)', '"avx512vl" => avx512 && bit(self.leaf7_ebx, 30)'),
    ("detect: VBMI by VBMI2's bit", "src/detect/x86.rs",
     r"bit\(self\.leaf7_ecx, 1\)", "bit(self.leaf7_ecx, 6)"),
    ("detect: GFNI by VAES' bit", "src/detect/x86.rs",
     r"bit\(self\.leaf7_ecx, 8\)", "bit(self.leaf7_ecx, 9)"),
    ("detect: XOP of any vendor", "src/detect/x86.rs",
     r'avx && self\.vendor == \*b"AuthenticAMD" && bit', "avx && bit"),
    ("detect: XOP by the wrong bit", "src/detect/x86.rs",
     r"bit\(self\.extended_ecx, 11\)", "bit(self.extended_ecx, 12)"),
    ("detect: XOP without AVX", "src/detect/x86.rs",
     r'avx && self\.vendor == \*b"AuthenticAMD"', 'self.vendor == *b"AuthenticAMD"'),
    ("detect: BMI2 on Intel CPUs without AVX", "src/detect/x86.rs",
     r"bit\(self\.leaf7_ebx, 8\) && !no_bmi", "bit(self.leaf7_ebx, 8)"),
    ("detect: pext is slow on Zen 3", "src/detect/x86.rs",
     r"family < 0x19", "family <= 0x19"),
    ("detect: pext is fast on Hygon CPUs", "src/detect/x86.rs",
     r'\[\*b"AuthenticAMD", \*b"HygonGenuine"\]', '[*b"AuthenticAMD", *b"AuthenticAMD"]'),
    ("detect: pext needs SSE2", "kernels/x86_64/pext.rs",
     r'features: \["bmi2"\]', 'features: ["sse2"]'),
    ("detect: AVX-512 on macOS only after its first use", "src/detect/x86.rs",
     r"xcr0 \| ALSO_ZMM", "xcr0"),
    ("detect: AVX-512 on macOS without AVX", "src/detect/x86.rs",
     r"xcr0 & SSE_AND_YMM == SSE_AND_YMM && zmm_on_demand\(\)", "zmm_on_demand()"),
    ("detect: AVX-512 on a macOS that loses mask registers", "src/detect/macos.rs",
     r"\(21, 3\)", "(21, 2)"),
    # Dispatch
    ("dispatch: a kernel that is not what its name says", "kernels/any_cpu/kogge_stone.rs",
     r"EachBoard<KoggeStone>", "EachBoard<Borrow>"),
    ("dispatch: the worst kernel is chosen", "src/choice.rs",
     r"Kernel::available\(\)\s*\.find\(", "Kernel::available().collect::<Vec<_>>().into_iter().rev().find("),
    ("dispatch: the first choice undoes an activation", "src/active.rs",
     r"ACTIVE\.compare_exchange\(\s*null_mut\(\),",
     "ACTIVE.compare_exchange(ACTIVE.load(Ordering::Relaxed),"),
    ("dispatch: spaces in a list of kernels count", "src/choice.rs",
     r"\.map\(<\[u8\]>::trim_ascii\)", ""),
    ("dispatch: a kernel is last where it is fast", "src/catalogue.rs",
     r"detect::has\(cpu\)", "!detect::has(cpu)", "pext"),
    ("dispatch: the program's kernel, not the environment's", "src/choice.rs",
     r"by_variable\.or\(self\.force\)\?", "self.force.or(by_variable)?"),
    ("dispatch: a vertical tab is white space", "src/choice.rs",
     r"<\[u8\]>::trim_ascii",
     r'|name| { let name = name.trim_ascii(); name.strip_prefix(b"\x0b").unwrap_or(name) }'),
    ("dispatch: the program may exclude unknown kernels", "src/choice.rs",
     r"by_program\.chain\(by_variable\)", "by_program.take(0).chain(by_variable)"),
    ("dispatch: the program's list of kernels has one name", "src/choice.rs",
     r"each_name\(self\.exclude_list\)\.any", "each_name(self.exclude_list).take(1).any"),
    ("fastest: the slowest", "src/fastest.rs", r"min_by_key", "max_by_key"),
    ("fastest: the last run counts", "src/fastest.rs", r"\.min\(\*shortest\)", ""),
    # Parsing of positions, which the tests of its package check
    ("input: 500 bytes are the sample of text", "crates/positions/src/format.rs",
     r"min\(512\)", "min(500)"),
    ("input: records of 33 pieces", "crates/positions/src/record.rs",
     r"\(1\.\.=32\)\.contains", "(1..=33).contains"),
    ("input: a failure loses the lines before it", "crates/positions/src/blocks.rs",
     r"Err\(failure\) => self\.failure = Some\(failure\),", "Err(failure) => return Err(failure),"),
    ("input: a failure is the end of the stream", "crates/positions/src/blocks.rs",
     r"return Err\(failure\);", "let _ = failure; self.has_ended = true; return Ok(());"),
    ("input: a failure hides the format", "crates/positions/src/format.rs",
     r"Err\(error\) => \{\s*let is_text", "Err(error) => { return Err(error); #[allow(unreachable_code)] let is_text"),
    ("input: a counter may end in anything", "crates/positions/src/fen_fields.rs",
     r"word\.iter\(\)\.all\(u8::is_ascii_digit\)", "word[0].is_ascii_digit()"),
    ("input: no comment follows a field at once", "crates/positions/src/fen_fields.rs",
     r"byte\.is_ascii_whitespace\(\) \|\| matches!\(byte, b';' \| b'\|' \| b'\['\)",
     "byte.is_ascii_whitespace()"),
    ("input: operations need a semicolon", "crates/positions/src/fen_fields.rs",
     r" \|\| is_opcode\(first\)", ""),
    ("input: a dash is no counter", "crates/positions/src/fen_fields.rs",
     r'b"-" => Form::Dash', 'b"-" => Form::End'),
    ("input: NUL at a line's end is an error", "crates/positions/src/lines.rs",
     r"0 \| 0x1a\] = line", "0x1a] = line"),
    ("input: records are taken for text with a NUL", "crates/positions/src/format.rs",
     r"fens\.len\(\) >= others\.len\(\)", "true"),
    ("input: plain scores are White's", "crates/positions/src/batch.rs",
     r"let is_black = fen\.side\(\) == Some\(Side::Black\);", "let is_black = false;"),
    # The command line
    ("cli: zero bytes after gzip are data", "crates/positions/src/compressed.rs",
     r"peek\(&mut rest\)\? == Some\(0\)", "false"),
    ("cli: no warning of garbage after gzip", "crates/positions/src/compressed.rs",
     r"\(self\.garbage\)\(\);", ""),
    ("cli: garbage after gzip is data by its first byte", "crates/positions/src/compressed.rs",
     r"first == GZIP\[0\] && peek\(&mut rest\)\? == Some\(GZIP\[1\]\)", "first == GZIP[0]"),
    ("cli: a position without e gives its values to the next", "crates/positions/src/batch.rs",
     r"self\.fen\.is_some\(\) && matches!", "false && matches!"),
    ("cli: the first piece of a stream decides what it is", "crates/cli/src/input.rs",
     r"read_line\(&mut stream, &mut start\);", ""),
    ("cli: only one kind of skippable frame", "crates/positions/src/compressed.rs",
     r"0x50\.\.=0x5f", "0x50..=0x50"),
    ("cli: reads that fail lose much", "crates/positions/src/compressed.rs",
     r"zstd::Decoder::new\(whole\)\?, 1024", "zstd::Decoder::new(whole)?, usize::MAX"),
    # Limits, masks and orders: one side, mobility, trials, saved runs, bounds, input files
    ("one side: queens are not counted in their rays", "kernels/generic/one_board.rs",
     r"let sliders = \$sliders \| queens;", "let sliders = $sliders;"),
    ("one side: sliders that are not in the occupancy do not block", "kernels/generic/one_board.rs",
     r"let occupied = occupied \| bishops \| rooks \| queens;(?=\s*\[\n)", ""),
    ("one side: a knight's move that goes two squares west twice", "kernels/generic/one_board.rs",
     r"NorthWest: West North;", "NorthWest: West West;"),
    ("one side: the edge masks of downward knight moves are the upward ones",
     "kernels/x86_64/variable_shifts.rs",
     r"\[NOT_H, NOT_A, NOT_GH, NOT_AB\]", "[NOT_A, NOT_H, NOT_AB, NOT_GH]", "avx2"),
    ("leapers: the mask of two files has one", "kernels/geometry/leapers.rs",
     r"NOT_H & NOT_H >> 1", "NOT_H"),
    ("one side: a set beyond the pieces is read", "kernels/generic/one_board.rs",
     r"\*set = unsafe \{ sets",
     "*set = unsafe { core::hint::black_box(sets.cast::<u64>().add(i + 1).read_volatile()); sets"),
    ("columns: a set beyond each column is read", "kernels/generic/reentry.rs",
     r"unsafe \{ copy_boards\(from\.add\(first\), sets",
     "unsafe { core::hint::black_box(from.add(first + boards).read_unaligned()); copy_boards(from.add(first), sets"),
    ("mobility: several sliders count squares outside the targets", "src/operations.rs",
     r"\(\*attacks & targets\)\.count_ones\(\)", "attacks.count_ones()"),
    ("mobility: few sliders count squares outside the targets", "src/operations.rs",
     r"\(square, occupied\) & targets\)", "(square, occupied) | targets & 0)"),
    ("columns: the unions are computed without attacks", "kernels/generic/sliced_maps.rs",
     r" \|\| !columns\.all\[side\]\.is_null\(\) \|\| threatens", " || threatens"),
    ("columns: rooks threaten rooks", "kernels/generic/sliced_maps.rs",
     r"minor & other_rooks", "(minor | rooks) & other_rooks", "avx2"),
    ("dispatch: avx2 before avx2-gfni", "kernels/mod.rs",
     r"x86_64::avx2_gfni::KERNEL,\s*x86_64::avx2::KERNEL,",
     "x86_64::avx2::KERNEL, x86_64::avx2_gfni::KERNEL,"),
    ("dispatch: ssse3 before sse2", "kernels/mod.rs",
     r"x86_64::sse2::KERNEL,([^,]*,[^,]*,)\s*x86_64::ssse3::KERNEL,",
     "x86_64::ssse3::KERNEL, x86_64::sse2::KERNEL, "
     "if VECTORS { any_cpu::portable::KERNEL } else { any_cpu::scalar::KERNEL }, "
     "if VECTORS { any_cpu::scalar::KERNEL } else { any_cpu::portable::KERNEL },"),
    ("cli: the output of --record position in JSON is not recognised", "crates/cli/src/kind.rs",
     r' \|\| has\(b"\\"white_"\)', ""),
    ("cli: CSV after a byte order mark is not recognised", "crates/cli/src/kind.rs",
     r'start\.strip_prefix\(b"\\xef\\xbb\\xbf"\)\.unwrap_or\(start\)', "start"),
    ("cli: columns of a side are not those of the output", "crates/cli/src/kind.rs",
     r'\["white_", "black_"\]\.into_iter\(\)', '["none_"].into_iter()'),
    ("cli: texts of a run are markup in the drawing", "crates/measure/src/drawing.rs",
     r"\.replace\('<', \"&lt;\"\)", ""),
    ("cli: special files are replaced", "crates/cli/src/output/atomic_file.rs",
     r"\|existing\| !existing\.is_file\(\)", "|_| false"),
    ("cli: a table of any length is read", "crates/endgame/src/file/reader.rs",
     r"LONGEST_PAYLOAD\[4\] / 256 \* 257", "u64::MAX"),
    ("endgame: the default is any number of threads", "crates/endgame/src/generate.rs",
     r"\.min\(MAX_THREADS\)", ""),
    ("cli: records in the order in which threads end", "crates/cli/src/pipeline.rs",
     r"\*turn != ticket", "false"),
    ("cli: a signal leaves temporary files", "crates/cli/src/output/atomic_file.rs",
     r"let _ = fs::remove_file\(path\);", "let _ = path;"),
    ("cli: TSV is not recognised by its header", "crates/cli/src/kind.rs",
     r'b",\\t;"', 'b",;"'),
    ("cli: an extension in upper case is unknown", "crates/cli/src/output/mod.rs",
     r"\.to_str\(\)\?\.to_ascii_lowercase\(\)", ".to_str()?.to_owned()"),
    # Threats
    ("threats: pairs of empty squares count", "kernels/geometry/threats.rs",
     r"pairs\[attacker\] & rules\.pieces;", "pairs[attacker];"),
    ("threats: two diagonal neighbours one rank apart too far", "kernels/generic/threats/portable.rs",
     r"\[8, 9, 1, 7\]\[ray % 4\]", "[8, 9, 1, 9][ray % 4]"),
    ("threats: those of the mover removed twice by a capture", "kernels/generic/threats/portable.rs",
     r"\(captured, to\), occupied, seen_to, from,", "(captured, to), occupied, seen_to, NONE,"),
    ("threats: other boards' threats through pieces", "kernels/generic/threats/portable.rs",
     r"&& between\(from, to\) & occupied == 0", ""),
    ("threats: the square left does not block behind the target", "kernels/generic/threats/view.rs",
     r"at_to\.squares, from, kind::BLOCKER\)", "at_to.squares, from, 0)"),
    ("threats: the target does not block what the mover leaves", "kernels/generic/threats/view.rs",
     r"at_from\.squares, to, kind::BLOCKER\)", "at_from.squares, to, 0)"),
    ("threats: sliders through a square see their own ray", "kernels/generic/threats/view.rs",
     r"pieces >> 4 \| pieces << 4", "pieces"),
    ("threats: pawns attack backwards", "kernels/generic/threats/view.rs",
     r"steppers\(ray \^ 4\)", "steppers(ray)"),
    ("threats: a piece that takes its like is an ordinary capture", "kernels/generic/threats/view.rs",
     r"\(captured == placed \|\| from == to\)", "from == to"),
    ("threats: the last board's vectors pass the end", "kernels/generic/threats/view.rs",
     r"capacity - end >= 435", "capacity - end >= 420"),
    ("threats: the squares of the next board overwrite this one's", "kernels/generic/threats/view.rs",
     r"squares\[\(i \+ 1\) % 2\]", "squares[i % 2]"),
    ("threats: kings capture protected pieces", "kernels/generic/threats/exchange.rs",
     r"if attacking & !side != 0", "if attacking & !side == !0"),
    ("threats: en passant takes on the rank of the target", "kernels/generic/threats/exchange.rs",
     r"from & 0x38 \| to & 7", "to & 0x38 | from & 7"),
    ("threats: the nearest piece's borrow runs into the next ray", "kernels/generic/threats/exchange.rs",
     r"\(shifted \| JUMPS << 7\) - JUMPS", "shifted.wrapping_sub(JUMPS)"),
    ("threats: avx2: the wrong half of the board", "kernels/x86_64/threats_avx2.rs",
     r"_mm256_slli_epi16::<3>\(squares\)", "_mm256_slli_epi16::<4>(squares)", "avx2"),
    ("threats: avx2: the lanes of an exchange not in order", "kernels/x86_64/threats_avx2_exchange.rs",
     r"_mm256_permute2x128_si256::<0x31>\(a, b\)", "b", "avx2"),
    ("threats: avx2: rays to the north-west count from the other end", "kernels/x86_64/threats_avx2_batch.rs",
     r"matches!\(RAY, 0\.\.3 \| 7\)", "matches!(RAY, 0..3)", "avx2"),
    ("threats: avx2: entries beyond the last are kept", "kernels/x86_64/threats_avx2_batch.rs",
     r"if left < 16 \{ \(1 << left\) - 1 \} else \{ 0xffff \}", "{ let _ = left; 0xffff }", "avx2"),
    ("threats: avx2: only four knights", "kernels/x86_64/threats_avx2_batch.rs",
     r"while knights != 0 \{", "if knights != 0 {", "avx2"),
    ("threats: ssse3: the upper half of the board", "kernels/x86_64/threats_ssse3.rs",
     r"squares\.and\(Xmm::splat\(32\)\)", "squares.and(Xmm::splat(64))", "ssse3"),
    ("threats: ssse3: the jumps follow too early", "kernels/generic/threats/quad.rs",
     r"let list = list\.add\(Self::count\(mask & 0xff\)\);", "let list = list.add(Self::count(mask & 0x0f));", "ssse3"),
    ("threats: avx512-gfni: squares beyond the edge", "kernels/x86_64/threats_avx512.rs",
     r"_mm512_maskz_shuffle_epi8\(on_board, table\(&rules\.kinds\), codes\)",
     "{ let _ = on_board; _mm512_shuffle_epi8(table(&rules.kinds), codes) }", "avx512-gfni"),
    ("threats: avx512-gfni: more knights than there are", "kernels/x86_64/threats_avx512_batch.rs",
     r"if left < 8 \{ \(1 << \(8 \* left\)\) - 1 \} else \{ !0 \}", "!0", "avx512-gfni"),
]


def copy_tree(to):
    """Copies the working tree: tracked and untracked files, but not ignored ones."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            # Not copy2, because cargo ignores a changed file that keeps an old modification time.
            shutil.copy(ROOT / name, to / name)


class Failure(Exception):
    """Raised if the mutation does not apply or does not compile."""


def mutated(tree, file, pattern, replacement):
    """A file's text before and after the mutation."""
    path = tree / file
    if not path.is_file():
        raise Failure(f"{file} does not exist")
    before = path.read_text()
    matches = len(re.findall(pattern, before))
    if matches != 1:
        raise Failure(f"{file} must match {pattern} once, matches {matches} times")
    return before, re.sub(pattern, lambda _: replacement, before)


def cargo(tree, target, package, *arguments, timeout, **variables):
    environment = dict(os.environ, CARGO_TARGET_DIR=str(target), CARGO_PROFILE_TEST_DEBUG="0",
                       SETWISE_TEST_SEED="1")
    for name in ("FORCE_KERNEL", "DISABLE", "TEST_BUDGET", "TEST_EMULATE", "EXPECT_ACTIVE",
                 "EXPECT_EXERCISED"):
        environment.pop(f"SETWISE_{name}", None)
    command = ["cargo", *arguments[:1], *package, *arguments[1:]]
    return subprocess.run(command, cwd=tree, env=environment | variables, timeout=timeout,
                          capture_output=True, text=True, errors="replace")


# Emulates XOP on other CPUs. Used only with the smallest budget, because the emulator is slow.
EMULATE = ({"SETWISE_TEST_EMULATE": "xop"}
           if (sys.platform, platform.machine()) == ("linux", "x86_64") else {})
# Names for the unit tests of a library and of the command line, which have no test target.
LIB = "lib"
BIN = "bin"
TARGETS = {LIB: ("--lib",), BIN: ("--bin", "setwise")}
# The runner with the smallest budget comes first: in two seconds it catches most mutations.
TESTS = [
    ("runner", {"SETWISE_TEST_BUDGET": "tiny"} | EMULATE),
    ("runner", {"SETWISE_TEST_BUDGET": "quick"}),
    ("dispatch", {}),
    ("compound", {}),
    (LIB, {}),
]
# Only these tests can catch the mutations "detect: ...". They are built without optimisation to
# compile faster; the tests above would run longer without it.
UNOPTIMISED = {"CARGO_PROFILE_TEST_OPT_LEVEL": "0", "CARGO_INCREMENTAL": "1"}
DETECTION = [
    (LIB, UNOPTIMISED, "detect::", "clone::"),
    ("dispatch", UNOPTIMISED, "kernels_declare_the_features_they_need"),
]
# The kernels with code of their own for threats, to compile less.
KERNELS_WITH_THREATS = "avx512-gfni,avx2,neon,ssse3"
# The runner prints which kernels it exercised.
THREATS = [
    ("runner", {"SETWISE_TEST_BUDGET": "small", "SETWISE_KERNELS": KERNELS_WITH_THREATS}, "threats"),
    ("threats", {"SETWISE_TEST_BUDGET": "small", "SETWISE_KERNELS": KERNELS_WITH_THREATS}),
]
# The tests of other packages.
POSITIONS = [("records", {}), ("blocks", {}), (LIB, {})]
COMMAND_LINE = [(BIN, {}), ("attacks", {}), ("formats", {}), ("output", {}), ("endgame", {})]

LIBRARY = ("-p", "setwise", "--all-features")
# The package that a mutation is in, and the tests that can catch it, by the first word of the
# mutation's name.
SUITES = {
    "detect": (LIBRARY, DETECTION),
    "input": (("-p", "setwise-positions"), POSITIONS),
    "cli": (("-p", "setwise-cli"), COMMAND_LINE),
    "measure": (("-p", "setwise-measure"), [(LIB, {})]),
    "endgame": (("-p", "setwise-endgame"), [(LIB, {})]),
    "mobility": (LIBRARY, [("positions", {})]),
    "threats": (LIBRARY, THREATS),
}


def suite_of(name):
    return SUITES.get(name.partition(":")[0], (LIBRARY, TESTS))


def first_failure(output):
    """What caught the mutation, in a few words."""
    for line in output.splitlines():
        if match := re.match(r"test (\S+)\s+\.\.\. .*FAILED", line):
            return match[1]
    if match := re.search(r"\(signal: [^)]*\)", output):
        return match[0]
    return "the tests failed"


def compile_tree(tree, target, package, *arguments, **variables):
    """Runs a cargo command that compiles the copy. Returns whether a compile-time assertion failed,
    for example on the size of look-up tables."""
    build = cargo(tree, target, package, *arguments, timeout=1800, **variables)
    asserted = "error[E0080]: evaluation panicked" in build.stderr
    if build.returncode != 0 and not asserted:
        raise Failure("it does not compile:\n" + build.stderr[-3000:])
    return asserted


def run_tests(tree, target, suite, exercised=None):
    """Returns None if all tests pass, else a short description of the failure and the output. Adds
    the kernels that the runner exercised to `exercised`."""
    package, tests = suite
    for test, variables, *filters in tests:
        which = TARGETS.get(test, ("--test", test))
        if compile_tree(tree, target, package, "test", "--no-run", *which, **variables):
            return "a compile-time assertion", ""
        name = " ".join([test, variables.get("SETWISE_TEST_BUDGET", "")]).strip()
        try:
            run = cargo(tree, target, package, "test", *which, "--", *filters, timeout=900,
                        **variables)
        except subprocess.TimeoutExpired:
            return f"{name} does not end", ""
        if run.returncode != 0:
            return f"{name}: {first_failure(run.stdout + run.stderr)}", run.stdout[-3000:]
        if exercised is not None:
            exercised.update(re.findall(r"^exercised: (\S+)", run.stdout, re.MULTILINE))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("words", nargs="*", help="run only mutations whose names contain a word")
    parser.add_argument("--list", action="store_true", help="print the names and exit")
    parser.add_argument("--check", action="store_true",
                        help="only check that each matches exactly once and compiles")
    parser.add_argument("--match", action="store_true",
                        help="only check that each matches exactly once")
    arguments = parser.parse_args()
    chosen = [m for m in MUTATIONS
              if not arguments.words or any(word in m[0] for word in arguments.words)]
    if not chosen:
        parser.error("no mutation has one of these words in its name")
    if arguments.list:
        print(*(m[0] for m in chosen), sep="\n")
        return 0
    if arguments.match:
        invalid = 0
        for name, *where in (mutation[:4] for mutation in chosen):
            try:
                mutated(ROOT, *where)
            except Failure as failure:
                print(f"INVALID: {name} ({failure})")
                invalid += 1
        print(f"{len(chosen) - invalid} of {len(chosen)} mutations apply")
        return 2 if invalid else 0
    counts = {}
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve() / "mutate"
    with tempfile.TemporaryDirectory(prefix="setwise-mutate-") as scratch:
        tree = Path(scratch)
        copy_tree(tree)
        exercised = set()
        for suite in (LIBRARY, TESTS), *SUITES.values():
            if arguments.check or not any(suite_of(m[0]) == suite for m in chosen):
                continue
            if failed := run_tests(tree, target, suite, exercised):
                print("error: the tests fail without any mutation:", *failed,
                      sep="\n", file=sys.stderr)
                return 2
        for name, file, pattern, replacement, *shown_by in chosen:
            start = time.monotonic()
            before = None
            try:
                before, after = mutated(tree, file, pattern, replacement)
                (tree / file).write_text(after)
                if arguments.check:
                    compile_tree(tree, target, suite_of(name)[0], "check")
                    verdict, detail = "applies", file
                elif shown_by and exercised.isdisjoint(shown_by):
                    verdict, detail = "not tried", f"only with {' or '.join(shown_by)}"
                elif caught := run_tests(tree, target, suite_of(name)):
                    verdict, detail = "caught", caught[0]
                else:
                    verdict, detail = "SURVIVED", file
            except Failure as failure:
                verdict, detail = "INVALID", str(failure)
            finally:
                if before is not None:
                    (tree / file).write_text(before)
            counts[verdict] = counts.get(verdict, 0) + 1
            print(f"{verdict}: {name} ({detail}; {time.monotonic() - start:.0f} s)", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 2 if "INVALID" in counts else 1 if "SURVIVED" in counts else 0


if __name__ == "__main__":
    sys.exit(main())
