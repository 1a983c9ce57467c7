/* Compares every entry of every kernel's table with an oracle that walks square by square. Also
 * checks the header's rules for NULL, for the choice of a kernel and for the table. Prints the
 * kernels. Exits with 0 if all checks pass. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setwise.h"

#define BOARDS 150

static int failures = 0;
static const char *running = "";

static void expect(int holds, const char *what) {
  if (!holds && failures++ < 20) printf("FAILED: %s: %s\n", running, what);
}

/* The oracle. */

typedef uint64_t set;

static set state = 0x9e3779b97f4a7c15ull;
static set random_set(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

static const int EAST[8] = {0, 1, 1, 1, 0, -1, -1, -1}, NORTH[8] = {1, 1, 0, -1, -1, -1, 0, 1};

static int has(set squares, int file, int rank) { return squares >> (8 * rank + file) & 1; }
static int inside(int file, int rank) { return file >= 0 && file < 8 && rank >= 0 && rank < 8; }

/* Walks from a square in a direction, up to the first occupied square. Adds each square that it
 * enters to *seen. Returns the index of the occupied square, or -1 if there is none. */
static int walk(int square, int way, set occupied, set *seen) {
  int file = square % 8 + EAST[way], rank = square / 8 + NORTH[way];
  for (; inside(file, rank); file += EAST[way], rank += NORTH[way]) {
    *seen |= (set)1 << (8 * rank + file);
    if (has(occupied, file, rank)) return 8 * rank + file;
  }
  return -1;
}

#define ROOK 0x55
#define BISHOP 0xaa
#define QUEEN 0xff

static set attacks(int ways, set sliders, set occupied) {
  set seen = 0;
  for (int square = 0; square < 64; square++)
    for (int way = 0; way < 8; way++)
      if (sliders >> square & 1 && ways >> way & 1) walk(square, way, occupied | sliders, &seen);
  return seen;
}

static set both(set orthogonal, set diagonal, set occupied) {
  set all = orthogonal | diagonal | occupied;
  return attacks(ROOK, orthogonal, all) | attacks(BISHOP, diagonal, all);
}

static set fill(int way, set generators, set propagators) {
  set filled = generators;
  for (int square = 0; square < 64; square++) {
    if (!(generators >> square & 1)) continue;
    int file = square % 8 + EAST[way], rank = square / 8 + NORTH[way];
    while (inside(file, rank) && has(propagators, file, rank)) {
      filled |= (set)1 << (8 * rank + file);
      file += EAST[way], rank += NORTH[way];
    }
  }
  return filled;
}

static set xray(int ways, set sliders, set blockers, set occupied) {
  set seen = 0, ignored = 0, all = occupied | sliders;
  for (int square = 0; square < 64; square++)
    for (int way = 0; way < 8; way++) {
      if (!(sliders >> square & 1) || !(ways >> way & 1)) continue;
      int first = walk(square, way, all, &ignored);
      if (first >= 0 && blockers >> first & 1) walk(first, way, all, &seen);
    }
  return seen;
}

static void pins(set kings, set own, set orthogonal, set diagonal, set occupied, set *pinned,
                 set *pinners) {
  set all = kings | own | orthogonal | diagonal | occupied, ignored = 0;
  *pinned = *pinners = 0;
  for (int square = 0; square < 64; square++)
    for (int way = 0; way < 8; way++) {
      if (!(kings >> square & 1)) continue;
      int first = walk(square, way, all, &ignored);
      if (first < 0 || !(own >> first & 1)) continue;
      int second = walk(first, way, all, &ignored);
      if (second < 0 || !((way % 2 ? diagonal : orthogonal) >> second & 1)) continue;
      *pinned |= (set)1 << first;
      *pinners |= (set)1 << second;
    }
}

static int way_from(int a, int b, set *met) {
  for (int way = 0; way < 8; way++) {
    set seen = 0;
    if (walk(a, way, (set)1 << b, &seen) == b) {
      *met = seen & ~((set)1 << b);
      return way;
    }
  }
  return -1;
}
static set between(int a, int b) {
  set met = 0;
  return way_from(a, b, &met) < 0 ? 0 : met;
}
static set line(int ways, int square) {
  set seen = (set)1 << square;
  for (int way = 0; way < 8; way++)
    if (ways >> way & 1) walk(square, way, 0, &seen);
  return seen;
}
static set line_through(int a, int b) {
  set met = 0;
  int way = way_from(a, b, &met);
  return way < 0 ? 0 : line(1 << way | 1 << (way + 4) % 8, a);
}
static uint32_t count(set squares) {
  uint32_t n = 0;
  for (int square = 0; square < 64; square++) n += squares >> square & 1;
  return n;
}

static set jumps(int square, int knight) {
  set seen = 0;
  for (int file = 0; file < 8; file++)
    for (int rank = 0; rank < 8; rank++) {
      int east = abs(file - square % 8), north = abs(rank - square / 8);
      int reached = knight ? east * north == 2 : (east | north) == 1;
      if (reached) seen |= (set)1 << (8 * rank + file);
    }
  return seen;
}

/* The squares that a piece attacks; side 0 is White. */
static set piece_attacks(int side, int kind, int square, set occupied) {
  static const int WAYS[6] = {0, 0, BISHOP, ROOK, QUEEN, 0};
  set one = (set)1 << square;
  if (kind == 0) {
    int rank = square / 8 + (side ? -1 : 1), file = square % 8;
    return (inside(file - 1, rank) ? (set)1 << (8 * rank + file - 1) : 0) |
           (inside(file + 1, rank) ? (set)1 << (8 * rank + file + 1) : 0);
  }
  return kind == 1 || kind == 5 ? jumps(square, kind == 1) : attacks(WAYS[kind], one, occupied);
}

static void check_positions(const setwise_kernel *k) {
  enum { POSITIONS = 100 };
  static setwise_position positions[POSITIONS];
  static setwise_attack_maps maps[POSITIONS + 1];
  static setwise_checks checks[POSITIONS + 1];
  memset(maps, 0xa5, sizeof maps), memset(checks, 0xa5, sizeof checks);
  const set untouched = 0xa5a5a5a5a5a5a5a5ull;
  running = "positions";
  for (int i = 0; i < POSITIONS; i++) {
    memset(&positions[i], 0, sizeof positions[i]);
    for (int square = 0; square < 64; square++)
      if (i > 0 && random_set() % 3 == 0)
        positions[i].pieces[random_set() & 1][random_set() % 6] |= (set)1 << square;
  }
  k->attack_maps(NULL, NULL, 0), k->checks(NULL, NULL, 0);
  k->attack_maps(positions, maps, POSITIONS), k->checks(positions, checks, POSITIONS);
  for (int i = 0; i < POSITIONS; i++) {
    set side_of[2] = {0, 0};
    for (int side = 0; side < 2; side++)
      for (int kind = 0; kind < 6; kind++) side_of[side] |= positions[i].pieces[side][kind];
    set occupied = side_of[0] | side_of[1];
    for (int side = 0; side < 2; side++) {
      const set *own = positions[i].pieces[side], *other = positions[i].pieces[1 - side];
      set all = 0, by_lesser = 0, checkers = 0, twice = 0, by_kind[4], pinned, pinners;
      setwise_side_attacks of_side[2];
      static const int WORTH[5] = {1, 3, 3, 5, 9};
      for (int kind = 0; kind < 6; kind++) {
        set seen = 0;
        for (int square = 0; square < 64; square++)
          if (own[kind] >> square & 1) {
            set attacked = piece_attacks(side, kind, square, occupied);
            twice |= (all | seen) & attacked;
            seen |= attacked;
          }
        expect(maps[i].attacks[side][kind] == seen, "attacks");
        all |= seen;
        for (int greater = 0; greater < 5; greater++)
          if (kind < 5 && WORTH[kind] < WORTH[greater]) by_lesser |= seen & other[greater];
      }
      memset(of_side, 0xa5, sizeof of_side), memset(by_kind, 0xa5, sizeof by_kind);
      k->side_attacks_one((uint8_t)side, own, occupied, of_side);
      expect(!memcmp(of_side->attacks, maps[i].attacks[side], sizeof of_side->attacks) &&
                 of_side->all == all, "attacks of one side");
      k->sliders_by_kind_one(own[2], own[3], own[4], occupied, by_kind);
      expect(!memcmp(by_kind, of_side->attacks + 2, 3 * sizeof *by_kind), "sliders by kind");
      expect(of_side[1].attacks[0] == untouched && by_kind[3] == untouched, "writes too far");
      expect(k->doubly_attacked_one((uint8_t)side, own, occupied) == twice, "attacked twice");
      expect(maps[i].all[side] == all && maps[i].by_lesser[side] == by_lesser, "all or by_lesser");
      for (int kind = 0; kind < 5; kind++)
        for (int square = 0; square < 64; square++)
          if (other[kind] >> square & 1 &&
              piece_attacks(1 - side, kind, square, occupied) & own[5])
            checkers |= (set)1 << square;
      pins(own[5], side_of[side], other[3] | other[4], other[2] | other[4], occupied, &pinned,
           &pinners);
      expect(checks[i].checkers[side] == checkers, "checkers");
      expect(checks[i].pinned[side] == pinned && checks[i].pinners[side] == pinners, "pins");
    }
  }
  static set pieces[12][POSITIONS], results[16][POSITIONS + 1];
  k->attack_maps_in_columns(NULL, 0);
  for (int only = -1; only < 16; only++) {
    setwise_columns columns;
    memset(&columns, 0, sizeof columns), memset(results, 0xa5, sizeof results);
    for (int n = 0; n < 12; n++) {
      for (int i = 0; i < POSITIONS; i++) pieces[n][i] = positions[i].pieces[n / 6][n % 6];
      columns.pieces[n / 6][n % 6] = pieces[n];
    }
    for (int n = 0; n < 16; n++) {
      set **to = n < 12 ? &columns.attacks[n / 6][n % 6]
                 : n < 14 ? &columns.all[n - 12] : &columns.by_lesser[n - 14];
      if (only < 0 || n == only) *to = results[n];
    }
    k->attack_maps_in_columns(&columns, POSITIONS);
    for (int n = 0; n < 16; n++)
      for (int i = 0; i <= POSITIONS; i++) {
        set expected = untouched;
        if (i < POSITIONS && (only < 0 || n == only))
          expected = n < 12 ? maps[i].attacks[n / 6][n % 6]
                     : n < 14 ? maps[i].all[n - 12] : maps[i].by_lesser[n - 14];
        expect(results[n][i] == expected, "attack maps in columns");
      }
  }
  expect(maps[POSITIONS].all[0] == untouched && checks[POSITIONS].pinners[1] == untouched,
         "writes too far");
}

/* Inputs and outputs of the operations. An output has one more element than the largest batch, so
 * that `after` detects a write beyond it. */

static set s1[BOARDS], s2[BOARDS], s3[BOARDS], s4[BOARDS], s5[BOARDS];
static set out[BOARDS + 1], out2[BOARDS + 1];
static uint8_t a[BOARDS], b[BOARDS];
static uint32_t counts[BOARDS + 1];

static void before(void) {
  memset(out, 0xa5, sizeof out), memset(out2, 0xa5, sizeof out2);
  memset(counts, 0xa5, sizeof counts);
}
static void after(size_t boards) {
  for (size_t i = boards; i <= BOARDS; i++)
    expect(out[i] == 0xa5a5a5a5a5a5a5a5ull && out2[i] == out[i] && counts[i] == 0xa5a5a5a5u,
           "writes too far");
}

/* Calls a function of the table. The last argument is an expression in i that must hold for each
 * board i. */
#define CHECK(entry, arguments, ...)                                       \
  do {                                                                     \
    running = #entry;                                                      \
    before();                                                              \
    k->entry arguments;                                                    \
    for (size_t i = 0; i < n; i++) expect(__VA_ARGS__, "differs from the oracle"); \
    after(n);                                                              \
  } while (0)

static void check(const setwise_kernel *k, size_t n) {
  CHECK(rook_attacks, (s1, s3, out, n), out[i] == attacks(ROOK, s1[i], s3[i]));
  CHECK(bishop_attacks, (s1, s3, out, n), out[i] == attacks(BISHOP, s1[i], s3[i]));
  CHECK(queen_attacks, (s1, s3, out, n), out[i] == attacks(QUEEN, s1[i], s3[i]));
  CHECK(slider_attacks, (s1, s2, s3, out, n), out[i] == both(s1[i], s2[i], s3[i]));
  CHECK(slider_attacks_split, (s1, s2, s3, out, out2, n),
        out[i] == attacks(ROOK, s1[i], s1[i] | s2[i] | s3[i]) &&
            out2[i] == attacks(BISHOP, s2[i], s1[i] | s2[i] | s3[i]));
  CHECK(xray_rook_attacks, (s1, s4, s3, out, n), out[i] == xray(ROOK, s1[i], s4[i], s3[i]));
  CHECK(xray_bishop_attacks, (s1, s4, s3, out, n), out[i] == xray(BISHOP, s1[i], s4[i], s3[i]));
  CHECK(xray_queen_attacks, (s1, s4, s3, out, n), out[i] == xray(QUEEN, s1[i], s4[i], s3[i]));
  set x, y;
  CHECK(pins, (s1, s4, s2, s5, s3, out, out2, n),
        (pins(s1[i], s4[i], s2[i], s5[i], s3[i], &x, &y), out[i] == x && out2[i] == y));
  for (uint8_t way = 0; way < 8; way++) {
    CHECK(ray_attacks, (way, s1, s3, out, n), out[i] == attacks(1 << way, s1[i], s3[i]));
    CHECK(occluded_fill, (way, s1, s4, out, n), out[i] == fill(way, s1[i], s4[i]));
  }
  CHECK(rook_mobility, (s1, s3, s4, counts, n),
        counts[i] == count(attacks(ROOK, s1[i], s3[i]) & s4[i]));
  CHECK(bishop_mobility, (s1, s3, s4, counts, n),
        counts[i] == count(attacks(BISHOP, s1[i], s3[i]) & s4[i]));
  CHECK(queen_mobility, (s1, s3, s4, counts, n),
        counts[i] == count(attacks(QUEEN, s1[i], s3[i]) & s4[i]));
  CHECK(slider_mobility, (s1, s2, s3, s4, counts, n),
        counts[i] == count(both(s1[i], s2[i], s3[i]) & s4[i]));
  CHECK(rook_attacks_from, (a, s3, out, n), out[i] == attacks(ROOK, (set)1 << a[i], s3[i]));
  CHECK(bishop_attacks_from, (a, s3, out, n), out[i] == attacks(BISHOP, (set)1 << a[i], s3[i]));
  CHECK(queen_attacks_from, (a, s3, out, n), out[i] == attacks(QUEEN, (set)1 << a[i], s3[i]));
  static const int LINES[4] = {1 << SETWISE_EAST | 1 << SETWISE_WEST,
                               1 << SETWISE_NORTH | 1 << SETWISE_SOUTH,
                               1 << SETWISE_NORTH_EAST | 1 << SETWISE_SOUTH_WEST,
                               1 << SETWISE_NORTH_WEST | 1 << SETWISE_SOUTH_EAST};
  for (uint8_t l = 0; l < 4; l++)
    CHECK(line_attacks_from, (l, a, s3, out, n),
          out[i] == attacks(LINES[l], (set)1 << a[i], s3[i]));
  CHECK(between, (a, b, out, n), out[i] == between(a[i], b[i]));
  CHECK(line_through, (a, b, out, n), out[i] == line_through(a[i], b[i]));
  running = "..._one";
  for (size_t i = 0; i < n; i++) {
    expect(k->rook_attacks_one(s1[i], s3[i]) == attacks(ROOK, s1[i], s3[i]), "rook");
    expect(k->bishop_attacks_one(s1[i], s3[i]) == attacks(BISHOP, s1[i], s3[i]), "bishop");
    expect(k->queen_attacks_one(s1[i], s3[i]) == attacks(QUEEN, s1[i], s3[i]), "queen");
    expect(k->slider_attacks_one(s1[i], s2[i], s3[i]) == both(s1[i], s2[i], s3[i]), "slider");
  }
}

/* With 0 boards, pointers may be NULL, and nothing may be written. */
static void check_no_boards(const setwise_kernel *k) {
  running = "no boards";
  before();
  k->rook_attacks(NULL, NULL, NULL, 0), k->bishop_attacks(NULL, NULL, NULL, 0);
  k->queen_attacks(NULL, NULL, NULL, 0), k->slider_attacks(NULL, NULL, NULL, NULL, 0);
  k->slider_attacks_split(NULL, NULL, NULL, NULL, NULL, 0);
  k->xray_rook_attacks(NULL, NULL, NULL, NULL, 0);
  k->xray_bishop_attacks(NULL, NULL, NULL, NULL, 0);
  k->xray_queen_attacks(NULL, NULL, NULL, NULL, 0);
  k->pins(NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0);
  for (int way = 0; way < 256; way++) {
    k->ray_attacks((uint8_t)way, NULL, NULL, NULL, 0);
    k->occluded_fill((uint8_t)way, NULL, NULL, NULL, 0);
  }
  k->rook_mobility(NULL, NULL, NULL, NULL, 0), k->bishop_mobility(NULL, NULL, NULL, NULL, 0);
  k->queen_mobility(NULL, NULL, NULL, NULL, 0), k->slider_mobility(NULL, NULL, NULL, NULL, NULL, 0);
  k->rook_attacks_from(NULL, NULL, NULL, 0), k->bishop_attacks_from(NULL, NULL, NULL, 0);
  k->queen_attacks_from(NULL, NULL, NULL, 0), k->line_attacks_from(3, NULL, NULL, NULL, 0);
  k->between(NULL, NULL, NULL, 0), k->line_through(NULL, NULL, NULL, 0);
  k->queen_attacks(s1, s3, out, 0);
  after(0);
}

/* Checks setwise_by_name, setwise_init and the status that setwise_init sets. */
static void check_choice(const setwise_kernel *best) {
  running = "choice";
  expect(setwise_by_name(NULL) == NULL, "NULL is accepted as a name");
  expect(setwise_by_name("") == NULL && setwise_by_name("abacus") == NULL, "an unknown name");
  expect(setwise_by_name("\xff") == NULL, "a name that is not UTF-8");
  const setwise_kernel *scalar = setwise_by_name("scalar");
  expect(scalar != NULL && strcmp(scalar->name, "scalar") == 0, "scalar is not available");
  const uint32_t flags = SETWISE_IGNORE_ENVIRONMENT;
  expect(setwise_init(flags, "scalar", NULL) == scalar && setwise_active() == scalar, "forcing");
  expect(!setwise_beats_look_ups(scalar), "scalar beats look-ups");
#if defined(__x86_64__)
  expect(setwise_beats_look_ups(setwise_by_name("sse2")) == 1, "sse2 does not beat look-ups");
#endif
  expect(*setwise_status() == 0, "the status after success");
  expect(setwise_init(flags, "abacus", NULL) == NULL, "an unknown name is forced");
  expect(strstr(setwise_status(), "there is no kernel `abacus`") == setwise_status(),
         setwise_status());
  expect(setwise_init(flags, NULL, "avx2, abacus") == NULL && strstr(setwise_status(), "abacus"),
         "an unknown name is excluded");
  expect(setwise_active() == scalar, "an error changes the choice");
  char others[512] = "", all[512] = "";
  const setwise_kernel *list[64];
  size_t count = setwise_available(list, 64);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) strcat(others, list[i]->name), strcat(others, " , ");
    strcat(all, list[i]->name), strcat(all, ",");
  }
  expect(setwise_init(flags, NULL, others) == best, "excluding all but the best");
  expect(setwise_init(flags, NULL, all) == NULL, "excluding all");
  expect(strstr(setwise_status(), "no kernel is left") != NULL, setwise_status());
  expect(setwise_init(flags, "scalar", all) == scalar, "forcing an excluded kernel");
  expect(setwise_init(flags, NULL, NULL) == best && setwise_active() == best, "choosing by CPU");
  expect(*setwise_status() == 0, "the status after choosing by CPU");
}

