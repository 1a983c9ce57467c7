/* Compares every entry of every kernel's table with the oracle. Also checks the header's rules for
 * NULL, and the functions that choose a kernel. Prints the kernels. */
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

/* The example `cases` writes calls.h, the ENTRY of each operation on batches. */
static int entry(const operation *o, void *const *c, size_t n) {
  const uint8_t p = (uint8_t)o->parameter;
#include "calls.h"
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

/* The columns of one board are its attack maps, which `entry` compares with the oracle. */
static void columns(void) {
  setwise_position position;
  setwise_attack_maps maps, found;
  setwise_columns arguments;
  for (int i = 0; i < 12; i++) {
    set *piece = &position.pieces[i / 6][i % 6];
    *piece = (set)0x0810204080010204 >> 5 * i;
    arguments.pieces[i / 6][i % 6] = piece;
    arguments.attacks[i / 6][i % 6] = &found.attacks[i / 6][i % 6];
  }
  for (int side = 0; side < 2; side++) {
    arguments.all[side] = &found.all[side];
    arguments.by_lesser[side] = &found.by_lesser[side];
  }
  k->attack_maps(&position, &maps, 1);
  memset(&found, 0xa5, sizeof found);
  k->attack_maps_in_columns(&arguments, 1);
  expect(!memcmp(&found, &maps, sizeof maps), k->name, "columns");
  k->attack_maps_in_columns(NULL, 0);

  setwise_checks checks, in_columns;
  setwise_check_columns of_kings;
  memcpy(of_kings.pieces, arguments.pieces, sizeof of_kings.pieces);
  for (int side = 0; side < 2; side++) {
    of_kings.checkers[side] = &in_columns.checkers[side];
    of_kings.pinned[side] = &in_columns.pinned[side];
    of_kings.pinners[side] = &in_columns.pinners[side];
  }
  k->checks(&position, &checks, 1);
  memset(&in_columns, 0xa5, sizeof in_columns);
  k->checks_in_columns(&of_kings, 1);
  expect(!memcmp(&in_columns, &checks, sizeof checks), k->name, "checks in columns");
  k->checks_in_columns(NULL, 0);
}

/* The initial position, its moves and the positions after them. The tests in Rust compare them with
 * the oracle. */
static void moves(void) {
  static const set white = 0xffff, diagonal = 0x7e0000000000007e & ~(set)0x1000000000000010,
                   straight = (set)0x9900000000000099, others = (set)0x52ff00000000ff52;
  static const uint8_t side = 0, en_passant = 64, castling = 0x81;
  setwise_plane_columns start = {{&white, &diagonal, &straight, &others}, &side, &en_passant,
                                 {&castling, &castling}, NULL, NULL};
  set planes[4][20];
  uint8_t bytes[4][20];
  setwise_after_columns after = {{planes[0], planes[1], planes[2], planes[3]}, bytes[0], bytes[1],
                                 {bytes[2], bytes[3]}};
  uint32_t offsets[2] = {7, 7};
  uint16_t list[SETWISE_MOST_MOVES];
  expect(k->legal_moves_in_planes(&start, 1, offsets, list, SETWISE_MOST_MOVES) == 1 && offsets[0] == 0 &&
             offsets[1] == 20, k->name, "moves of the initial position");
  /* a2a4 comes first. */
  expect(SETWISE_MOVE_FROM(list[0]) == 8 && SETWISE_MOVE_TO(list[0]) == 24 &&
             SETWISE_MOVE_PROMOTION(list[0]) == 0, k->name, "the first move");
  expect(k->legal_moves_in_planes(&start, 1, offsets, list, 19) == 0, k->name, "room for 19");
  offsets[1] = 20;
  k->successors_in_planes(&start, 1, offsets, list, &after);
  expect(planes[0][0] == 0x100feff && bytes[0][0] == 1 && bytes[1][0] == 64 &&
             bytes[2][19] == 0x81, k->name, "the position after a2a4");
  expect(k->legal_moves_in_planes(NULL, 0, offsets, NULL, 0) == 0, k->name, "no positions");
  k->successors_in_planes(NULL, 0, offsets, NULL, NULL);
}

/* crates/capi/functions/tests checks the rest of the choice. */
static void choice(void) {
  const setwise_kernel *scalar = setwise_init(SETWISE_IGNORE_ENVIRONMENT, "scalar", NULL);
  expect(scalar == setwise_by_name("scalar") && setwise_active() == scalar, "choice", "forcing");
  expect(!setwise_init(SETWISE_IGNORE_ENVIRONMENT, NULL, "avx2, abacus") &&
             strstr(setwise_status(), "abacus"), "choice", setwise_status());
  expect(!setwise_beats_look_ups(scalar), "choice", "scalar is not faster than look-ups");
  expect(!strcmp(setwise_version(), SETWISE_VERSION), "choice", "another version");
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
    columns();
    moves();
  }
  choice();
  return 0;
}
