/* setwise for inlining: attacks of one board as static functions, without calls or tables.
 *
 * This header includes setwise.h for its types, but needs no library. The compiler's target decides
 * which instructions the functions use:
 *
 * - With AVX2 (-mavx2, -march=x86-64-v3, /arch:AVX2), sliders_by_kind and side_attacks use it.
 * - With AVX-512F and AVX-512VL (-march=x86-64-v4, /arch:AVX512), rook_attacks and bishop_attacks
 *   also hold their four rays in one register. sliders_by_kind still runs the AVX2 code, but
 *   compilers fuse its bitwise operations into VPTERNLOGQ.
 * - Without AVX2, all functions use general registers, as the kernel `scalar` does. In that case,
 *   magic look-ups are faster for a single board.
 * - For Windows, gcc takes the form without AVX2 whatever the target: it does not realign the stack
 *   (gcc bug 54412), so its spills of longer registers may crash. If yours cannot, define
 *   SETWISE_INLINE_SAFE_SPILLS before you include a header of setwise. This is so with
 *   -Wa,-muse-unaligned-vector-move (binutils 2.38), by which no move needs an alignment, and with
 *   a gcc that is patched, such as Debian's. clang needs nothing.
 *
 * Squares are numbered from a1 = 0 to h8 = 63, and a set has one bit for each square. Any other
 * square number is undefined behaviour, and so is a side other than SETWISE_WHITE or SETWISE_BLACK.
 * All functions are pure. As everywhere in setwise, the sliders of a call also block, whether or
 * not they are in `occupied`. */
#ifndef SETWISE_INLINE_H
#define SETWISE_INLINE_H

#include "setwise.h"

#if defined(__MINGW32__) && !defined(__clang__) && !defined(SETWISE_INLINE_SAFE_SPILLS)
#define SETWISE_INLINE_UNSAFE_SPILLS
#else
#if defined(__AVX2__)
#define SETWISE_INLINE_AVX2
#include <immintrin.h>
#endif
#if defined(__AVX512F__) && defined(__AVX512VL__)
#define SETWISE_INLINE_AVX512
#endif
#endif
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

#ifdef __cplusplus
/* C has no other casts. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif
extern "C" {
#endif

#define SETWISE_INLINE_NOT_A 0xfefefefefefefefeull
#define SETWISE_INLINE_NOT_H 0x7f7f7f7f7f7f7f7full

/* The squares that all knights of the set attack. */
static inline uint64_t setwise_inline_knight_attacks(uint64_t knights) {
  const uint64_t one = (knights << 1 & SETWISE_INLINE_NOT_A) | (knights >> 1 & SETWISE_INLINE_NOT_H);
  const uint64_t two = (knights << 2 & 0xfcfcfcfcfcfcfcfcull) | (knights >> 2 & 0x3f3f3f3f3f3f3f3full);
  return one << 16 | one >> 16 | two << 8 | two >> 8;
}

/* The neighbours of all kings of the set. */
static inline uint64_t setwise_inline_king_attacks(uint64_t kings) {
  const uint64_t beside = (kings << 1 & SETWISE_INLINE_NOT_A) | (kings >> 1 & SETWISE_INLINE_NOT_H);
  const uint64_t row = kings | beside;
  return beside | row << 8 | row >> 8;
}

/* The squares that all pawns of the set attack. `side` is SETWISE_WHITE or SETWISE_BLACK. */
static inline uint64_t setwise_inline_pawn_attacks(int side, uint64_t pawns) {
  /* Branch-free: a search alternates between the sides, so a branch could be mispredicted. */
  const uint64_t black = pawns & (0 - (uint64_t)side), white = pawns ^ black;
  return (white << 9 & SETWISE_INLINE_NOT_A) | (white << 7 & SETWISE_INLINE_NOT_H) |
         (black >> 7 & SETWISE_INLINE_NOT_A) | (black >> 9 & SETWISE_INLINE_NOT_H);
}

/* The rank, file, diagonal or antidiagonal (setwise_line) through a square, without the square. */
static inline uint64_t setwise_inline_line(int line, unsigned square) {
  const int file = (int)(square & 7), rank = (int)(square >> 3);
  uint64_t whole;
  if (line == SETWISE_RANK) {
    whole = 0xffull << (square & 56);
  } else if (line == SETWISE_FILE) {
    whole = 0x0101010101010101ull << file;
  } else {
    const int above = line == SETWISE_DIAGONAL ? rank - file : rank + file - 7;
    const uint64_t main_line =
        line == SETWISE_DIAGONAL ? 0x8040201008040201ull : 0x0102040810204080ull;
    whole = above >= 0 ? main_line << 8 * above : main_line >> -8 * above;
  }
  return whole & ~(1ull << square);
}

