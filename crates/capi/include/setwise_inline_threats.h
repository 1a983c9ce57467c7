/* setwise for inlining: threats, as static functions. setwise_inline.h includes this header.
 *
 * The functions are those of a kernel's table (setwise.h), with the same lists in the same order. A
 * setwise_threat_rules of setwise_threat_rules_init or of the function here serves both. The
 * compiler's target decides which instructions they use; SETWISE_INLINE_THREATS names them:
 *
 * - AVX-512 with VBMI, VBMI2 and GFNI (-march=icelake-client, znver4 and later),
 * - AVX2 (-march=x86-64-v3),
 * - general registers for all other targets, and for Windows with gcc: see setwise_inline.h. Magic
 *   look-ups are faster then.
 *
 * The view of a square (with AVX2 and AVX-512) is the board, permuted so that each ray is a 64-bit
 * lane. Byte 0 of a lane is one of the eight knight's jumps, bytes 1 to 7 are the squares one to
 * seven steps away. The kinds of the pieces are one bit each, so `lane & -lane`, without byte 0,
 * leaves the place and the kind of the nearest piece. Source: 87flowers, "Byteboard attack tables".
 * Rays are in the order of setwise_direction: the opposite of ray i is ray i ^ 4. */
#ifndef SETWISE_INLINE_THREATS_H
#define SETWISE_INLINE_THREATS_H

#include <string.h>

#include "setwise_inline.h"

#if defined(SETWISE_INLINE_AVX512) && defined(__AVX512BW__) && defined(__AVX512VBMI__) && \
    defined(__AVX512VBMI2__) && defined(__GFNI__)
#define SETWISE_INLINE_THREATS "AVX-512"
#define SETWISE_INLINE_VIEW_512
#elif defined(SETWISE_INLINE_AVX2)
#define SETWISE_INLINE_THREATS "AVX2"
#define SETWISE_INLINE_VIEW_256
#else
#define SETWISE_INLINE_THREATS "portable"
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic push
#ifdef __cplusplus
/* C has no other casts. */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif
#if !defined(__clang__) && __GNUC__ < 13
/* These versions warn of their own intrinsics. */
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Inlined everywhere, so that constant arguments remove branches. */
#if defined(_MSC_VER) && !defined(__clang__)
#define SETWISE_INLINE_ALWAYS static __forceinline
#else
#define SETWISE_INLINE_ALWAYS static inline __attribute__((always_inline))
#endif

/* The kinds of pieces, one bit each. */
#define SETWISE_INLINE_WHITE_PAWN 1
#define SETWISE_INLINE_BLACK_PAWN 2
#define SETWISE_INLINE_KNIGHT 4
#define SETWISE_INLINE_BISHOP 8
#define SETWISE_INLINE_ROOK 16
#define SETWISE_INLINE_QUEEN 32
#define SETWISE_INLINE_KING 64
/* Not a piece, but blocks rays. */
#define SETWISE_INLINE_BLOCKER 128

/* In C++, functions that may run at compile time. */
#ifdef __cplusplus
#define SETWISE_INLINE_CONSTEXPR static constexpr
#else
#define SETWISE_INLINE_CONSTEXPR static inline
#endif

/* setwise_threat_rules_init without the library, for rules that are all zeros. */
SETWISE_INLINE_CONSTEXPR void setwise_inline_threat_rules_fill(setwise_threat_rules *rules,
                                                               const uint8_t codes[16],
                                                               const uint16_t pairs[16]) {
  const uint8_t kinds[6] = {SETWISE_INLINE_WHITE_PAWN, SETWISE_INLINE_KNIGHT, SETWISE_INLINE_BISHOP,
                            SETWISE_INLINE_ROOK,       SETWISE_INLINE_QUEEN,  SETWISE_INLINE_KING};
  int attacker = 0, victim = 0, code = 0;
  rules->every = 1;
  for (code = 0; code < 16; code++) {
    const int piece = codes[code] - 1, kind = piece % 6;
    if (piece < 0 || piece >= 12) continue;
    rules->pieces |= (uint16_t)(1 << code);
    rules->kinds[code] = kinds[kind];
    if (piece >= 6 && kind == 0) rules->kinds[code] = SETWISE_INLINE_BLACK_PAWN;
  }
  for (attacker = 0; attacker < 16; attacker++) {
    if (!(rules->pieces >> attacker & 1)) continue;
    rules->pairs[attacker] = rules->pieces & (pairs ? pairs[attacker] : 0xffff);
    if (rules->pairs[attacker] != rules->pieces) rules->every = 0;
    rules->pair_bytes[0][attacker] = (uint8_t)rules->pairs[attacker];
    rules->pair_bytes[1][attacker] = (uint8_t)(rules->pairs[attacker] >> 8);
    for (victim = 0; victim < 16; victim++)
      if (rules->pairs[attacker] >> victim & 1)
        rules->victims[attacker][victim] = rules->attackers[victim][attacker] = 0xff;
  }
}

/* setwise_threat_rules_init without the library. */
static inline void setwise_inline_threat_rules_init(setwise_threat_rules *rules,
                                                    const uint8_t codes[16],
                                                    const uint16_t pairs[16]) {
  memset(rules, 0, sizeof *rules);
  setwise_inline_threat_rules_fill(rules, codes, pairs);
}

/* The lowest square of a non-empty set. */
static inline unsigned setwise_inline_lowest(uint64_t set) {
#if defined(_MSC_VER) && !defined(__clang__)
  unsigned long number;
  _BitScanForward64(&number, set);
  return (unsigned)number;
#else
  return (unsigned)__builtin_ctzll(set);
#endif
}

/* Portable code. With vectors, it computes only what no move of chess makes. */

#define SETWISE_INLINE_NONE 64

/* The kinds that slide along a ray. */
static inline int setwise_inline_sliders(int ray) {
  return SETWISE_INLINE_QUEEN | (ray & 1 ? SETWISE_INLINE_BISHOP : SETWISE_INLINE_ROOK);
}

/* Whether a piece attacks the nearest occupied square on a ray. */
static inline int setwise_inline_reaches(int kind, int ray, int from, int to) {
  static const uint8_t STEPPERS[8] = {64, 65, 64, 66, 64, 66, 64, 65}, STEPS[4] = {8, 9, 1, 7};
  const int distance = from < to ? to - from : from - to;
  const int steppers = distance == STEPS[ray & 3] ? STEPPERS[ray] : 0;
  return (kind & (setwise_inline_sliders(ray) | steppers)) != 0;
}

