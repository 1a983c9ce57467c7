/* Compares every entry of every kernel's table with the oracle. Also checks the header's rules for
 * NULL, for the choice of a kernel and for the table. Prints the kernels. */
#include "cases.h"
#include "setwise.h"

CASES("operations")

typedef uint64_t set;
static const setwise_kernel *k;

#define SET(n) ((set *)c[n])
#define ENTRY(entry, ...) \
  if (!strcmp(o->name, #entry)) return k->entry(__VA_ARGS__), 1;
/* An entry for one board: the statement calls it for board i. */
#define ONE(entry, statement)                             \
  if (!strcmp(o->name, #entry)) {                         \
    for (size_t i = 0; i < n; i++) statement;             \
    return 1;                                             \
  }

static void side(const operation *o, void *const *c, size_t i) {
  set pieces[6];
  setwise_side_attacks attacks;
  for (int kind = 0; kind < 6; kind++) pieces[kind] = SET(kind)[i];
  if (o->outputs == 1) {
    SET(7)[i] = k->doubly_attacked_one((uint8_t)o->parameter, pieces, SET(6)[i]);
    return;
  }
  k->side_attacks_one((uint8_t)o->parameter, pieces, SET(6)[i], &attacks);
  for (int kind = 0; kind < 6; kind++) SET(7 + kind)[i] = attacks.attacks[kind];
  SET(13)[i] = attacks.all;
}

static void by_kind(void *const *c, size_t i) {
  set attacks[3];
  k->sliders_by_kind_one(SET(0)[i], SET(1)[i], SET(2)[i], SET(3)[i], attacks);
  for (int kind = 0; kind < 3; kind++) SET(4 + kind)[i] = attacks[kind];
}

static int entry(const operation *o, void *const *c, size_t n) {
  const uint8_t p = (uint8_t)o->parameter;
  ENTRY(rook_attacks, c[0], c[1], c[2], n)
  ENTRY(bishop_attacks, c[0], c[1], c[2], n)
  ENTRY(queen_attacks, c[0], c[1], c[2], n)
  ENTRY(slider_attacks, c[0], c[1], c[2], c[3], n)
  ENTRY(slider_attacks_split, c[0], c[1], c[2], c[3], c[4], n)
  ENTRY(xray_rook_attacks, c[0], c[1], c[2], c[3], n)
  ENTRY(xray_bishop_attacks, c[0], c[1], c[2], c[3], n)
  ENTRY(xray_queen_attacks, c[0], c[1], c[2], c[3], n)
  ENTRY(pins, c[0], c[1], c[2], c[3], c[4], c[5], c[6], n)
  ENTRY(ray_attacks, p, c[0], c[1], c[2], n)
  ENTRY(occluded_fill, p, c[0], c[1], c[2], n)
  ENTRY(rook_mobility, c[0], c[1], c[2], c[3], n)
  ENTRY(bishop_mobility, c[0], c[1], c[2], c[3], n)
  ENTRY(queen_mobility, c[0], c[1], c[2], c[3], n)
  ENTRY(slider_mobility, c[0], c[1], c[2], c[3], c[4], n)
  ENTRY(rook_attacks_from, c[0], c[1], c[2], n)
  ENTRY(bishop_attacks_from, c[0], c[1], c[2], n)
  ENTRY(queen_attacks_from, c[0], c[1], c[2], n)
  ENTRY(line_attacks_from, p, c[0], c[1], c[2], n)
  ENTRY(between, c[0], c[1], c[2], n)
  ENTRY(line_through, c[0], c[1], c[2], n)
  ENTRY(attack_maps, c[0], c[1], n)
  ENTRY(checks, c[0], c[1], n)
  ENTRY(knight_attacks, c[0], c[1], n)
  ENTRY(king_attacks, c[0], c[1], n)
  ENTRY(pawn_attacks, p, c[0], c[1], n)
  ONE(rook_attacks_one, SET(2)[i] = k->rook_attacks_one(SET(0)[i], SET(1)[i]))
  ONE(bishop_attacks_one, SET(2)[i] = k->bishop_attacks_one(SET(0)[i], SET(1)[i]))
  ONE(queen_attacks_one, SET(2)[i] = k->queen_attacks_one(SET(0)[i], SET(1)[i]))
  ONE(slider_attacks_one, SET(3)[i] = k->slider_attacks_one(SET(0)[i], SET(1)[i], SET(2)[i]))
  ONE(sliders_by_kind_one, by_kind(c, i))
  ONE(side_attacks_one, side(o, c, i))
  ONE(doubly_attacked_one, side(o, c, i))
  expect(0, o->name, "has no call in this test");
  return 0;
}

/* Without boards, every pointer may be NULL, and every byte is a parameter. */
static int no_boards(const operation *o, void *const *columns, size_t boards) {
  void *const null[18] = {NULL};
  operation of_byte = *o;
  (void)columns, (void)boards;
  for (of_byte.parameter = 0; of_byte.parameter < 256; of_byte.parameter++)
    entry(&of_byte, null, 0);
  return 0;
}

/* Compares the columns of `attack_maps_in_columns`, half of which are wanted, with the maps, which
 * are 16 sets in the same order. */
static int columns(const operation *o, void *const *c, size_t n) {
  static set pieces[12][500], results[16][501];
  union {
    setwise_columns columns;
    struct {
      const set *pieces[12];
      set *results[16];
    } each;
  } of;
  if (strcmp(o->name, "attack_maps")) return 0;
  k->attack_maps((const setwise_position *)c[0], (setwise_attack_maps *)c[1], n);
  memset(results, 0, sizeof results);
  for (int j = 0; j < 12; j++) {
    for (size_t i = 0; i < n; i++) pieces[j][i] = SET(0)[12 * i + j];
    of.each.pieces[j] = pieces[j];
  }
  for (int j = 0; j < 16; j++) of.each.results[j] = j % 2 ? results[j] : NULL;
  k->attack_maps_in_columns(&of.columns, n);
  for (int j = 0; j < 16; j++)
    for (size_t i = 0; i <= n; i++)
      expect(results[j][i] == (i < n && j % 2 ? SET(1)[16 * i + j] : 0), k->name, "columns");
  return 1;
}

/* crates/capi/functions/tests checks the rest of the choice. */
static void choice(const setwise_kernel *best) {
  const char *where = "choice";
  const uint32_t flags = SETWISE_IGNORE_ENVIRONMENT;
  const setwise_kernel *scalar = setwise_by_name("scalar");
  expect(scalar && !strcmp(scalar->name, "scalar"), where, "scalar is not available");
  expect(!setwise_beats_look_ups(scalar), where, "scalar beats look-ups");
  expect(setwise_init(flags, "scalar", NULL) == scalar && setwise_active() == scalar, where,
         "forcing");
  expect(!setwise_init(flags, NULL, "avx2, abacus") && strstr(setwise_status(), "abacus"), where,
         setwise_status());
  expect(setwise_active() == scalar, where, "an error changes the choice");
  expect(setwise_init(flags, NULL, NULL) == best && !*setwise_status(), where, "by CPU");
  expect(!strcmp(setwise_version(), SETWISE_VERSION), where, "another version");
}

int main(void) {
  const setwise_kernel *list[64] = {NULL};
  const size_t available = setwise_available(list, 64);
  expect(available > 0 && available <= 64, "setwise_available", "the number of kernels");
  for (size_t i = 0; i < available; i++) {
    k = list[i];
    printf("%s\n", k->name);
    expect(k->size == sizeof *k && k->abi_version == SETWISE_ABI_VERSION, k->name,
           "not the header's table");
    expect(SETWISE_HAS(k, rook_attacks) && SETWISE_HAS(k, checks), k->name, "a field is missing");
    expect(setwise_by_name(k->name) == k, k->name, "setwise_by_name");
    run(entry, k->name), run(no_boards, k->name);
    expect(run(columns, k->name) == 1, k->name, "no case for columns");
    k->attack_maps_in_columns(NULL, 0);
  }
  choice(list[0]);
  return 0;
}
