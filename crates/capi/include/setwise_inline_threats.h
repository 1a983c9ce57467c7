/* setwise for inlining: threats, as static functions. setwise_inline.h includes this header.
 *
 * The functions are those of a kernel's table (setwise.h), with the same lists in the same order. A
 * setwise_threat_rules of setwise_threat_rules_init or of the function here serves both. The
 * compiler's target decides which instructions they use; SETWISE_INLINE_THREATS names them:
 *
 * - AVX-512 with VBMI, VBMI2 and GFNI (-march=icelake-client, znver4 and later),
 * - AVX2 (-march=x86-64-v3),
 * - SSE2 for any other x86-64, and for Windows with gcc: see setwise_inline.h,
 * - general registers for all other targets.
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
#elif (defined(__x86_64__) && defined(__SSE2__)) || (defined(_M_X64) && !defined(_M_ARM64EC))
#define SETWISE_INLINE_THREATS "SSE2"
#define SETWISE_INLINE_SCAN_128
#include <emmintrin.h>
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
#if defined(_M_IX86) || defined(_M_ARM)
  if (!_BitScanForward(&number, (unsigned long)set)) {
    _BitScanForward(&number, (unsigned long)(set >> 32));
    number += 32;
  }
#else
  _BitScanForward64(&number, set);
#endif
  return (unsigned)number;
#else
  return (unsigned)__builtin_ctzll(set);
#endif
}

/* The nearest pieces by bit scans. With AVX2 and AVX-512, this computes only what no move of chess
 * makes. */

/* Entries of a table, each by a macro of its number. */
#define SETWISE_INLINE_8(of, i)                                                          \
  of((i)), of((i) + 1), of((i) + 2), of((i) + 3), of((i) + 4), of((i) + 5), of((i) + 6), \
      of((i) + 7)
#define SETWISE_INLINE_64(of, i)                                                             \
  SETWISE_INLINE_8(of, i), SETWISE_INLINE_8(of, (i) + 8), SETWISE_INLINE_8(of, (i) + 16),    \
      SETWISE_INLINE_8(of, (i) + 24), SETWISE_INLINE_8(of, (i) + 32),                        \
      SETWISE_INLINE_8(of, (i) + 40), SETWISE_INLINE_8(of, (i) + 48), SETWISE_INLINE_8(of, (i) + 56)

/* By square and ray: the squares of the ray; the square itself if there are none. */
#define SETWISE_INLINE_EAST(s) (0x0101010101010101ull * (0xfeull << ((s) & 7) & 0xff))
#define SETWISE_INLINE_WEST(s) (0x0101010101010101ull * ((1ull << ((s) & 7)) - 1))
#define SETWISE_INLINE_ROW(s) (0xffull << ((s) & 56))
#define SETWISE_INLINE_RAY(set, s) ((set) | (uint64_t)((set) == 0) << (s))
#define SETWISE_INLINE_RAYS_OF(s)                                                             \
  {                                                                                           \
    SETWISE_INLINE_RAY(0x0101010101010100ull << (s), s),                                      \
        SETWISE_INLINE_RAY((0x8040201008040200ull << (s) & SETWISE_INLINE_EAST(s)), s),       \
        SETWISE_INLINE_RAY((SETWISE_INLINE_EAST(s) & SETWISE_INLINE_ROW(s)), s),              \
        SETWISE_INLINE_RAY((0x0102040810204000ull >> (63 - (s)) & SETWISE_INLINE_EAST(s)), s), \
        SETWISE_INLINE_RAY(0x0080808080808080ull >> (63 - (s)), s),                           \
        SETWISE_INLINE_RAY((0x0040201008040201ull >> (63 - (s)) & SETWISE_INLINE_WEST(s)), s), \
        SETWISE_INLINE_RAY((SETWISE_INLINE_WEST(s) & SETWISE_INLINE_ROW(s)), s),              \
        SETWISE_INLINE_RAY((0x0002040810204080ull << (s) & SETWISE_INLINE_WEST(s)), s)        \
  }
static const uint64_t SETWISE_INLINE_RAYS[64][8] = {SETWISE_INLINE_64(SETWISE_INLINE_RAYS_OF, 0)};

/* By square: its neighbours, and where a knight jumps. */
#define SETWISE_INLINE_BESIDE(set) \
  (((set) << 1 & SETWISE_INLINE_NOT_A) | ((set) >> 1 & SETWISE_INLINE_NOT_H))
#define SETWISE_INLINE_BEYOND(set) \
  (((set) << 2 & 0xfcfcfcfcfcfcfcfcull) | ((set) >> 2 & 0x3f3f3f3f3f3f3f3full))
#define SETWISE_INLINE_BOTH_WAYS(set, by) ((set) << (by) | (set) >> (by))
#define SETWISE_INLINE_ROUND_OF(s)                                                \
  {                                                                               \
    SETWISE_INLINE_BESIDE(1ull << (s)) |                                          \
        SETWISE_INLINE_BOTH_WAYS((1ull << (s) | SETWISE_INLINE_BESIDE(1ull << (s))), 8), \
        SETWISE_INLINE_BOTH_WAYS(SETWISE_INLINE_BESIDE(1ull << (s)), 16) |        \
            SETWISE_INLINE_BOTH_WAYS(SETWISE_INLINE_BEYOND(1ull << (s)), 8)       \
  }