/* The nearest occupied square of each ray, or SETWISE_INLINE_NONE. */
static inline void setwise_inline_seen(unsigned square, uint64_t occupied, uint8_t seen[8]) {
  static const uint8_t LINES[4] = {SETWISE_FILE, SETWISE_DIAGONAL, SETWISE_RANK, SETWISE_ANTIDIAGONAL};
  static const uint8_t UPWARDS[4] = {0, 1, 2, 7};
  int i;
  for (i = 0; i < 4; i++) {
    const uint64_t along = setwise_inline_line(LINES[i], square) & occupied;
    const uint64_t above = along & ~0ull << square, below = along & ((1ull << square) - 1);
    seen[UPWARDS[i]] = (uint8_t)(above ? setwise_inline_lowest(above) : SETWISE_INLINE_NONE);
    seen[UPWARDS[i] ^ 4] = (uint8_t)(below ? setwise_inline_highest(below) : SETWISE_INLINE_NONE);
  }
}

static inline int setwise_inline_code(const uint8_t *board, int square) { return board[square & 63] & 15; }

static inline uint64_t setwise_inline_pieces(const uint8_t *board, const setwise_threat_rules *rules) {
  uint64_t occupied = 0;
  int square;
  for (square = 0; square < 64; square++)
    occupied |= (uint64_t)(rules->pieces >> (board[square] & 15) & 1) << square;
  return occupied;
}

/* Adds a threat if it counts. */
static inline void setwise_inline_push(setwise_threat_list *list, int attacker, int from, int victim,
                                       int to, const setwise_threat_rules *rules) {
  const setwise_threat threat = {(uint8_t)attacker, (uint8_t)from, (uint8_t)victim, (uint8_t)to};
  list->threats[list->count] = threat;
  list->count += rules->pairs[attacker] >> victim & 1;
}

/* Adds the threats of a piece on a square. */
static inline void setwise_inline_outward(const uint8_t *board, int code, int square,
                                          const uint8_t seen[8], uint64_t visible,
                                          const setwise_threat_rules *rules,
                                          setwise_threat_list *list) {
  const int own = rules->kinds[code];
  uint64_t jumps = setwise_inline_knight_attacks(1ull << square) & visible;
  int ray;
  for (; own == SETWISE_INLINE_KNIGHT && jumps; jumps &= jumps - 1) {
    const int to = (int)setwise_inline_lowest(jumps);
    setwise_inline_push(list, code, square, setwise_inline_code(board, to), to, rules);
  }
  for (ray = 0; own != SETWISE_INLINE_KNIGHT && ray < 8; ray++)
    if (seen[ray] < 64 && visible >> seen[ray] & 1 &&
        setwise_inline_reaches(own, ray, square, seen[ray]))
      setwise_inline_push(list, code, square, setwise_inline_code(board, seen[ray]), seen[ray], rules);
}

/* Adds the threats of a piece on a square, then those on it. Other pieces only block if they are
 * not in `visible`. */
static inline void setwise_inline_direct(const uint8_t *board, int code, int square,
                                         const uint8_t seen[8], uint64_t visible,
                                         const setwise_threat_rules *rules,
                                         setwise_threat_list *list) {
  uint64_t jumps = setwise_inline_knight_attacks(1ull << square) & visible;
  int ray;
  setwise_inline_outward(board, code, square, seen, visible, rules, list);
  for (ray = 0; ray < 8; ray++) {
    const int from = seen[ray], attacker = setwise_inline_code(board, from);
    if (from < 64 && visible >> from & 1 &&
        setwise_inline_reaches(rules->kinds[attacker], ray ^ 4, from, square))
      setwise_inline_push(list, attacker, from, code, square, rules);
  }
  for (; jumps; jumps &= jumps - 1) {
    const int from = (int)setwise_inline_lowest(jumps), attacker = setwise_inline_code(board, from);
    if (rules->kinds[attacker] == SETWISE_INLINE_KNIGHT)
      setwise_inline_push(list, attacker, from, code, square, rules);
  }
}

/* Adds the threats of sliders through the square that sees these, except those of or on squares in
 * `hidden`. */
static inline void setwise_inline_through(const uint8_t *board, const uint8_t seen[8], uint64_t hidden,
                                          const setwise_threat_rules *rules,
                                          setwise_threat_list *list) {
  int ray;
  for (ray = 0; ray < 8; ray++) {
    const int from = seen[ray], to = seen[ray ^ 4], attacker = setwise_inline_code(board, from);
    if (from < 64 && to < 64 && !((hidden >> from | hidden >> to) & 1) &&
        rules->kinds[attacker] & setwise_inline_sliders(ray))
      setwise_inline_push(list, attacker, from, setwise_inline_code(board, to), to, rules);
  }
}

/* The threats of a board that a change of these squares removes. */
static inline void setwise_inline_touching(const uint8_t *board, uint64_t occupied, uint64_t changed,
                                           const setwise_threat_rules *rules,
                                           setwise_threat_list *list) {
  uint64_t left;
  list->count = 0;
  for (left = changed; left; left &= left - 1) {
    /* Threats of several of these squares are those of the first. */
    const uint64_t before = changed & ((left & (0 - left)) - 1);
    const int square = (int)setwise_inline_lowest(left), code = setwise_inline_code(board, square);
    uint8_t seen[8];
    if (occupied >> square & 1) {
      setwise_inline_seen((unsigned)square, occupied, seen);
      setwise_inline_direct(board, code, square, seen, occupied & ~before, rules, list);
    } else {
      setwise_inline_seen((unsigned)square, occupied | before, seen);
      setwise_inline_through(board, seen, changed, rules, list);
    }
  }
}

/* A "move" that is not a move of a piece to another square, or leaves the same piece on `to`. */
static inline void setwise_inline_degenerate(const uint8_t *before, int from, int to, int placed,
                                             const setwise_threat_rules *rules,
                                             setwise_threat_changes *changes) {
  const int mover = before[from] & 15, captured = before[to] & 15;
  const uint64_t b = setwise_inline_pieces(before, rules);
  uint64_t changed = 0, a = b;
  uint8_t after[64];
  memcpy(after, before, 64);
  after[to] = (uint8_t)placed;
  if (from != to && rules->kinds[mover]) changed |= 1ull << from, a &= ~(1ull << from);
  if (placed != captured && (rules->kinds[placed] || rules->kinds[captured])) changed |= 1ull << to;
  a = rules->kinds[placed] ? a | 1ull << to : a & ~(1ull << to);
  setwise_inline_touching(before, b, changed, rules, &changes->removed);
  setwise_inline_touching(after, a, changed, rules, &changes->added);
}