/* The highest square of a non-empty set. */
static inline int setwise_inline_highest(uint64_t set) {
#if defined(_MSC_VER) && !defined(__clang__)
  unsigned long number;
#if defined(_M_IX86) || defined(_M_ARM)
  if (_BitScanReverse(&number, (unsigned long)(set >> 32))) {
    number += 32;
  } else {
    _BitScanReverse(&number, (unsigned long)set);
  }
#else
  _BitScanReverse64(&number, set);
#endif
  return (int)number;
#else
  return 63 - __builtin_clzll(set);
#endif
}

/* The squares that a slider on a square attacks along one line, in both directions. Technique:
 * Obstruction Difference, Chess Programming Wiki. */
static inline uint64_t setwise_inline_line_attacks_from(int line, unsigned square,
                                                        uint64_t occupied) {
  const uint64_t along = setwise_inline_line(line, square), slider = 1ull << square;
  const uint64_t below = occupied & along & (slider - 1), above = occupied & along & ~(slider - 1);
  const uint64_t first_above = above & (0 - above);
  return along & (2 * first_above - (1ull << setwise_inline_highest(below | 1)));
}

static inline uint64_t setwise_inline_rook_attacks_from(unsigned square, uint64_t occupied) {
  return setwise_inline_line_attacks_from(SETWISE_RANK, square, occupied) |
         setwise_inline_line_attacks_from(SETWISE_FILE, square, occupied);
}

static inline uint64_t setwise_inline_bishop_attacks_from(unsigned square, uint64_t occupied) {
  return setwise_inline_line_attacks_from(SETWISE_DIAGONAL, square, occupied) |
         setwise_inline_line_attacks_from(SETWISE_ANTIDIAGONAL, square, occupied);
}

static inline uint64_t setwise_inline_queen_attacks_from(unsigned square, uint64_t occupied) {
  return setwise_inline_rook_attacks_from(square, occupied) |
         setwise_inline_bishop_attacks_from(square, occupied);
}

/* The number of squares of a set. gcc and clang turn this into POPCNT if the target has it. */
static inline uint32_t setwise_inline_count(uint64_t set) {
  set -= set >> 1 & 0x5555555555555555ull;
  set = (set & 0x3333333333333333ull) + (set >> 2 & 0x3333333333333333ull);
  set = (set + (set >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return (uint32_t)(set * 0x0101010101010101ull >> 56);
}

/* The line through two squares, from edge to edge and including both squares. Empty if they share
 * no line or are the same square. */
static inline uint64_t setwise_inline_line_through(unsigned a, unsigned b) {
  uint64_t found = 0;
  int line;
  for (line = SETWISE_RANK; line <= SETWISE_ANTIDIAGONAL; line++) {
    const uint64_t along = setwise_inline_line(line, a);
    found |= along >> b & 1 ? along | 1ull << a : 0;
  }
  return found;
}

/* The squares strictly between two squares on a line. Empty if they share no line. */
static inline uint64_t setwise_inline_between(unsigned a, unsigned b) {
  const uint64_t low = 1ull << (a < b ? a : b), high = 1ull << (a < b ? b : a);
  return setwise_inline_line_through(a, b) & (high - low) & ~low;
}

/* The squares that sliders attack in one direction. One step shifts the board by `step` bits: left
 * if `up`, else right. `enter` is the wrap mask: the squares that a step can enter without wrapping
 * round an edge. */
static inline uint64_t setwise_inline_ray(int up, int step, uint64_t enter, uint64_t sliders,
                                          uint64_t occupied) {
  uint64_t free_squares = enter & ~occupied;
  /* Unrolled by hand, because gcc -O2 does not unroll loops. */
  sliders |= free_squares & (up ? sliders << step : sliders >> step);
  free_squares &= up ? free_squares << step : free_squares >> step;
  sliders |= free_squares & (up ? sliders << 2 * step : sliders >> 2 * step);
  free_squares &= up ? free_squares << 2 * step : free_squares >> 2 * step;
  sliders |= free_squares & (up ? sliders << 4 * step : sliders >> 4 * step);
  return enter & (up ? sliders << step : sliders >> step);
}

#if defined(SETWISE_INLINE_AVX512)
/* The union of the squares that sliders attack in four directions, one direction per lane. `steps`
 * holds the number of bits by which one step rotates each lane: left if positive, right if
 * negative. `enter` holds the wrap masks. */
static inline uint64_t setwise_inline_four_rays(__m256i steps, __m256i enter, uint64_t sliders,
                                                uint64_t occupied) {
  __m256i rays = _mm256_set1_epi64x((long long)sliders), k = steps;
  __m256i free_squares = _mm256_andnot_si256(_mm256_set1_epi64x((long long)occupied), enter);
  __m128i two;
  rays = _mm256_or_si256(rays, _mm256_and_si256(free_squares, _mm256_rolv_epi64(rays, k)));
  free_squares = _mm256_and_si256(free_squares, _mm256_rolv_epi64(free_squares, k));
  k = _mm256_add_epi64(k, k);
  rays = _mm256_or_si256(rays, _mm256_and_si256(free_squares, _mm256_rolv_epi64(rays, k)));
  free_squares = _mm256_and_si256(free_squares, _mm256_rolv_epi64(free_squares, k));
  k = _mm256_add_epi64(k, k);
  rays = _mm256_or_si256(rays, _mm256_and_si256(free_squares, _mm256_rolv_epi64(rays, k)));
  rays = _mm256_and_si256(enter, _mm256_rolv_epi64(rays, steps));
  two = _mm_or_si128(_mm256_castsi256_si128(rays), _mm256_extracti128_si256(rays, 1));
  return (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two)));
}