static const uint64_t SETWISE_INLINE_ROUND[64][2] = {SETWISE_INLINE_64(SETWISE_INLINE_ROUND_OF, 0)};

/* From three ranks of three files, as nine bits, to rays. */
#define SETWISE_INLINE_NEAR_RAYS_OF(i)                                                      \
  (uint8_t)(((i) >> 1 & 1) | ((i) >> 2 & 1) << 1 | ((i) >> 5 & 1) << 2 | ((i) >> 8 & 1) << 3 | \
            ((i) >> 7 & 1) << 4 | ((i) >> 6 & 1) << 5 | ((i) >> 3 & 1) << 6 | ((i) & 1) << 7)
static const uint8_t SETWISE_INLINE_NEAR_RAYS[512] = {
    SETWISE_INLINE_64(SETWISE_INLINE_NEAR_RAYS_OF, 0),
    SETWISE_INLINE_64(SETWISE_INLINE_NEAR_RAYS_OF, 64),
    SETWISE_INLINE_64(SETWISE_INLINE_NEAR_RAYS_OF, 128),
    SETWISE_INLINE_64(SETWISE_INLINE_NEAR_RAYS_OF, 192),
    SETWISE_INLINE_64(SETWISE_INLINE_NEAR_RAYS_OF, 256),
    SETWISE_INLINE_64(SETWISE_INLINE_NEAR_RAYS_OF, 320),
    SETWISE_INLINE_64(SETWISE_INLINE_NEAR_RAYS_OF, 384),
    SETWISE_INLINE_64(SETWISE_INLINE_NEAR_RAYS_OF, 448)};

#ifndef SETWISE_INLINE_VIEW_512
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
static const uint64_t SETWISE_INLINE_PACK[256] = {
    SETWISE_INLINE_64(SETWISE_INLINE_PACK_1, 0), SETWISE_INLINE_64(SETWISE_INLINE_PACK_1, 64),
    SETWISE_INLINE_64(SETWISE_INLINE_PACK_1, 128), SETWISE_INLINE_64(SETWISE_INLINE_PACK_1, 192)};
#endif

/* Eight bytes as a number whose lowest byte is the first, and back. */
static inline uint64_t setwise_inline_bytes_to_word(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}
static inline void setwise_inline_word_to_bytes(uint64_t word, void *bytes) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  memcpy(bytes, &word, 8);
}

/* The mailbox of an engine that keeps a mailbox of kinds beside the sets of the two sides: the code
 * of each square is its kind, with bit 3 set if the square is in `black`. `kinds` are below 8, and
 * the same for both sides; an empty square has a kind of its own. White's codes are the kinds and
 * Black's the kinds plus 8, so give the rules a list of these codes. */
