/* Compares every function of setwise_inline.h with the oracle, those of one square or two on every
 * square, and the mobility with the kernel `scalar`. */
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

/* Checks the mobility of 0 to 9 sliders on random squares of a random board. */
static void mobility(const setwise_kernel *k) {
  uint8_t squares[9];
  set boards[9], occupied[9], targets[9];
  uint32_t got[9] = {0}, expected[9] = {0};
  const size_t sliders = random_set() % 10, bytes = sliders * sizeof *got;
  for (size_t i = 0; i < 9; i++) {
    squares[i] = random_set() % 64, boards[i] = 1ull << squares[i];
    occupied[i] = i ? occupied[0] : random_set() & random_set();
    targets[i] = i ? targets[0] : random_set() | random_set();
  }
  setwise_inline_rook_mobility_each(squares, occupied[0], targets[0], got, sliders);
  k->rook_mobility(boards, occupied, targets, expected, sliders);
  equal(0, (set)memcmp(got, expected, bytes), "rook mobility");
  setwise_inline_bishop_mobility_each(squares, occupied[0], targets[0], got, sliders);
  k->bishop_mobility(boards, occupied, targets, expected, sliders);
  equal(0, (set)memcmp(got, expected, bytes), "bishop mobility");
  setwise_inline_queen_mobility_each(squares, occupied[0], targets[0], got, sliders);
  k->queen_mobility(boards, occupied, targets, expected, sliders);
  equal(0, (set)memcmp(got, expected, bytes), "queen mobility");
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
  for (int round = 0; round < 10000; round++) mobility(k), position_from_sets();
  return 0;
}