int main(void) {
  const setwise_kernel *list[64] = {0};
  const size_t available = setwise_available(NULL, 0);
  expect(available > 0 && available <= 64, "the number of kernels");
  expect(setwise_available(NULL, 9) == available, "setwise_available without a list");
  expect(setwise_available(list, 1) == available, "setwise_available with a short list");
  expect(list[0] != NULL && list[1] == NULL, "setwise_available writes past the list");
  expect(setwise_available(list, 64) == available, "setwise_available");
  expect(strcmp(setwise_version(), SETWISE_VERSION) == 0, "the versions differ");
  for (int i = 0; i < BOARDS; i++) {
    s1[i] = random_set() & random_set() & random_set() & random_set();
    s2[i] = random_set() & random_set() & random_set() & random_set();
    s3[i] = random_set() & random_set() & random_set();
    s4[i] = random_set() & (random_set() | s3[i]);
    s5[i] = random_set() & random_set() & random_set() & random_set();
    a[i] = (uint8_t)(random_set() >> 58), b[i] = (uint8_t)(random_set() >> 58);
  }
  for (size_t i = 0; i < available; i++) {
    const setwise_kernel *k = list[i];
    printf("%s\n", k->name);
    expect(k->size == sizeof *k && k->abi_version == SETWISE_ABI_VERSION, "not the header's table");
    expect(SETWISE_HAS(k, rook_attacks) && SETWISE_HAS(k, checks), "a field is missing");
    expect(setwise_by_name(k->name) == k, "setwise_by_name");
    check_no_boards(k);
    check_positions(k);
    static const size_t LENGTHS[] = {0, 1, 2, 3, 7, 31, 32, 33, 65, BOARDS};
    for (size_t l = 0; l < sizeof LENGTHS / sizeof *LENGTHS; l++) check(k, LENGTHS[l]);
  }
  check_choice(list[0]);
  if (failures) printf("%d failures\n", failures);
  return failures != 0;
}