/* The squares that all rooks attack. */
static inline uint64_t setwise_inline_rook_attacks(uint64_t rooks, uint64_t occupied) {
  return setwise_inline_four_rays(
      _mm256_setr_epi64x(8, -8, 1, -1),
      _mm256_setr_epi64x(~0xffll, 0x00ffffffffffffffll, (long long)SETWISE_INLINE_NOT_A,
                         (long long)SETWISE_INLINE_NOT_H),
      rooks, occupied);
}

/* The squares that all bishops attack. */
static inline uint64_t setwise_inline_bishop_attacks(uint64_t bishops, uint64_t occupied) {
  return setwise_inline_four_rays(
      _mm256_setr_epi64x(9, -9, 7, -7),
      _mm256_setr_epi64x(~0xffll & (long long)SETWISE_INLINE_NOT_A,
                         0x00ffffffffffffffll & (long long)SETWISE_INLINE_NOT_H,
                         ~0xffll & (long long)SETWISE_INLINE_NOT_H,
                         0x00ffffffffffffffll & (long long)SETWISE_INLINE_NOT_A),
      bishops, occupied);
}
#else
/* The squares that all rooks attack. */
static inline uint64_t setwise_inline_rook_attacks(uint64_t rooks, uint64_t occupied) {
  return setwise_inline_ray(1, 8, ~0ull, rooks, occupied) |
         setwise_inline_ray(0, 8, ~0ull, rooks, occupied) |
         setwise_inline_ray(1, 1, SETWISE_INLINE_NOT_A, rooks, occupied) |
         setwise_inline_ray(0, 1, SETWISE_INLINE_NOT_H, rooks, occupied);
}

/* The squares that all bishops attack. */
static inline uint64_t setwise_inline_bishop_attacks(uint64_t bishops, uint64_t occupied) {
  return setwise_inline_ray(1, 9, SETWISE_INLINE_NOT_A, bishops, occupied) |
         setwise_inline_ray(0, 9, SETWISE_INLINE_NOT_H, bishops, occupied) |
         setwise_inline_ray(1, 7, SETWISE_INLINE_NOT_H, bishops, occupied) |
         setwise_inline_ray(0, 7, SETWISE_INLINE_NOT_A, bishops, occupied);
}
#endif

/* Sets `attacks` to the attacks of the bishops, of the rooks and of the queens, like a kernel's
 * sliders_by_kind_one. */