#if defined(SETWISE_INLINE_VIEW_512) || defined(SETWISE_INLINE_VIEW_256)

/* Constants of eight lanes, given by ray. With AVX2, one shuffle puts the low halves of the lanes
 * of both registers in order, and the opposite ray is then in the other 128 bits. */
#ifdef SETWISE_INLINE_VIEW_512
#define SETWISE_INLINE_LANES(a, b, c, d, e, f, g, h) {a, b, c, d, e, f, g, h}
#else
#define SETWISE_INLINE_LANES(a, b, c, d, e, f, g, h) {a, b, e, f, c, d, g, h}
#endif
#define SETWISE_INLINE_BYTE(value, i) ((uint64_t)(uint8_t)(value) << 8 * (i))
/* A knight's jump, and one to seven steps, in numbers with a gap between file and rank (0x88). */
#define SETWISE_INLINE_STEPS(jump, step)                                                       \
  (SETWISE_INLINE_BYTE(jump, 0) | SETWISE_INLINE_BYTE(step, 1) |                               \
   SETWISE_INLINE_BYTE(2 * (step), 2) | SETWISE_INLINE_BYTE(3 * (step), 3) |                   \
   SETWISE_INLINE_BYTE(4 * (step), 4) | SETWISE_INLINE_BYTE(5 * (step), 5) |                   \
   SETWISE_INLINE_BYTE(6 * (step), 6) | SETWISE_INLINE_BYTE(7 * (step), 7))

static const uint64_t SETWISE_INLINE_VIEW_STEPS[8] = SETWISE_INLINE_LANES(
    SETWISE_INLINE_STEPS(-33, 16), SETWISE_INLINE_STEPS(-31, 17), SETWISE_INLINE_STEPS(-18, 1),
    SETWISE_INLINE_STEPS(-14, -15), SETWISE_INLINE_STEPS(14, -16), SETWISE_INLINE_STEPS(18, -17),
    SETWISE_INLINE_STEPS(31, -1), SETWISE_INLINE_STEPS(33, 15));

/* Patterns: a lane that has a bit in common with one of them passes its test. */
#define SETWISE_INLINE_FAR 0x7f7f7f7f7f7f7f00ull
#define SETWISE_INLINE_NEAR 0x7f00ull
#define SETWISE_INLINE_JUMP 0x7full

/* By the trailing zeros of a kind: where such a piece on the viewed square attacks. */
static const uint64_t SETWISE_INLINE_ATTACKED[7][8] = {
    SETWISE_INLINE_LANES(0, SETWISE_INLINE_NEAR, 0, 0, 0, 0, 0, SETWISE_INLINE_NEAR),
    SETWISE_INLINE_LANES(0, 0, 0, SETWISE_INLINE_NEAR, 0, SETWISE_INLINE_NEAR, 0, 0),
    {SETWISE_INLINE_JUMP, SETWISE_INLINE_JUMP, SETWISE_INLINE_JUMP, SETWISE_INLINE_JUMP,
     SETWISE_INLINE_JUMP, SETWISE_INLINE_JUMP, SETWISE_INLINE_JUMP, SETWISE_INLINE_JUMP},
    SETWISE_INLINE_LANES(0, SETWISE_INLINE_FAR, 0, SETWISE_INLINE_FAR, 0, SETWISE_INLINE_FAR, 0,
                         SETWISE_INLINE_FAR),
    SETWISE_INLINE_LANES(SETWISE_INLINE_FAR, 0, SETWISE_INLINE_FAR, 0, SETWISE_INLINE_FAR, 0,
                         SETWISE_INLINE_FAR, 0),
    {SETWISE_INLINE_FAR, SETWISE_INLINE_FAR, SETWISE_INLINE_FAR, SETWISE_INLINE_FAR,
     SETWISE_INLINE_FAR, SETWISE_INLINE_FAR, SETWISE_INLINE_FAR, SETWISE_INLINE_FAR},
    {SETWISE_INLINE_NEAR, SETWISE_INLINE_NEAR, SETWISE_INLINE_NEAR, SETWISE_INLINE_NEAR,
     SETWISE_INLINE_NEAR, SETWISE_INLINE_NEAR, SETWISE_INLINE_NEAR, SETWISE_INLINE_NEAR}};
/* The kinds that attack the viewed square along a ray, and a knight at each jump. */
static const uint64_t SETWISE_INLINE_ATTACKERS[8] = SETWISE_INLINE_LANES(
    0x3030303030307000ull, 0x2828282828286a00ull, 0x3030303030307000ull, 0x2828282828286900ull,
    0x3030303030307000ull, 0x2828282828286900ull, 0x3030303030307000ull, 0x2828282828286a00ull);
static const uint64_t SETWISE_INLINE_KNIGHTS[8] = {4, 4, 4, 4, 4, 4, 4, 4};
static const uint64_t SETWISE_INLINE_SLIDERS[8] = SETWISE_INLINE_LANES(
    0x3030303030303000ull, 0x2828282828282800ull, 0x3030303030303000ull, 0x2828282828282800ull,
    0x3030303030303000ull, 0x2828282828282800ull, 0x3030303030303000ull, 0x2828282828282800ull);

/* The 64 bytes of a view, and the sixteen 32-bit entries of a view: the nearest piece of each ray
 * in order, then the jumps in order. An entry is a code, and the square in bits 8 to 15. */
#ifdef SETWISE_INLINE_VIEW_512

typedef __m512i setwise_inline_bytes;
typedef __m512i setwise_inline_entries;

#define SETWISE_INLINE_LOAD(lanes) _mm512_loadu_si512(lanes)