static inline void setwise_inline_coded_mailbox(const uint8_t kinds[64], uint64_t black,
                                                uint8_t codes[64]) {
  int rank = 0;
  for (rank = 0; rank < 8; rank++) {
    /* Byte i gets bit i of the rank, then bit 3 if it is not zero. */
    uint64_t bits = black >> (8 * rank) & 0xff;
#ifdef SETWISE_INLINE_UNSAFE_SPILLS
    /* Keeps gcc from using longer registers: see the top of setwise_inline.h. */
    __asm__("" : "+r"(bits));
#endif
    bits = bits * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
    bits = (bits + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 4 & UINT64_C(0x0808080808080808);
    setwise_inline_word_to_bytes(setwise_inline_bytes_to_word(kinds + 8 * rank) | bits,
                                 codes + 8 * rank);
  }
}

/* A board of codes below 16, or SETWISE_INLINE_EMPTY. */
#define SETWISE_INLINE_EMPTY 16
typedef struct setwise_inline_board {
  uint8_t codes[64];
  uint8_t kinds[24];
  const uint16_t *pairs;
  uint64_t occupied, knights;
#ifndef SETWISE_INLINE_SCAN_128
  /* By bit of the codes: the squares with that bit, with files and ranks exchanged. */
  uint64_t planes[4];
#endif
} setwise_inline_board;

SETWISE_INLINE_ALWAYS unsigned setwise_inline_kind(const setwise_inline_board *b, unsigned square) {
  return b->kinds[b->codes[square]];
}

/* The codes of the kind 1 << number, one bit each. */
SETWISE_INLINE_ALWAYS unsigned setwise_inline_codes_of(const setwise_threat_rules *rules,
                                                         unsigned number) {
  const uint64_t ones = 0x0101010101010101ull, gather = 0x0102040810204080ull;
  const uint64_t low = setwise_inline_bytes_to_word(rules->kinds) >> number & ones;
  const uint64_t high = setwise_inline_bytes_to_word(rules->kinds + 8) >> number & ones;
  return (unsigned)(low * gather >> 56 | (high * gather >> 56) << 8);
}

/* Exchanges the bits of two words: those of `b` in the mask and those of `a` above them. */
#define SETWISE_INLINE_SWAP(a, b, shift, mask) \
  (swapped = ((a) >> (shift) ^ (b)) & (mask), (b) ^= swapped, (a) ^= swapped << (shift))

#ifdef SETWISE_INLINE_SCAN_128

/* The squares with one of these codes. */
SETWISE_INLINE_ALWAYS uint64_t setwise_inline_any_of(const setwise_inline_board *b, unsigned codes) {
  const __m128i *board = (const __m128i *)(const void *)b->codes;
  const __m128i b0 = _mm_loadu_si128(board), b1 = _mm_loadu_si128(board + 1);
  const __m128i b2 = _mm_loadu_si128(board + 2), b3 = _mm_loadu_si128(board + 3);
  __m128i a0 = _mm_setzero_si128(), a1 = a0, a2 = a0, a3 = a0;
  uint64_t low, high;
  for (; codes; codes &= codes - 1) {
    const __m128i code = _mm_set1_epi32((int)(setwise_inline_lowest(codes) * 0x01010101));
    a0 = _mm_or_si128(a0, _mm_cmpeq_epi8(b0, code)), a1 = _mm_or_si128(a1, _mm_cmpeq_epi8(b1, code));
    a2 = _mm_or_si128(a2, _mm_cmpeq_epi8(b2, code)), a3 = _mm_or_si128(a3, _mm_cmpeq_epi8(b3, code));
  }
  low = (unsigned)_mm_movemask_epi8(a0) | (unsigned)_mm_movemask_epi8(a1) << 16;
  high = (unsigned)_mm_movemask_epi8(a2) | (unsigned)_mm_movemask_epi8(a3) << 16;
  return low | high << 32;
}

/* Stores the codes of a board. */
SETWISE_INLINE_ALWAYS void setwise_inline_extract(setwise_inline_board *b, const uint8_t *board) {
  const __m128i *from = (const __m128i *)(const void *)board, low = _mm_set1_epi8(15);
  __m128i *to = (__m128i *)(void *)b->codes;
  _mm_storeu_si128(to, _mm_and_si128(_mm_loadu_si128(from), low));
  _mm_storeu_si128(to + 1, _mm_and_si128(_mm_loadu_si128(from + 1), low));
  _mm_storeu_si128(to + 2, _mm_and_si128(_mm_loadu_si128(from + 2), low));
  _mm_storeu_si128(to + 3, _mm_and_si128(_mm_loadu_si128(from + 3), low));
}

#else

/* The squares with one of these codes. */
static inline uint64_t setwise_inline_any_of(const setwise_inline_board *b, unsigned codes) {
  uint64_t any = 0, swapped;
  for (; codes; codes &= codes - 1) {
    const uint64_t code = setwise_inline_lowest(codes);
    any |= (b->planes[0] ^ ((code & 1) - 1)) & (b->planes[1] ^ ((code >> 1 & 1) - 1)) &
           (b->planes[2] ^ ((code >> 2 & 1) - 1)) & (b->planes[3] ^ ((code >> 3) - 1));
  }
  swapped = (any ^ any >> 7) & 0x00aa00aa00aa00aaull, any ^= swapped ^ swapped << 7;
  swapped = (any ^ any >> 14) & 0x0000cccc0000ccccull, any ^= swapped ^ swapped << 14;
  swapped = (any ^ any >> 28) & 0x00000000f0f0f0f0ull, any ^= swapped ^ swapped << 28;
  return any;
}

/* Stores the codes of a board, and their planes. */
static inline void setwise_inline_extract(setwise_inline_board *b, const uint8_t *board) {
  uint64_t *const planes = b->planes, ranks[8], swapped;
  int i;
  for (i = 0; i < 8; i++) {
    ranks[i] = setwise_inline_bytes_to_word(board + 8 * i) & 0x0f0f0f0f0f0f0f0full;
    setwise_inline_word_to_bytes(ranks[i], b->codes + 8 * i);
  }
  /* A byte holds ranks i and i + 4 of a file. So bit k of half h of word i goes to bit i of half h
   * of word k, which is bit i + 4h of a byte for each file. */
  for (i = 0; i < 4; i++) planes[i] = ranks[i] | ranks[i + 4] << 4;
  SETWISE_INLINE_SWAP(planes[0], planes[1], 1, 0x5555555555555555ull);
  SETWISE_INLINE_SWAP(planes[2], planes[3], 1, 0x5555555555555555ull);
  SETWISE_INLINE_SWAP(planes[0], planes[2], 2, 0x3333333333333333ull);
  SETWISE_INLINE_SWAP(planes[1], planes[3], 2, 0x3333333333333333ull);
}

#endif

SETWISE_INLINE_ALWAYS void setwise_inline_set_up(setwise_inline_board *b, const uint8_t *board,
                                                 const setwise_threat_rules *rules) {
  setwise_inline_extract(b, board);
  memcpy(b->kinds, rules->kinds, 16);
  b->kinds[SETWISE_INLINE_EMPTY] = 0;
  b->pairs = rules->pairs;
  b->occupied = ~setwise_inline_any_of(b, ~(unsigned)rules->pieces & 0xffff);
  b->knights = setwise_inline_any_of(b, setwise_inline_codes_of(rules, 2));
}

/* What a square sees. Bits by ray, from 16 on by jump (SETWISE_INLINE_JUMPS). */
typedef struct setwise_inline_seen {
  /* Pieces on rays and at jumps. From 32 on, pieces beside the square, by ray. */
  uint64_t pieces;
  /* Pieces that slide along their ray, and all pieces that attack the square. */
  uint64_t sliders, attackers;
  /* For each ray the nearest piece, or the last square. From 16 on, the squares of the jumps. */
  uint8_t squares[32];
} setwise_inline_seen;

/* Multiplied by this, a set of jumps, rotated so that the square is bit 17, has the jumps in order
 * in these bits of the high 16. */
#define SETWISE_INLINE_GATHER_JUMPS 0x1140a20000000ull
#define SETWISE_INLINE_JUMPS 0xb42d

SETWISE_INLINE_ALWAYS uint64_t setwise_inline_turned(uint64_t set, unsigned by) {
  return set >> (by & 63) | set << ((0 - by) & 63);
}

/* The rays with a byte that has a bit in common with the test. */
SETWISE_INLINE_ALWAYS uint64_t setwise_inline_rays_with(uint64_t kinds, uint64_t test) {
  /* The sums have the high bit of each byte that is not 0. */
  const uint64_t sums = ((kinds & test) + 0x7f7f7f7f7f7f7f7full) & 0x8080808080808080ull;
  return sums * 0x0002040810204081ull >> 56;
}

/* From the kinds of the nearest pieces, a byte for each ray. */
SETWISE_INLINE_ALWAYS void setwise_inline_see(setwise_inline_seen *seen, unsigned square,
                                              uint64_t kinds, uint64_t occupied, uint64_t knights) {
  const uint64_t around = SETWISE_INLINE_ROUND[square][0], jumps = SETWISE_INLINE_ROUND[square][1];
  const uint64_t box = setwise_inline_turned(around & occupied, square - 9) * 0x400801 >> 16;
  const uint64_t beside = SETWISE_INLINE_NEAR_RAYS[box & 511];
  const uint64_t jumped = setwise_inline_turned(jumps & occupied, square - 17);
  const uint64_t jumping = setwise_inline_turned(jumps & knights, square - 17);
  seen->pieces = setwise_inline_rays_with(kinds, ~0ull) |
                 (jumped * SETWISE_INLINE_GATHER_JUMPS >> 48 & SETWISE_INLINE_JUMPS) << 16 | beside << 32;
  seen->sliders = setwise_inline_rays_with(kinds, 0x2830283028302830ull);
  seen->attackers = seen->sliders | (setwise_inline_rays_with(kinds, 0x4240414041404240ull) & beside) |
                    (jumping * SETWISE_INLINE_GATHER_JUMPS >> 48 & SETWISE_INLINE_JUMPS) << 16;
}

SETWISE_INLINE_ALWAYS uint64_t setwise_inline_met(const setwise_inline_board *b,
                                                  setwise_inline_seen *seen, int ray,
                                                  unsigned nearest) {
  seen->squares[ray] = (uint8_t)nearest;
  return (uint64_t)setwise_inline_kind(b, nearest) << 8 * ray;
}

/* What a square sees on this board. The codes of the square and of each square that is not in
 * `occupied` must have no kind. */
SETWISE_INLINE_ALWAYS void setwise_inline_look(const setwise_inline_board *b, unsigned square,
                                               uint64_t occupied, uint64_t knights,
                                               setwise_inline_seen *seen) {
  /* A ray ends at the rim if not before, so there is always a bit to find. */
  const uint64_t ranks = occupied | 0xff000000000000ffull, files = occupied | 0x8181818181818181ull;
  const uint64_t rim = ranks | files, *const rays = SETWISE_INLINE_RAYS[square];
  uint64_t kinds = setwise_inline_met(b, seen, 0, setwise_inline_lowest(rays[0] & ranks));
  kinds |= setwise_inline_met(b, seen, 1, setwise_inline_lowest(rays[1] & rim));
  kinds |= setwise_inline_met(b, seen, 2, setwise_inline_lowest(rays[2] & files));
  kinds |= setwise_inline_met(b, seen, 3, (unsigned)setwise_inline_highest(rays[3] & rim));
  kinds |= setwise_inline_met(b, seen, 4, (unsigned)setwise_inline_highest(rays[4] & ranks));
  kinds |= setwise_inline_met(b, seen, 5, (unsigned)setwise_inline_highest(rays[5] & rim));
  kinds |= setwise_inline_met(b, seen, 6, (unsigned)setwise_inline_highest(rays[6] & files));
  kinds |= setwise_inline_met(b, seen, 7, setwise_inline_lowest(rays[7] & rim));
  setwise_inline_see(seen, square, kinds, occupied, knights);
  /* The steps of the jumps, modulo 64, at their bits. */
  setwise_inline_word_to_bytes((square * 0x0101010101010101ull + 0x00003a003631002full) &
                                   0x3f3f3f3f3f3f3f3full, seen->squares + 16);
  setwise_inline_word_to_bytes((square * 0x0101010101010101ull + 0x11000f0a00060000ull) &
                                   0x3f3f3f3f3f3f3f3full, seen->squares + 24);
}

/* The code on a square, and the square in bits 8 to 15. */
SETWISE_INLINE_ALWAYS uint32_t setwise_inline_entry(const setwise_inline_board *b, unsigned square) {
  return b->codes[square] | square << 8;
}

/* Adds a threat if it counts: the attacker's entry, and the victim's in the high half. Branch-free:
 * the next threat overwrites one that does not. */
SETWISE_INLINE_ALWAYS unsigned setwise_inline_push(const setwise_inline_board *b, uint32_t threat,
                                                   setwise_threat *list, unsigned count) {
  const unsigned counts = b->pairs[threat & 15] >> (threat >> 16 & 31) & 1;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  threat = __builtin_bswap32(threat);
#endif
  memcpy(list + count, &threat, 4);
  return count + counts;
}

/* Adds the threats of the piece on the viewed square, and those on it, without some rays. */
SETWISE_INLINE_ALWAYS unsigned setwise_inline_direct(const setwise_inline_board *b,
                                                     const setwise_inline_seen *seen,
                                                     unsigned square, uint64_t hidden,
                                                     setwise_threat *list, unsigned count) {
  /* By the trailing zeros of a kind: the rays along which it slides, from 16 on all jumps if it is
   * a knight, from 32 on the rays that it steps. */
  static const uint64_t OWN[8] = {0x8200000000ull, 0x2800000000ull, 0xffff0000ull, 0xaa,
                                  0x55, 0xff, 0xff00000000ull, 0};
  const uint64_t out = seen->pieces & ~(hidden | hidden << 32) &
                       OWN[setwise_inline_lowest(setwise_inline_kind(b, square))];
  /* Those in the high half are attackers. */
  uint64_t left = ((out | out >> 32) & 0xffffffff) | (seen->attackers & ~hidden) << 32;
  const uint32_t focus = setwise_inline_entry(b, square);
  for (; left; left &= left - 1) {
    const unsigned i = setwise_inline_lowest(left), turn = i >> 1 & 16;
    const uint32_t out_threat = focus | setwise_inline_entry(b, seen->squares[i & 31]) << 16;
    count = setwise_inline_push(b, out_threat >> turn | out_threat << ((0 - turn) & 31), list, count);
  }
  return count;
}

/* Adds the threats of sliders through the viewed square, without some rays. */
SETWISE_INLINE_ALWAYS unsigned setwise_inline_through(const setwise_inline_board *b,
                                                      const setwise_inline_seen *seen,
                                                      uint64_t hidden, setwise_threat *list,
                                                      unsigned count) {
  const uint64_t pieces = seen->pieces & ~hidden & 0xff;
  uint64_t left = seen->sliders & ~hidden & (pieces >> 4 | pieces << 4);
  for (; left; left &= left - 1) {
    const unsigned i = setwise_inline_lowest(left);
    count = setwise_inline_push(b, setwise_inline_entry(b, seen->squares[i]) |
                                       setwise_inline_entry(b, seen->squares[i ^ 4]) << 16, list, count);
  }
  return count;
}

/* A bit for the ray from a square to another one, or 0 if there is none, or a piece between. */
SETWISE_INLINE_ALWAYS unsigned setwise_inline_clear_ray(unsigned from, unsigned to,
                                                        const setwise_inline_seen *seen) {
  static const uint8_t RAYS[9] = {5, 4, 3, 6, 8, 2, 7, 0, 1};
  const int files = (int)(to & 7) - (int)(from & 7), ranks = (int)(to >> 3) - (int)(from >> 3);
  const int line = !files | !ranks | (files == ranks) | (files == -ranks);
  const unsigned ray = RAYS[3 * ((ranks > 0) - (ranks < 0)) + (files > 0) - (files < 0) + 4];
  const int beyond = seen->squares[ray & 7] - (int)to;
  const int unblocked = !beyond | ((beyond ^ ((int)to - (int)from)) >= 0);
  return (unsigned)(line & unblocked & (ray < 8)) << (ray & 7);
}

SETWISE_INLINE_ALWAYS unsigned setwise_inline_opposite(unsigned rays) {
  return (rays >> 4 | rays << 4) & 0xff;
}

/* The changes of up to four squares, with codes below 16 or SETWISE_INLINE_EMPTY. */
static inline void setwise_inline_scan_edited(const uint8_t *board, const uint8_t *squares,
                                              const uint8_t *codes, unsigned edits,
                                              const setwise_threat_rules *rules,
                                              setwise_threat_changes *changes) {
  setwise_inline_board b;
  setwise_inline_seen seen[4];
  /* By view, in ascending order: its square; a bit for the ray of each other view; the code. */
  unsigned at[4], rays[4][4], i, j, after, count = 0;
  uint8_t both[2][4];
  uint64_t changed = 0, left;
  setwise_inline_set_up(&b, board, rules);
  for (i = 0; i < edits; i++) {
    const unsigned old = b.codes[squares[i]];
    if (old != codes[i] && (b.kinds[old] | b.kinds[codes[i]])) changed |= 1ull << squares[i];
  }
  for (left = changed; left; left &= left - 1) {
    const unsigned square = setwise_inline_lowest(left);
    at[count] = square, both[0][count] = b.codes[square];
    for (i = 0; i < edits; i++)
      if (squares[i] == square) both[1][count] = codes[i];
    b.codes[square] = SETWISE_INLINE_EMPTY;
    count++;
  }
  for (i = 0; i < count; i++) {
    setwise_inline_look(&b, at[i], b.occupied & ~changed, b.knights & ~changed, &seen[i]);
    for (j = 0; j < i; j++)
      rays[j][i] = setwise_inline_clear_ray(at[j], at[i], &seen[j]),
      rays[i][j] = setwise_inline_opposite(rays[j][i]);
  }
  for (after = 0; after < 2; after++) {
    setwise_threat_list *const list = after ? &changes->added : &changes->removed;
    list->count = 0;
    for (i = 0; i < count; i++) b.codes[at[i]] = both[after][i];
    for (i = 0; i < count; i++) {
      const int is_piece = setwise_inline_kind(&b, at[i]) != 0;
      setwise_inline_seen shown = seen[i];
      unsigned hidden = 0;
      /* Threats of several of the squares are those of the first. */
      for (j = 0; j < count; j++) {
        const int other = setwise_inline_kind(&b, at[j]) != 0;
        if (j != i && (is_piece ? other && j < i : other || j < i)) hidden |= rays[i][j];
      }
      /* Those on a ray are on one to higher squares, so the nearest comes last. */
      for (j = count; is_piece && --j > i;) {
        const unsigned kind = setwise_inline_kind(&b, at[j]), ray = rays[i][j];
        const uint64_t square = 1ull << at[j];
        setwise_inline_seen more;
        if (!kind) continue;
        setwise_inline_see(&more, at[i],
                           ray ? (uint64_t)kind << 8 * setwise_inline_lowest(ray) : 0, square,
                           kind == SETWISE_INLINE_KNIGHT ? square : 0);
        if (ray) shown.squares[setwise_inline_lowest(ray)] = (uint8_t)at[j];
        shown.pieces = (shown.pieces & ~(ray | (uint64_t)ray << 32)) | more.pieces;
        shown.sliders = (shown.sliders & ~(uint64_t)ray) | more.sliders;
        shown.attackers = (shown.attackers & ~(uint64_t)ray) | more.attackers;
      }
      list->count =
          is_piece ? setwise_inline_direct(&b, &shown, at[i], hidden, list->threats, list->count)
                   : setwise_inline_through(&b, &shown, hidden, list->threats, list->count);
    }
  }
}

/* A "move" that is not a move of a piece to another square, or leaves the same piece on `to`. */
static inline void setwise_inline_degenerate(const uint8_t *before, int from, int to, int placed,
                                             const setwise_threat_rules *rules,
                                             setwise_threat_changes *changes) {
  const uint8_t squares[2] = {(uint8_t)to, (uint8_t)from};
  const uint8_t codes[2] = {(uint8_t)placed, SETWISE_INLINE_EMPTY};
  setwise_inline_scan_edited(before, squares, codes, from == to ? 1 : 2, rules, changes);
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

SETWISE_INLINE_ALWAYS void setwise_inline_view_edited(const uint8_t *board, const setwise_edit *edits,
                                                      size_t count, const setwise_threat_rules *rules,
                                                      setwise_threat_changes *changes) {
  uint64_t changed = 0, pieces_before = 0, pieces_after = 0;
  uint8_t after[64];
  size_t i;
  memcpy(after, board, 64);
  for (i = 0; i < count; i++) {
    const int square = edits[i].square & 63, old = board[square] & 15, code = edits[i].code & 15;
    const uint64_t set = 1ull << square;
    after[square] = (uint8_t)code;
    if (rules->kinds[old]) pieces_before |= set;
    if (rules->kinds[code]) pieces_after |= set;
    if (old != code && (rules->kinds[old] || rules->kinds[code])) changed |= set;
  }
  setwise_inline_view_touching(board, changed, pieces_before & changed, rules, &changes->removed);
  setwise_inline_view_touching(after, changed, pieces_after & changed, rules, &changes->added);
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

#else

/* The changes of a move that is not degenerate. */
static inline void setwise_inline_scan_moved(const uint8_t *board, unsigned from, unsigned to,
                                             uint8_t placed, const setwise_threat_rules *rules,
                                             setwise_threat_changes *changes) {
  setwise_threat *const added = changes->added.threats, *const removed = changes->removed.threats;
  setwise_inline_board b;
  setwise_inline_seen at_from, at_to;
  unsigned hidden, opposite, count;
  uint8_t mover, captured;
  setwise_inline_set_up(&b, board, rules);
  mover = b.codes[from], captured = b.codes[to];
  /* The mover's square is also the rim of rays that see nothing. */
  b.codes[from] = SETWISE_INLINE_EMPTY;
  setwise_inline_look(&b, from, b.occupied, b.knights, &at_from);
  b.codes[to] = SETWISE_INLINE_EMPTY;
  setwise_inline_look(&b, to, b.occupied & ~(1ull << from), b.knights & ~(1ull << from), &at_to);
  /* The threats between the two squares are those of the mover. So if nothing is between them,
   * other threats that cross one do not end at or cross the other. */
  hidden = setwise_inline_clear_ray(from, to, &at_from);
  opposite = setwise_inline_opposite(hidden);
  b.codes[from] = mover, b.codes[to] = captured;
  count = setwise_inline_direct(&b, &at_from, from, 0, removed, 0);
  changes->removed.count =
      b.kinds[captured] ? setwise_inline_direct(&b, &at_to, to, opposite, removed, count)
                        : setwise_inline_through(&b, &at_to, opposite, removed, count);
  b.codes[to] = placed;
  count = setwise_inline_direct(&b, &at_to, to, 0, added, 0);
  changes->added.count = setwise_inline_through(&b, &at_from, hidden, added, count);
}

static inline void setwise_inline_scan_edits(const uint8_t *board, const setwise_edit *edits,
                                             size_t count, const setwise_threat_rules *rules,
                                             setwise_threat_changes *changes) {
  uint8_t squares[4], codes[4];
  size_t i;
  for (i = 0; i < count; i++) squares[i] = edits[i].square & 63, codes[i] = edits[i].code & 15;
  setwise_inline_scan_edited(board, squares, codes, (unsigned)count, rules, changes);
}

/* The squares from which these are some steps along a ray away. One step adds `by` to the number of
 * a square, and `files` to its file. */
SETWISE_INLINE_ALWAYS uint64_t setwise_inline_back(uint64_t set, int steps, int by, int files) {
  const int wide = steps * files, shift = steps * by;
  const uint64_t inside = (wide > 0 ? 0xffull >> wide : 0xffull << -wide) & 0xff;
  return (shift > 0 ? set >> shift : set << -shift) & inside * 0x0101010101010101ull;
}

/* The sliders that see a piece along a ray, and the steppers beside one. Pieces do not block, as
 * the nearest one is a victim, too. */
SETWISE_INLINE_ALWAYS uint64_t setwise_inline_attacking(uint64_t occupied, int by, int files,
                                                        uint64_t sliders, uint64_t steppers) {
  const uint64_t one = setwise_inline_back(occupied, 1, by, files);
  const uint64_t two = one | setwise_inline_back(one, 1, by, files);
  const uint64_t four = two | setwise_inline_back(two, 2, by, files);
  return ((four | setwise_inline_back(four, 4, by, files)) & sliders) | (one & steppers);
}

/* The set turned by half: its bits in the opposite order. */
static inline uint64_t setwise_inline_half_turn(uint64_t set) {
  static const uint64_t MASKS[6] = {0x5555555555555555ull, 0x3333333333333333ull,
                                    0x0f0f0f0f0f0f0f0full, 0x00ff00ff00ff00ffull,
                                    0x0000ffff0000ffffull, 0x00000000ffffffffull};
  int i;
  for (i = 0; i < 6; i++) set = (set >> (1 << i) & MASKS[i]) | (set & MASKS[i]) << (1 << i);
  return set;
}

/* Moves bit f of byte r of word i to bit i of byte r of word f. Returns the union of the words. */
#ifdef SETWISE_INLINE_SCAN_128
/* Explicit, because gcc would use vectors of 32 bytes for loops, and with them the stack. */
#define SETWISE_INLINE_SWAP_PAIRS(a, b, shift, mask)                                              \
  (swapped = _mm_and_si128(_mm_xor_si128(_mm_srli_epi64(a, shift), b), _mm_set1_epi8(mask)),      \
   (b) = _mm_xor_si128(b, swapped), (a) = _mm_xor_si128(a, _mm_slli_epi64(swapped, shift)))
SETWISE_INLINE_ALWAYS uint64_t setwise_inline_transpose(uint64_t words[8]) {
  __m128i *const pairs = (__m128i *)(void *)words;
  __m128i a = _mm_set_epi64x((long long)words[1], (long long)words[0]);
  __m128i b = _mm_set_epi64x((long long)words[3], (long long)words[2]);
  __m128i c = _mm_set_epi64x((long long)words[5], (long long)words[4]);
  __m128i d = _mm_set_epi64x((long long)words[7], (long long)words[6]);
  const __m128i any = _mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d));
  __m128i swapped, odd;
  SETWISE_INLINE_SWAP_PAIRS(a, c, 4, 0x0f);
  SETWISE_INLINE_SWAP_PAIRS(b, d, 4, 0x0f);
  SETWISE_INLINE_SWAP_PAIRS(a, b, 2, 0x33);
  SETWISE_INLINE_SWAP_PAIRS(c, d, 2, 0x33);
  odd = _mm_unpackhi_epi64(a, b), a = _mm_unpacklo_epi64(a, b);
  SETWISE_INLINE_SWAP_PAIRS(a, odd, 1, 0x55);
  _mm_storeu_si128(pairs, _mm_unpacklo_epi64(a, odd));
  _mm_storeu_si128(pairs + 1, _mm_unpackhi_epi64(a, odd));
  odd = _mm_unpackhi_epi64(c, d), c = _mm_unpacklo_epi64(c, d);
  SETWISE_INLINE_SWAP_PAIRS(c, odd, 1, 0x55);
  _mm_storeu_si128(pairs + 2, _mm_unpacklo_epi64(c, odd));
  _mm_storeu_si128(pairs + 3, _mm_unpackhi_epi64(c, odd));
  return (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(any, _mm_unpackhi_epi64(any, any)));
}
#else
static inline uint64_t setwise_inline_transpose(uint64_t words[8]) {
  uint64_t any = 0, swapped;
  int i;
  for (i = 0; i < 8; i++) any |= words[i];
  for (i = 0; i < 4; i++) SETWISE_INLINE_SWAP(words[i], words[i + 4], 4, 0x0f0f0f0f0f0f0f0full);
  for (i = 0; i < 8; i += i & 1 ? 3 : 1)
    SETWISE_INLINE_SWAP(words[i], words[i + 2], 2, 0x3333333333333333ull);
  for (i = 0; i < 8; i += 2) SETWISE_INLINE_SWAP(words[i], words[i + 1], 1, 0x5555555555555555ull);
  return any;
}
#endif

/* Set-wise, for each ray, the pieces that attack along it. A transposition makes a byte of rays of
 * each square, and a list of pairs of a square and a ray. A bit scan finds each victim. */
static inline unsigned setwise_inline_scan_of_board(const uint8_t *board,
                                                    const setwise_threat_rules *rules,
                                                    setwise_threat *threats) {
  /* Rays to lower squares are scanned on a board turned by half. */
  static const uint8_t TURNS[8] = {0, 0, 0, 63, 63, 63, 63, 0};
  setwise_inline_board b;
  uint64_t sets[7], words[8], white, black, straight, diagonal, occupied[2], left;
  uint8_t of_ray[428], of_from[428];
  unsigned i, found = 0, count = 0;
  setwise_inline_set_up(&b, board, rules);
  for (i = 0; i < 7; i++)
    sets[i] = setwise_inline_any_of(&b, setwise_inline_codes_of(rules, i));
  white = sets[0] | sets[6], black = sets[1] | sets[6];
  straight = sets[4] | sets[5], diagonal = sets[3] | sets[5];
  occupied[0] = b.occupied, occupied[1] = setwise_inline_half_turn(b.occupied);
  words[0] = setwise_inline_attacking(b.occupied, 8, 0, straight, sets[6]);
  words[1] = setwise_inline_attacking(b.occupied, 9, 1, diagonal, white);
  words[2] = setwise_inline_attacking(b.occupied, 1, 1, straight, sets[6]);
  words[3] = setwise_inline_attacking(b.occupied, -7, 1, diagonal, black);
  words[4] = setwise_inline_attacking(b.occupied, -8, 0, straight, sets[6]);
  words[5] = setwise_inline_attacking(b.occupied, -9, -1, diagonal, black);
  words[6] = setwise_inline_attacking(b.occupied, -1, -1, straight, sets[6]);
  words[7] = setwise_inline_attacking(b.occupied, 7, -1, diagonal, white);
  left = setwise_inline_transpose(words);
  for (; left; left &= left - 1) {
    const unsigned from = setwise_inline_lowest(left);
    const unsigned mask = (unsigned)(words[from & 7] >> (from & 56)) & 0xff;
    setwise_inline_word_to_bytes(SETWISE_INLINE_PACK[mask], of_ray + found);
    setwise_inline_word_to_bytes(from * 0x0101010101010101ull, of_from + found);
    found += setwise_inline_count(mask);
  }
  for (i = 0; i < found; i++) {
    const unsigned ray = of_ray[i], from = of_from[i], turn = TURNS[ray];
    const uint64_t squares = SETWISE_INLINE_RAYS[from ^ turn][ray ^ (turn & 4)] & occupied[turn & 1];
    const unsigned to = setwise_inline_lowest(squares) ^ turn;
    count = setwise_inline_push(
        &b, setwise_inline_entry(&b, from) | setwise_inline_entry(&b, to) << 16, threats, count);
  }
  for (left = b.knights; left; left &= left - 1) {
    const unsigned from = setwise_inline_lowest(left);
    const uint32_t attacker = setwise_inline_entry(&b, from);
    uint64_t on = SETWISE_INLINE_ROUND[from][1] & b.occupied;
    for (; on; on &= on - 1)
      count = setwise_inline_push(
          &b, attacker | setwise_inline_entry(&b, setwise_inline_lowest(on)) << 16, threats, count);
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
  setwise_inline_scan_moved(board, from, to, placed, rules, changes);
#endif
}

/* A kernel's threats_edited. */
static inline bool setwise_inline_threats_edited(const uint8_t board[64], const setwise_edit *edits,
                                                 size_t count, const setwise_threat_rules *rules,
                                                 setwise_threat_changes *changes) {
  uint64_t edited = 0;
  size_t i;
  if (count > 4) return false;
  for (i = 0; i < count; i++) {
    const uint64_t set = 1ull << (edits[i].square & 63);
    if (edited & set) return false;
    edited |= set;
  }
#if defined(SETWISE_INLINE_VIEW_512) || defined(SETWISE_INLINE_VIEW_256)
  setwise_inline_view_edited(board, edits, count, rules, changes);
#else
  setwise_inline_scan_edits(board, edits, count, rules, changes);
#endif
  return true;
}

/* Stores all threats of one board, in the order of a kernel's `threats`, and returns their number.
 * Entries after the last one may be overwritten: a board has at most 420 threats, but the list must
 * have room for 428, because whole vectors are stored. */
static inline unsigned setwise_inline_threats_of_board(const uint8_t board[64],
                                                       const setwise_threat_rules *rules,
                                                       setwise_threat threats[428]) {
#if defined(SETWISE_INLINE_VIEW_512) || defined(SETWISE_INLINE_VIEW_256)
  if (rules->every) return setwise_inline_view_of_board(board, 0, rules, threats);
  return setwise_inline_view_of_board(board, 1, rules, threats);
#else
  return setwise_inline_scan_of_board(board, rules, threats);
#endif
}

#ifdef __cplusplus
}
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
