/* Compares every function of setwise_inline.h with a kernel of the library, on every square and on
 * random boards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setwise_inline.h"

typedef uint64_t set;

static set state = 0x9e3779b97f4a7c15;

static set random_set(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state * 0x2545f4914f6cdd1dull;
}

static set all_if(int condition) { return condition ? ~0ull : 0; }

static void equal(set got, set expected, const char *name) {
  if (got != expected) {
    printf("%s: got %#llx, expected %#llx\n", name, (unsigned long long)got,
           (unsigned long long)expected);
    exit(1);
  }
}

static uint32_t count(set squares) {
  uint32_t n = 0;
  for (; squares; squares &= squares - 1) n++;
  return n;
}

/* Checks the mobility of 0 to 9 sliders on random squares of a random board. */
static void mobility(const setwise_kernel *k) {
  uint8_t squares[9];
  uint32_t rooks[9], bishops[9], queens[9];
  const size_t sliders = random_set() % 10;
  const set occupied = random_set() & random_set(), targets = random_set() | random_set();
  for (size_t i = 0; i < sliders; i++) squares[i] = random_set() % 64;
  setwise_inline_rook_mobility_each(squares, occupied, targets, rooks, sliders);
  setwise_inline_bishop_mobility_each(squares, occupied, targets, bishops, sliders);
  setwise_inline_queen_mobility_each(squares, occupied, targets, queens, sliders);
  for (size_t i = 0; i < sliders; i++) {
    set expected;
    k->rook_attacks_from(&squares[i], &occupied, &expected, 1);
    equal(rooks[i], count(expected & targets), "rook mobility");
    k->bishop_attacks_from(&squares[i], &occupied, &expected, 1);
    equal(bishops[i], count(expected & targets), "bishop mobility");
    k->queen_attacks_from(&squares[i], &occupied, &expected, 1);
    equal(queens[i], count(expected & targets), "queen mobility");
  }
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
  for (int i = 0; i < 12; i++)
    equal(got.pieces[i / 6][i % 6], expected.pieces[i / 6][i % 6], "position");
}

int main(void) {
  const setwise_kernel *k = setwise_by_name("scalar");
  set expected;
  if (!k) return 1;
  for (int round = 0; round < 200; round++)
    for (uint8_t square = 0; square < 64; square++) {
      const set occupied = random_set() & random_set();
      for (uint8_t line = 0; line < 4; line++) {
        k->line_attacks_from(line, &square, &occupied, &expected, 1);
        equal(setwise_inline_line_attacks_from(line, square, occupied), expected, "line");
      }
      k->rook_attacks_from(&square, &occupied, &expected, 1);
      equal(setwise_inline_rook_attacks_from(square, occupied), expected, "rook");
      k->bishop_attacks_from(&square, &occupied, &expected, 1);
      equal(setwise_inline_bishop_attacks_from(square, occupied), expected, "bishop");
      k->queen_attacks_from(&square, &occupied, &expected, 1);
      equal(setwise_inline_queen_attacks_from(square, occupied), expected, "queen");
      for (uint8_t other = 0; round == 0 && other < 64; other++) {
        k->between(&square, &other, &expected, 1);
        equal(setwise_inline_between(square, other), expected, "between");
        k->line_through(&square, &other, &expected, 1);
        equal(setwise_inline_line_through(square, other), expected, "line through");
      }
    }
  equal(setwise_inline_count(0), 0, "count");
  equal(setwise_inline_count(~0ull), 64, "count");
  for (int round = 0; round < 10000; round++) mobility(k), position_from_sets();
  for (int round = 0; round < 10000; round++) {
    set pieces[6], by_kind[3], expected_by_kind[3];
    /* The first four rounds combine empty and full boards with empty and full sets of pieces. */
    const set occupied = round < 4 ? all_if(round & 1) : random_set() & random_set();
    for (int kind = 0; kind < 6; kind++)
      pieces[kind] = round < 4 ? all_if(round & 2) : random_set() & random_set() & random_set();
    equal(setwise_inline_rook_attacks(pieces[3], occupied), k->rook_attacks_one(pieces[3], occupied),
          "rooks");
    equal(setwise_inline_bishop_attacks(pieces[2], occupied),
          k->bishop_attacks_one(pieces[2], occupied), "bishops");
    k->sliders_by_kind_one(pieces[2], pieces[3], pieces[4], occupied, expected_by_kind);
    setwise_inline_sliders_by_kind(pieces[2], pieces[3], pieces[4], occupied, by_kind);
    for (int kind = 0; kind < 3; kind++) equal(by_kind[kind], expected_by_kind[kind], "by kind");
    k->knight_attacks(&pieces[1], &expected, 1);
    equal(setwise_inline_knight_attacks(pieces[1]), expected, "knights");
    k->king_attacks(&pieces[5], &expected, 1);
    equal(setwise_inline_king_attacks(pieces[5]), expected, "kings");
    for (int side = 0; side < 2; side++) {
      setwise_side_attacks of_side, inlined = setwise_inline_side_attacks(side, pieces, occupied);
      k->side_attacks_one((uint8_t)side, pieces, occupied, &of_side);
      if (memcmp(&inlined, &of_side, sizeof of_side)) equal(inlined.all, ~of_side.all, "one side");
      k->pawn_attacks((uint8_t)side, &pieces[0], &expected, 1);
      equal(setwise_inline_pawn_attacks(side, pieces[0]), expected, "pawns");
    }
  }
  return 0;
}