SETWISE_INLINE_ALWAYS __m512i setwise_inline_table(const uint8_t *bytes) {
  return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

SETWISE_INLINE_ALWAYS void setwise_inline_view(const uint8_t *board, int square,
                                               const setwise_threat_rules *rules,
                                               setwise_inline_bytes *squares,
                                               setwise_inline_bytes *codes,
                                               setwise_inline_bytes *kinds) {
  const __m512i with_gaps = _mm512_add_epi8(SETWISE_INLINE_LOAD(SETWISE_INLINE_VIEW_STEPS),
                                            _mm512_set1_epi8((char)(square + (square & 0x38))));
  const __mmask64 on_board = _mm512_testn_epi8_mask(with_gaps, _mm512_set1_epi8((char)0x88));
  /* This matrix removes the gaps. */
  *squares = _mm512_gf2p8affine_epi64_epi8(with_gaps, _mm512_set1_epi64(0x0102041020400000ll), 0);
  *codes = _mm512_permutexvar_epi8(*squares,
                                   _mm512_and_si512(_mm512_loadu_si512(board), _mm512_set1_epi8(15)));
  *kinds = _mm512_maskz_shuffle_epi8(on_board, setwise_inline_table(rules->kinds), *codes);
}

/* Puts a byte where `squares` is `square`. */
SETWISE_INLINE_ALWAYS __m512i setwise_inline_put(__m512i bytes, __m512i squares, int square, int byte) {
  const __mmask64 there = _mm512_cmpeq_epi8_mask(squares, _mm512_set1_epi8((char)square));
  return _mm512_mask_mov_epi8(bytes, there, _mm512_set1_epi8((char)byte));
}

SETWISE_INLINE_ALWAYS __m512i setwise_inline_nearest(__m512i kinds) {
  const __m512i rays = _mm512_and_si512(kinds, _mm512_set1_epi64(~0xffll));
  return _mm512_and_si512(rays, _mm512_sub_epi64(_mm512_setzero_si512(), rays));
}

SETWISE_INLINE_ALWAYS __m512i setwise_inline_and(__m512i a, __m512i b) { return _mm512_and_si512(a, b); }

SETWISE_INLINE_ALWAYS __m512i setwise_inline_look_up(const uint8_t *table, __m512i codes) {
  return _mm512_shuffle_epi8(setwise_inline_table(table), codes);
}

/* The lanes that have a bit in common with the pattern. */
SETWISE_INLINE_ALWAYS unsigned setwise_inline_test(__m512i lanes, const uint64_t *pattern) {
  return _mm512_test_epi64_mask(lanes, SETWISE_INLINE_LOAD(pattern));
}

SETWISE_INLINE_ALWAYS __m512i setwise_inline_entries_of(__m512i codes, __m512i squares, __m512i nearest) {
  const __mmask64 only = _mm512_test_epi8_mask(nearest, nearest);
  const __m512i zero = _mm512_setzero_si512();
  /* Only one byte of a lane is left, so the sum is that byte. */
  const __m512i code = _mm512_sad_epu8(_mm512_maskz_mov_epi8(only, codes), zero);
  const __m512i square = _mm512_sad_epu8(_mm512_maskz_mov_epi8(only, squares), zero);
  const __m512i rays = _mm512_or_si512(code, _mm512_slli_epi64(square, 8));
  const __m512i jumps = _mm512_ternarylogic_epi64(_mm512_set1_epi64(0xff), codes,
                                                  _mm512_slli_epi64(squares, 8), 0xca);
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return _mm512_and_si512(_mm512_permutex2var_epi32(rays, even, jumps), _mm512_set1_epi32(0xffff));
}

/* Stores the threats of the viewed piece on the entries of the mask: rays, or jumps. */
SETWISE_INLINE_ALWAYS void setwise_inline_store_out(__m512i entries, unsigned focus, unsigned mask,
                                                    setwise_threat *list) {
  const __m512i threats = _mm512_or_si512(_mm512_slli_epi32(entries, 16), _mm512_set1_epi32((int)focus));
  _mm256_storeu_si256((__m256i *)(void *)list, _mm512_castsi512_si256(
                                           _mm512_maskz_compress_epi32((__mmask16)mask, threats)));
}

/* Stores the threats of the entries of the mask on the viewed piece. */
SETWISE_INLINE_ALWAYS void setwise_inline_store_in(__m512i entries, unsigned focus, unsigned mask,
                                                   setwise_threat *list) {
  const __m512i threats = _mm512_or_si512(entries, _mm512_set1_epi32((int)(focus << 16)));
  _mm512_storeu_si512(list, _mm512_maskz_compress_epi32((__mmask16)mask, threats));
}

/* Stores the threats of the sliders on the rays of the mask on the pieces of the opposite rays. */
SETWISE_INLINE_ALWAYS unsigned setwise_inline_store_through(__m512i entries, unsigned mask, int filter,
                                                            const setwise_threat_rules *rules,
                                                            setwise_threat *list) {
  const __m256i attackers = _mm512_castsi512_si256(entries);
  const __m256i victims = _mm256_permute4x64_epi64(attackers, 0x4e);
  if (filter) {
    const __m256i pairs = _mm256_loadu_si256((const __m256i *)(const void *)rules->pairs);
    const __m256i rows = _mm256_permutexvar_epi16(attackers, pairs);
    const __m256i codes = _mm256_and_si256(victims, _mm256_set1_epi32(15));
    mask &= _mm256_test_epi32_mask(rows, _mm256_sllv_epi32(_mm256_set1_epi32(1), codes));
  }
  _mm256_storeu_si256((__m256i *)(void *)list,
                      _mm256_maskz_compress_epi32(
                          (__mmask8)mask, _mm256_or_si256(attackers, _mm256_slli_epi32(victims, 16))));
  return setwise_inline_count(mask);
}

SETWISE_INLINE_ALWAYS uint64_t setwise_inline_occupied(const uint8_t *board,
                                                       const setwise_threat_rules *rules) {
  const __m512i codes = _mm512_and_si512(_mm512_loadu_si512(board), _mm512_set1_epi8(15));
  const __m512i kinds = setwise_inline_look_up(rules->kinds, codes);
  return _mm512_test_epi8_mask(kinds, kinds);
}

#else

typedef struct setwise_inline_bytes {
  __m256i a, b;
} setwise_inline_bytes;
/* The rays, then the jumps. */
typedef setwise_inline_bytes setwise_inline_entries;

/* By mask: the indices of its bits, ascending. A permutation by them moves these entries to the
 * front. Each bit multiplies by 256, or by 1, and adds its index. */
#define SETWISE_INLINE_PACK_BIT(mask, i, rest) \
  ((rest) << 8 * ((mask) >> (i) & 1) | (uint64_t)(i) * ((mask) >> (i) & 1))
#define SETWISE_INLINE_PACK_1(m)                                                                       \
  SETWISE_INLINE_PACK_BIT(                                                                             \
      m, 0,                                                                                            \
      SETWISE_INLINE_PACK_BIT(                                                                         \
          m, 1,                                                                                        \
          SETWISE_INLINE_PACK_BIT(                                                                     \
              m, 2,                                                                                    \
              SETWISE_INLINE_PACK_BIT(                                                                 \
                  m, 3,                                                                                \
                  SETWISE_INLINE_PACK_BIT(                                                             \
                      m, 4,                                                                            \
                      SETWISE_INLINE_PACK_BIT(                                                         \
                          m, 5, SETWISE_INLINE_PACK_BIT(m, 6, SETWISE_INLINE_PACK_BIT(m, 7, 0ull))))))))
#define SETWISE_INLINE_PACK_4(m) \
  SETWISE_INLINE_PACK_1(m), SETWISE_INLINE_PACK_1(m + 1), SETWISE_INLINE_PACK_1(m + 2), SETWISE_INLINE_PACK_1(m + 3)
#define SETWISE_INLINE_PACK_16(m) \
  SETWISE_INLINE_PACK_4(m), SETWISE_INLINE_PACK_4(m + 4), SETWISE_INLINE_PACK_4(m + 8), SETWISE_INLINE_PACK_4(m + 12)
#define SETWISE_INLINE_PACK_64(m) \
  SETWISE_INLINE_PACK_16(m), SETWISE_INLINE_PACK_16(m + 16), SETWISE_INLINE_PACK_16(m + 32), SETWISE_INLINE_PACK_16(m + 48)
static const uint64_t SETWISE_INLINE_PACK[256] = {
    SETWISE_INLINE_PACK_64(0), SETWISE_INLINE_PACK_64(64), SETWISE_INLINE_PACK_64(128),
    SETWISE_INLINE_PACK_64(192)};

SETWISE_INLINE_ALWAYS setwise_inline_bytes setwise_inline_pair(__m256i a, __m256i b) {
  setwise_inline_bytes pair;
  pair.a = a, pair.b = b;
  return pair;
}

SETWISE_INLINE_ALWAYS __m256i setwise_inline_load(const void *bytes) {
  return _mm256_loadu_si256((const __m256i *)bytes);
}

#define SETWISE_INLINE_LOAD(lanes) \
  setwise_inline_pair(setwise_inline_load(lanes), setwise_inline_load((lanes) + 4))

SETWISE_INLINE_ALWAYS __m256i setwise_inline_table(const uint8_t *bytes) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}