static inline void setwise_inline_sliders_by_kind(uint64_t bishops, uint64_t rooks, uint64_t queens,
                                                  uint64_t occupied, uint64_t attacks[3]) {
#if defined(SETWISE_INLINE_AVX2)
/* One doubling step of the fills below, by the counts in `k`. This is a macro, because gcc -O2 does
 * not unroll loops. */
#define SETWISE_INLINE_STEP()                                                                       \
  (two_up = _mm256_or_si256(two_up, _mm256_and_si256(p, _mm256_sllv_epi64(two_up, k))),             \
   two_down = _mm256_or_si256(two_down, _mm256_and_si256(q, _mm256_srlv_epi64(two_down, k))),       \
   queens_up = _mm256_or_si256(queens_up, _mm256_and_si256(p, _mm256_sllv_epi64(queens_up, k))),    \
   queens_down =                                                                                    \
       _mm256_or_si256(queens_down, _mm256_and_si256(q, _mm256_srlv_epi64(queens_down, k))),        \
   p = _mm256_and_si256(p, _mm256_sllv_epi64(p, k)),                                                \
   q = _mm256_and_si256(q, _mm256_srlv_epi64(q, k)), k = _mm256_add_epi64(k, k))
  /* The four lanes are north-east, north-west, north and east (`up`), or the opposite directions
   * (`down`). Bishops and rooks share one register, and queens have another. The fills of both
   * registers use the same propagators: `p` for `up`, `q` for `down`. */
  const __m256i steps = _mm256_setr_epi64x(9, 7, 8, 1);
  const __m256i enter_up = _mm256_setr_epi64x((long long)SETWISE_INLINE_NOT_A,
                                              (long long)SETWISE_INLINE_NOT_H, -1,
                                              (long long)SETWISE_INLINE_NOT_A);
  const __m256i enter_down = _mm256_setr_epi64x((long long)SETWISE_INLINE_NOT_H,
                                                (long long)SETWISE_INLINE_NOT_A, -1,
                                                (long long)SETWISE_INLINE_NOT_H);
  const long long b = (long long)bishops, r = (long long)rooks;
  const __m256i all = _mm256_set1_epi64x((long long)(occupied | bishops | rooks | queens));
  __m256i two_up = _mm256_setr_epi64x(b, b, r, r), two_down = two_up;
  __m256i queens_up = _mm256_set1_epi64x((long long)queens), queens_down = queens_up;
  __m256i p = _mm256_andnot_si256(all, enter_up), q = _mm256_andnot_si256(all, enter_down);
  __m256i k = steps, two, both, united;
  __m128i low, high;
  SETWISE_INLINE_STEP();
  SETWISE_INLINE_STEP();
  SETWISE_INLINE_STEP();
#undef SETWISE_INLINE_STEP
  two = _mm256_or_si256(_mm256_and_si256(enter_up, _mm256_sllv_epi64(two_up, steps)),
                        _mm256_and_si256(enter_down, _mm256_srlv_epi64(two_down, steps)));
  both = _mm256_or_si256(_mm256_and_si256(enter_up, _mm256_sllv_epi64(queens_up, steps)),
                         _mm256_and_si256(enter_down, _mm256_srlv_epi64(queens_down, steps)));
  /* The lanes, from the lowest: attacks of bishops, of queens along diagonals, of rooks, and of
   * queens along ranks and files. */
  united = _mm256_or_si256(_mm256_unpacklo_epi64(two, both), _mm256_unpackhi_epi64(two, both));
  low = _mm256_castsi256_si128(united);
  high = _mm256_extracti128_si256(united, 1);
  attacks[0] = (uint64_t)_mm_cvtsi128_si64(low);
  attacks[1] = (uint64_t)_mm_cvtsi128_si64(high);
  low = _mm_or_si128(low, high);
  attacks[2] = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(low, low));
#else
  occupied |= bishops | rooks | queens;
  attacks[0] = setwise_inline_bishop_attacks(bishops, occupied);
  attacks[1] = setwise_inline_rook_attacks(rooks, occupied);
  attacks[2] = setwise_inline_bishop_attacks(queens, occupied) |
               setwise_inline_rook_attacks(queens, occupied);
#endif
}

/* The attacks of one side's pieces, like side_attacks_one of a kernel. */
static inline setwise_side_attacks setwise_inline_side_attacks(int side, const uint64_t pieces[6],
                                                               uint64_t occupied) {
  setwise_side_attacks result;
  result.attacks[0] = setwise_inline_pawn_attacks(side, pieces[0]);
  result.attacks[1] = setwise_inline_knight_attacks(pieces[1]);
  setwise_inline_sliders_by_kind(pieces[2], pieces[3], pieces[4], occupied, result.attacks + 2);
  result.attacks[5] = setwise_inline_king_attacks(pieces[5]);
  result.all = result.attacks[0] | result.attacks[1] | result.attacks[2] | result.attacks[3] |
               result.attacks[4] | result.attacks[5];
  return result;
}

/* Makes a position from one set for each kind of piece, which holds the pieces of both sides, and
 * one set for each side. */
static inline setwise_position setwise_inline_position_from_sets(const uint64_t kinds[6],
                                                                 const uint64_t sides[2]) {
  setwise_position position;
  int kind;
  for (kind = 0; kind < 6; kind++) {
    position.pieces[SETWISE_WHITE][kind] = kinds[kind] & sides[SETWISE_WHITE];
    position.pieces[SETWISE_BLACK][kind] = kinds[kind] & sides[SETWISE_BLACK];
  }
  return position;
}

#ifdef __cplusplus
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif

#include "setwise_inline_threats.h"

#endif
