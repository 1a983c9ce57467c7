/* Compares every function of setwise_inline.h with the oracle, and those of two squares with the
 * kernel `scalar` on every pair of squares. */
#include "cases.h"
#include "setwise_inline.h"

CASES("operations")

typedef uint64_t set;

static set state = 0x9e3779b97f4a7c15;

static set random_set(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state * 0x2545f4914f6cdd1dull;
}

static void equal(set got, set expected, const char *name) {
  expect(got == expected, "setwise_inline.h", name);
}

#define SET(n) ((set *)c[n])[i]
#define SQUARE(n) ((const uint8_t *)c[n])[i]
/* A function with one result, called for board i. */
#define EACH(entry, result, ...)                                                                  \
  if (!strcmp(o->name, #entry)) {                                                                 \
    for (size_t i = 0; i < n; i++) SET(result) = setwise_inline_##entry(__VA_ARGS__);             \
    return 1;                                                                                     \
  }

static int inlined(const operation *o, void *const *c, size_t n) {
  const int p = (int)o->parameter;
  set pieces[6], by_kind[3];
  EACH(rook_attacks, 2, SET(0), SET(1))
  EACH(bishop_attacks, 2, SET(0), SET(1))
  EACH(rook_attacks_from, 2, SQUARE(0), SET(1))
  EACH(bishop_attacks_from, 2, SQUARE(0), SET(1))
  EACH(queen_attacks_from, 2, SQUARE(0), SET(1))
  EACH(line_attacks_from, 2, p, SQUARE(0), SET(1))
  EACH(between, 2, SQUARE(0), SQUARE(1))
  EACH(line_through, 2, SQUARE(0), SQUARE(1))
  EACH(knight_attacks, 1, SET(0))
  EACH(king_attacks, 1, SET(0))
  EACH(pawn_attacks, 1, p, SET(0))
  if (!strcmp(o->name, "sliders_by_kind_one")) {
    for (size_t i = 0; i < n; i++) {
      setwise_inline_sliders_by_kind(SET(0), SET(1), SET(2), SET(3), by_kind);
      for (int kind = 0; kind < 3; kind++) SET(4 + kind) = by_kind[kind];
    }
    return 1;
  }
  if (strcmp(o->name, "side_attacks_one")) return 0;
  for (size_t i = 0; i < n; i++) {
    for (int kind = 0; kind < 6; kind++) pieces[kind] = SET(kind);
    const setwise_side_attacks attacks = setwise_inline_side_attacks(p, pieces, SET(6));
    for (int kind = 0; kind < 6; kind++) SET(7 + kind) = attacks.attacks[kind];
    SET(13) = attacks.all;
  }
  return 1;
}

/* Checks position_from_sets with random sets, in which random squares hold a piece of a random kind
 * and side. */
static void position_from_sets(void) {
  set kinds[6] = {0}, sides[2] = {0};
  setwise_position expected = {{{0}}}, got;
  for (set rest = random_set() & random_set(); rest; rest &= rest - 1) {
    const set square = rest & (0 - rest), kind = random_set() % 6, side = random_set() % 2;
    kinds[kind] |= square, sides[side] |= square;
    expected.pieces[side][kind] |= square;
  }
  got = setwise_inline_position_from_sets(kinds, sides);
  equal(0, (set)memcmp(&got, &expected, sizeof got), "position");
}

int main(void) {
  const setwise_kernel *k = setwise_by_name("scalar");
  set expected;
  if (!k) return 1;
  equal((set)run(inlined, "setwise_inline.h"), 18, "the number of operations");
  for (uint8_t square = 0; square < 64; square++)
    for (uint8_t other = 0; other < 64; other++) {
      k->between(&square, &other, &expected, 1);
      equal(setwise_inline_between(square, other), expected, "between");
      k->line_through(&square, &other, &expected, 1);
      equal(setwise_inline_line_through(square, other), expected, "line through");
    }
  equal(setwise_inline_count(0), 0, "count");
  equal(setwise_inline_count(~0ull), 64, "count");
  for (int round = 0; round < 10000; round++) {
    const set random = random_set();
    set count = 0;
    for (int square = 0; square < 64; square++) count += random >> square & 1;
    equal(setwise_inline_count(random), count, "count");
    position_from_sets();
  }
  return 0;
}