SETWISE_INLINE_ALWAYS __m256i setwise_inline_half_view(__m256i low, __m256i high, const uint64_t *steps,
                                                       int square, __m256i kinds, __m256i *codes,
                                                       __m256i *squares) {
  const __m256i gaps = _mm256_set1_epi8((char)0x88), zero = _mm256_setzero_si256();
  const __m256i with_gaps = _mm256_add_epi8(setwise_inline_load(steps),
                                            _mm256_set1_epi8((char)(square + (square & 0x38))));
  const __m256i on_board = _mm256_cmpeq_epi8(_mm256_and_si256(with_gaps, gaps), zero);
  const __m256i ranks = _mm256_and_si256(_mm256_srli_epi16(with_gaps, 1), _mm256_set1_epi8(0x38));
  const __m256i all = _mm256_or_si256(_mm256_and_si256(with_gaps, _mm256_set1_epi8(7)), ranks);
  /* Bit 7 marks a square off the board: look-ups by it return 0. */
  const __m256i off = _mm256_andnot_si256(on_board, _mm256_set1_epi8((char)0x80));
  const __m256i at = _mm256_or_si256(all, off);
  /* Shifts move bits 4 and 5 of the squares to bit 7, which selects. */
  const __m256i two = _mm256_blendv_epi8(_mm256_shuffle_epi8(low, at), _mm256_shuffle_epi8(high, at),
                                         _mm256_slli_epi16(at, 3));
  const __m256i one = _mm256_blendv_epi8(two, _mm256_srli_epi16(two, 4), _mm256_slli_epi16(at, 2));
  *squares = at;
  *codes = _mm256_and_si256(one, _mm256_set1_epi8(15));
  return _mm256_shuffle_epi8(kinds, _mm256_or_si256(*codes, off));
}

SETWISE_INLINE_ALWAYS void setwise_inline_view(const uint8_t *board, int square,
                                               const setwise_threat_rules *rules,
                                               setwise_inline_bytes *squares,
                                               setwise_inline_bytes *codes,
                                               setwise_inline_bytes *kinds) {
  /* Two squares per byte: `low` has squares 0 to 15, each with the square 32 higher in its upper
   * four bits; `high` has the others. */
  const __m256i first = _mm256_and_si256(setwise_inline_load(board), _mm256_set1_epi8(15));
  const __m256i second = _mm256_slli_epi16(setwise_inline_load(board + 32), 4);
  const __m256i packed = _mm256_or_si256(first, _mm256_andnot_si256(_mm256_set1_epi8(15), second));
  const __m256i low = _mm256_permute2x128_si256(packed, packed, 0x00);
  const __m256i high = _mm256_permute2x128_si256(packed, packed, 0x11);
  const __m256i by_code = setwise_inline_table(rules->kinds);
  kinds->a = setwise_inline_half_view(low, high, SETWISE_INLINE_VIEW_STEPS, square, by_code, &codes->a,
                                      &squares->a);
  kinds->b = setwise_inline_half_view(low, high, SETWISE_INLINE_VIEW_STEPS + 4, square, by_code,
                                      &codes->b, &squares->b);
}

/* Puts a byte where `squares` is `square`. */
SETWISE_INLINE_ALWAYS setwise_inline_bytes setwise_inline_put(setwise_inline_bytes bytes,
                                                              setwise_inline_bytes squares, int square,
                                                              int byte) {
  const __m256i at = _mm256_set1_epi8((char)square), put = _mm256_set1_epi8((char)byte);
  return setwise_inline_pair(_mm256_blendv_epi8(bytes.a, put, _mm256_cmpeq_epi8(squares.a, at)),
                             _mm256_blendv_epi8(bytes.b, put, _mm256_cmpeq_epi8(squares.b, at)));
}

SETWISE_INLINE_ALWAYS __m256i setwise_inline_lowest_bits(__m256i lanes) {
  const __m256i rays = _mm256_and_si256(lanes, _mm256_set1_epi64x(~0xffll));
  return _mm256_and_si256(rays, _mm256_sub_epi64(_mm256_setzero_si256(), rays));
}
SETWISE_INLINE_ALWAYS setwise_inline_bytes setwise_inline_nearest(setwise_inline_bytes kinds) {
  return setwise_inline_pair(setwise_inline_lowest_bits(kinds.a), setwise_inline_lowest_bits(kinds.b));
}

SETWISE_INLINE_ALWAYS setwise_inline_bytes setwise_inline_and(setwise_inline_bytes a,
                                                              setwise_inline_bytes b) {
  return setwise_inline_pair(_mm256_and_si256(a.a, b.a), _mm256_and_si256(a.b, b.b));
}

SETWISE_INLINE_ALWAYS setwise_inline_bytes setwise_inline_look_up(const uint8_t *table,
                                                                  setwise_inline_bytes codes) {
  const __m256i bytes = setwise_inline_table(table);
  return setwise_inline_pair(_mm256_shuffle_epi8(bytes, codes.a), _mm256_shuffle_epi8(bytes, codes.b));
}

/* The low halves of the eight lanes, in the order of the rays. */
SETWISE_INLINE_ALWAYS __m256i setwise_inline_low_halves(__m256i a, __m256i b) {
  return _mm256_castps_si256(
      _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
}

SETWISE_INLINE_ALWAYS unsigned setwise_inline_signs_of_8(__m256i lanes) {
  return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(lanes));
}

/* The rays whose lanes have a bit in common with the pattern. */
SETWISE_INLINE_ALWAYS unsigned setwise_inline_test(setwise_inline_bytes lanes, const uint64_t *pattern) {
  const __m256i zero = _mm256_setzero_si256();
  const setwise_inline_bytes common = setwise_inline_and(lanes, SETWISE_INLINE_LOAD(pattern));
  return setwise_inline_signs_of_8(setwise_inline_low_halves(_mm256_cmpeq_epi64(common.a, zero),
                                                             _mm256_cmpeq_epi64(common.b, zero))) ^
         0xff;
}

/* Of each lane, the byte for which `none` is 0; there is at most one. The rays in order. */
SETWISE_INLINE_ALWAYS __m256i setwise_inline_only(setwise_inline_bytes none, setwise_inline_bytes bytes) {
  const __m256i zero = _mm256_setzero_si256();
  return setwise_inline_low_halves(_mm256_sad_epu8(_mm256_andnot_si256(none.a, bytes.a), zero),
                                   _mm256_sad_epu8(_mm256_andnot_si256(none.b, bytes.b), zero));
}

SETWISE_INLINE_ALWAYS setwise_inline_entries setwise_inline_entries_of(setwise_inline_bytes codes,
                                                                       setwise_inline_bytes squares,
                                                                       setwise_inline_bytes nearest) {
  const __m256i zero = _mm256_setzero_si256(), first = _mm256_set1_epi32(0xff);
  const setwise_inline_bytes none = setwise_inline_pair(_mm256_cmpeq_epi8(nearest.a, zero),
                                                        _mm256_cmpeq_epi8(nearest.b, zero));
  const __m256i code = _mm256_and_si256(setwise_inline_low_halves(codes.a, codes.b), first);
  const __m256i square = _mm256_and_si256(setwise_inline_low_halves(squares.a, squares.b), first);
  return setwise_inline_pair(
      _mm256_or_si256(setwise_inline_only(none, codes),
                      _mm256_slli_epi32(setwise_inline_only(none, squares), 8)),
      _mm256_or_si256(code, _mm256_slli_epi32(square, 8)));
}

/* Stores the entries of the mask. */
SETWISE_INLINE_ALWAYS void setwise_inline_store_packed(unsigned mask, __m256i entries,
                                                       setwise_threat *list) {
  const __m128i order = _mm_loadl_epi64((const __m128i *)(const void *)&SETWISE_INLINE_PACK[mask & 0xff]);
  _mm256_storeu_si256((__m256i *)(void *)list,
                      _mm256_permutevar8x32_epi32(entries, _mm256_cvtepu8_epi32(order)));
}

/* Stores the threats of the viewed piece on the entries of the mask: rays, or jumps. */
SETWISE_INLINE_ALWAYS void setwise_inline_store_out(setwise_inline_entries entries, unsigned focus,
                                                    unsigned mask, setwise_threat *list) {
  const __m256i victims = mask > 0xff ? entries.b : entries.a;
  setwise_inline_store_packed(
      mask | mask >> 8,
      _mm256_or_si256(_mm256_slli_epi32(victims, 16), _mm256_set1_epi32((int)focus)), list);
}

/* Stores the threats of the entries of the mask on the viewed piece. */
SETWISE_INLINE_ALWAYS void setwise_inline_store_in(setwise_inline_entries entries, unsigned focus,
                                                   unsigned mask, setwise_threat *list) {
  const __m256i on = _mm256_set1_epi32((int)(focus << 16));
  setwise_inline_store_packed(mask, _mm256_or_si256(entries.a, on), list);
  setwise_inline_store_packed(mask >> 8, _mm256_or_si256(entries.b, on),
                              list + setwise_inline_count(mask & 0xff));
}

/* Stores the threats of the sliders on the rays of the mask on the pieces of the opposite rays. */
SETWISE_INLINE_ALWAYS unsigned setwise_inline_store_through(setwise_inline_entries entries,
                                                            unsigned mask, int filter,
                                                            const setwise_threat_rules *rules,
                                                            setwise_threat *list) {
  const __m256i attackers = entries.a, victims = _mm256_permute4x64_epi64(attackers, 0x4e);
  if (filter) {
    /* The row of pairs of each attacker, shifted so that the victim's bit is the sign. */
    const __m256i fifteen = _mm256_set1_epi32(15), byte = _mm256_set1_epi32(0xff);
    const __m256i codes = _mm256_and_si256(attackers, fifteen);
    const __m256i low = _mm256_shuffle_epi8(setwise_inline_table(rules->pair_bytes[0]), codes);
    const __m256i high = _mm256_shuffle_epi8(setwise_inline_table(rules->pair_bytes[1]), codes);
    const __m256i rows = _mm256_or_si256(_mm256_and_si256(low, byte),
                                         _mm256_slli_epi32(_mm256_and_si256(high, byte), 8));
    const __m256i shifts = _mm256_sub_epi32(_mm256_set1_epi32(31), _mm256_and_si256(victims, fifteen));
    mask &= setwise_inline_signs_of_8(_mm256_sllv_epi32(rows, shifts));
  }
  setwise_inline_store_packed(mask, _mm256_or_si256(attackers, _mm256_slli_epi32(victims, 16)), list);
  return setwise_inline_count(mask);
}

SETWISE_INLINE_ALWAYS uint64_t setwise_inline_occupied(const uint8_t *board,
                                                       const setwise_threat_rules *rules) {
  const __m256i kinds = setwise_inline_table(rules->kinds), fifteen = _mm256_set1_epi8(15);
  const __m256i low = _mm256_and_si256(setwise_inline_load(board), fifteen);
  const __m256i high = _mm256_and_si256(setwise_inline_load(board + 32), fifteen);
  const __m256i zero = _mm256_setzero_si256();
  const uint64_t a =
      (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(kinds, low), zero));
  const uint64_t b =
      (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(kinds, high), zero));
  return ~(a | b << 32);
}

#endif

/* Which entries the viewed piece attacks: rays in the low eight bits, or jumps in the next. */
SETWISE_INLINE_ALWAYS unsigned setwise_inline_attacked(int own, setwise_inline_bytes rays,
                                                       setwise_inline_bytes jumps) {
  const uint64_t *pattern = SETWISE_INLINE_ATTACKED[setwise_inline_lowest((uint64_t)own)];
  return own == SETWISE_INLINE_KNIGHT ? setwise_inline_test(jumps, pattern) << 8
                                      : setwise_inline_test(rays, pattern);
}

/* Stores the threats of a piece on the viewed square and those on it. Returns their number. */
SETWISE_INLINE_ALWAYS unsigned setwise_inline_view_direct(
    setwise_inline_bytes codes, setwise_inline_bytes kinds, setwise_inline_bytes nearest,
    setwise_inline_entries entries, int code, int square, int filter,
    const setwise_threat_rules *rules, setwise_threat *list) {
  const unsigned focus = (unsigned)(code | square << 8);
  setwise_inline_bytes far_out = nearest, far_in = nearest, jump_out = kinds, jump_in = kinds;
  unsigned out, in, count;
  if (filter) {
    const setwise_inline_bytes victims = setwise_inline_look_up(rules->victims[code], codes);
    const setwise_inline_bytes attackers = setwise_inline_look_up(rules->attackers[code], codes);
    far_out = setwise_inline_and(nearest, victims), far_in = setwise_inline_and(nearest, attackers);
    jump_out = setwise_inline_and(kinds, victims), jump_in = setwise_inline_and(kinds, attackers);
  }
  out = setwise_inline_attacked(rules->kinds[code], far_out, jump_out);
  in = setwise_inline_test(far_in, SETWISE_INLINE_ATTACKERS) |
       setwise_inline_test(jump_in, SETWISE_INLINE_KNIGHTS) << 8;
  setwise_inline_store_out(entries, focus, out, list);
  count = setwise_inline_count(out);
  setwise_inline_store_in(entries, focus, in, list + count);
  return count + setwise_inline_count(in);
}

/* Stores the threats of sliders through the viewed square. Returns their number. */
SETWISE_INLINE_ALWAYS unsigned setwise_inline_view_through(setwise_inline_bytes nearest,
                                                           setwise_inline_entries entries, int filter,
                                                           const setwise_threat_rules *rules,
                                                           setwise_threat *list) {
  const unsigned sliders = setwise_inline_test(nearest, SETWISE_INLINE_SLIDERS);
  const unsigned pieces = setwise_inline_test(nearest, SETWISE_INLINE_ATTACKED[5]);
  const unsigned mask = sliders & (pieces >> 4 | pieces << 4) & 0xff;
  return setwise_inline_store_through(entries, mask, filter, rules, list);
}

/* The threats of a board that a change of these squares removes. `pieces`: those that hold a
 * piece. */
SETWISE_INLINE_ALWAYS void setwise_inline_view_touching(const uint8_t *board, uint64_t changed,
                                                        uint64_t pieces,
                                                        const setwise_threat_rules *rules,
                                                        setwise_threat_list *list) {
  uint64_t left;
  unsigned count = 0;
  for (left = changed; left; left &= left - 1) {
    const int square = (int)setwise_inline_lowest(left), is_piece = (int)(pieces >> square & 1);
    /* Threats of several of these squares are those of the first. */
    const uint64_t before = changed & ((left & (0 - left)) - 1);
    uint64_t hidden = is_piece ? pieces & before : pieces | before;
    setwise_inline_bytes squares, codes, kinds, nearest;
    setwise_inline_entries entries;
    setwise_inline_view(board, square, rules, &squares, &codes, &kinds);
    for (; hidden; hidden &= hidden - 1)
      kinds = setwise_inline_put(kinds, squares, (int)setwise_inline_lowest(hidden), SETWISE_INLINE_BLOCKER);
    nearest = setwise_inline_nearest(kinds);
    entries = setwise_inline_entries_of(codes, squares, nearest);
    count += is_piece ? setwise_inline_view_direct(codes, kinds, nearest, entries, board[square] & 15, square,
                                                   1, rules, list->threats + count)
                      : setwise_inline_view_through(nearest, entries, 1, rules, list->threats + count);
  }
  list->count = count;
}

SETWISE_INLINE_ALWAYS void setwise_inline_view_moved(const uint8_t *board, int from, int to, int placed,
                                                     int filter, const setwise_threat_rules *rules,
                                                     setwise_threat_changes *changes) {
  const int mover = board[from] & 15, captured = board[to] & 15;
  setwise_threat *added = changes->added.threats, *removed = changes->removed.threats;
  setwise_inline_bytes from_squares, from_codes, from_kinds, to_squares, to_codes, to_kinds;
  setwise_inline_bytes near_from, beyond_from, left, near_to, beyond_to;
  setwise_inline_entries from_entries, to_entries;
  unsigned count;
  setwise_inline_view(board, from, rules, &from_squares, &from_codes, &from_kinds);
  setwise_inline_view(board, to, rules, &to_squares, &to_codes, &to_kinds);
  /* The threats between `from` and `to` before the move are those of the mover; so in the view of
   * each square for other threats, the other square only blocks. */
  near_from = setwise_inline_nearest(from_kinds);
  beyond_from = setwise_inline_nearest(
      setwise_inline_put(from_kinds, from_squares, to, SETWISE_INLINE_BLOCKER));
  left = setwise_inline_put(to_kinds, to_squares, from, 0);
  near_to = setwise_inline_nearest(left);
  beyond_to =
      setwise_inline_nearest(setwise_inline_put(to_kinds, to_squares, from, SETWISE_INLINE_BLOCKER));
  from_entries = setwise_inline_entries_of(from_codes, from_squares, near_from);
  to_entries = setwise_inline_entries_of(to_codes, to_squares, near_to);

  count = setwise_inline_view_direct(from_codes, from_kinds, near_from, from_entries, mover, from, filter,
                                     rules, removed);
  count += rules->kinds[captured]
               ? setwise_inline_view_direct(to_codes, left, beyond_to, to_entries, captured, to, filter,
                                            rules, removed + count)
               : setwise_inline_view_through(beyond_to, to_entries, filter, rules, removed + count);
  changes->removed.count = count;
  count = setwise_inline_view_direct(to_codes, left, near_to, to_entries, placed, to, filter, rules, added);
  changes->added.count =
      count + setwise_inline_view_through(beyond_from, from_entries, filter, rules, added + count);
}

SETWISE_INLINE_ALWAYS unsigned setwise_inline_view_of_board(const uint8_t *board, int filter,
                                                            const setwise_threat_rules *rules,
                                                            setwise_threat *threats) {
  const uint64_t occupied = setwise_inline_occupied(board, rules);
  uint64_t left, later = 0;
  unsigned count = 0;
  int pass;
  /* The knights follow in a second pass. */
  for (pass = 0; pass < 2; pass++)
    for (left = pass ? later : occupied; left; left &= left - 1) {
      const int from = (int)setwise_inline_lowest(left), code = board[from] & 15;
      const int own = rules->kinds[code];
      setwise_inline_bytes squares, codes, kinds, nearest, seen;
      unsigned out;
      if (!pass && own == SETWISE_INLINE_KNIGHT) {
        later |= left & (0 - left);
        continue;
      }
      setwise_inline_view(board, from, rules, &squares, &codes, &kinds);
      seen = nearest = setwise_inline_nearest(kinds);
      if (filter) {
        const setwise_inline_bytes victims = setwise_inline_look_up(rules->victims[code], codes);
        seen = setwise_inline_and(nearest, victims), kinds = setwise_inline_and(kinds, victims);
      }
      out = setwise_inline_attacked(own, seen, kinds);
      setwise_inline_store_out(setwise_inline_entries_of(codes, squares, nearest),
                               (unsigned)(code | from << 8), out, threats + count);
      count += setwise_inline_count(out);
    }
  return count;
}

#endif

/* A kernel's threats_moved. */
static inline void setwise_inline_threats_moved(const uint8_t board[64], uint8_t from, uint8_t to,
                                                uint8_t placed, const setwise_threat_rules *rules,
                                                setwise_threat_changes *changes) {
  int mover, captured;
  from &= 63, to &= 63, placed &= 15;
  mover = board[from] & 15, captured = board[to] & 15;
  if (from == to || !rules->kinds[mover] || !rules->kinds[placed] || placed == captured) {
    setwise_inline_degenerate(board, from, to, placed, rules, changes);
    return;
  }
#if defined(SETWISE_INLINE_VIEW_512) || defined(SETWISE_INLINE_VIEW_256)
  if (rules->every)
    setwise_inline_view_moved(board, from, to, placed, 0, rules, changes);
  else
    setwise_inline_view_moved(board, from, to, placed, 1, rules, changes);
#else
  {
    const uint64_t occupied = setwise_inline_pieces(board, rules), without = occupied & ~(1ull << from);
    uint8_t seen_from[8], seen_to[8];
    changes->added.count = changes->removed.count = 0;
    setwise_inline_seen(from, occupied, seen_from);
    setwise_inline_direct(board, mover, from, seen_from, occupied, rules, &changes->removed);
    setwise_inline_seen(to, occupied, seen_to);
    /* The threats between the captured piece and the mover are those of the mover. */
    if (rules->kinds[captured])
      setwise_inline_direct(board, captured, to, seen_to, without, rules, &changes->removed);
    else
      setwise_inline_through(board, seen_to, 1ull << from, rules, &changes->removed);
    setwise_inline_seen(to, without, seen_to);
    setwise_inline_direct(board, placed, to, seen_to, without, rules, &changes->added);
    setwise_inline_seen(from, occupied | 1ull << to, seen_from);
    setwise_inline_through(board, seen_from, 1ull << to, rules, &changes->added);
  }
#endif
}

/* A kernel's threats_edited. */
static inline bool setwise_inline_threats_edited(const uint8_t board[64], const setwise_edit *edits,
                                                 size_t count, const setwise_threat_rules *rules,
                                                 setwise_threat_changes *changes) {
  uint64_t edited = 0, changed = 0, pieces_before = 0, pieces_after = 0;
  uint8_t after[64];
  size_t i;
  if (count > 4) return false;
  memcpy(after, board, 64);
  for (i = 0; i < count; i++) {
    const int square = edits[i].square & 63, old = board[square] & 15, code = edits[i].code & 15;
    const uint64_t set = 1ull << square;
    if (edited & set) return false;
    edited |= set;
    after[square] = (uint8_t)code;
    if (rules->kinds[old]) pieces_before |= set;
    if (rules->kinds[code]) pieces_after |= set;
    if (old != code && (rules->kinds[old] || rules->kinds[code])) changed |= set;
  }
#if defined(SETWISE_INLINE_VIEW_512) || defined(SETWISE_INLINE_VIEW_256)
  setwise_inline_view_touching(board, changed, pieces_before & changed, rules, &changes->removed);
  setwise_inline_view_touching(after, changed, pieces_after & changed, rules, &changes->added);
#else
  {
    const uint64_t occupied = setwise_inline_pieces(board, rules);
    setwise_inline_touching(board, occupied, changed, rules, &changes->removed);
    setwise_inline_touching(after, (occupied & ~pieces_before) | pieces_after, changed, rules, &changes->added);
  }
#endif
  return true;
}

/* Stores all threats of one board, in the order of a kernel's `threats`, and returns their number.
 * Entries after the last one may be overwritten: a board has at most 420 threats. */
static inline unsigned setwise_inline_threats_of_board(const uint8_t board[64],
                                                       const setwise_threat_rules *rules,
                                                       setwise_threat threats[428]) {
#if defined(SETWISE_INLINE_VIEW_512) || defined(SETWISE_INLINE_VIEW_256)
  if (rules->every) return setwise_inline_view_of_board(board, 0, rules, threats);
  return setwise_inline_view_of_board(board, 1, rules, threats);
#else
  const uint64_t occupied = setwise_inline_pieces(board, rules);
  setwise_threat_list one;
  unsigned count = 0;
  int knights;
  for (knights = 0; knights < 2; knights++) {
    uint64_t left;
    for (left = occupied; left; left &= left - 1) {
      const int from = (int)setwise_inline_lowest(left), code = setwise_inline_code(board, from);
      uint8_t seen[8];
      if ((rules->kinds[code] == SETWISE_INLINE_KNIGHT) != knights) continue;
      setwise_inline_seen((unsigned)from, occupied, seen);
      one.count = 0;
      setwise_inline_outward(board, code, from, seen, occupied, rules, &one);
      memcpy(threats + count, one.threats, one.count * sizeof *threats);
      count += one.count;
    }
  }
  return count;
#endif
}

#ifdef __cplusplus
}
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
