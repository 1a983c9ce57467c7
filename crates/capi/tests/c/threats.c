/* Compares the calls for threats of setwise_inline.h with the oracle: on boards of any bytes and
 * density with any pairs, and on boards as in games. Also the call for boards of every kernel, on
 * the first of them. (The tests of Rust compare every call of every kernel.) */
#include "cases.h"
#include "setwise_inline.h"

CASES("threats")

enum { MOST = 420 };

/* Compares a list with the one in the file, and returns what follows that one. */
static const uint8_t *same(const setwise_threat *got, uint32_t count, const uint8_t *next,
                           const char *what) {
  uint32_t expected;
  memcpy(&expected, next, 4);
  expect(count == expected && !memcmp(got, next + 4, 4 * count), "setwise_inline.h", what);
  return next + 4 + 4 * count;
}

static const uint8_t *changed(const setwise_threat_changes *got, const uint8_t *next,
                              const char *what) {
  next = same(got->added.threats, got->added.count, next, what);
  return same(got->removed.threats, got->removed.count, next, what);
}

/* By every kernel, with room for all threats of the board, and for one less. */
static void by_kernels(const uint8_t *board, const setwise_threat_rules *rules,
                       const uint8_t *expected) {
  static setwise_threat got[MOST + 1];
  static const uint8_t guard[4] = {0xa5, 0xa5, 0xa5, 0xa5};
  const setwise_kernel *kernels[64];
  const size_t available = setwise_available(kernels, 64);
  uint32_t count, offsets[2];
  memcpy(&count, expected, 4);
  for (size_t i = 0; i < available; i++)
    for (uint32_t less = 0; less <= (count > 0); less++) {
      const char *name = kernels[i]->name;
      const uint32_t room = count - less;
      memset(got, 0xa5, sizeof got);
      expect(kernels[i]->threats(board, 1, rules, offsets, got, room) == 1 - less, name, "boards");
      expect(!memcmp(got + room, guard, 4), name, "threats: writes past the list");
      expect(less || (offsets[1] == count && !memcmp(got, expected + 4, 4 * count)), name,
             "threats");
    }
}

/* Checks one case, and returns the next one. */
static const uint8_t *check(const uint8_t *next) {
  static const char where[] = "setwise_inline.h";
  static setwise_threat_changes got;
  static setwise_threat threats[MOST + 8];
  setwise_threat_rules rules, inlined;
  setwise_edit edits[5];
  uint16_t pairs[16];
  const uint8_t *board = next, *codes = next + 64, *row = next + 112;
  memcpy(pairs, next + 80, sizeof pairs);
  setwise_threat_rules_init(&rules, codes, pairs);
  setwise_inline_threat_rules_init(&inlined, codes, pairs);
  expect(!memcmp(&inlined, &rules, offsetof(setwise_threat_rules, every) + 1), where, "rules");
  const size_t count = row[3];
  memcpy(edits, row + 4, sizeof edits);

  const unsigned found = setwise_inline_threats_of_board(board, &rules, threats);
  static int by_kernels_too = 50;
  if (by_kernels_too-- > 0) by_kernels(board, &rules, next + 128);
  next = same(threats, found, next + 128, "threats");
  setwise_inline_threats_moved(board, row[0], row[1], row[2], &rules, &got);
  next = changed(&got, next, "moved");

  expect(setwise_inline_threats_edited(board, edits, count, &rules, &got), where, "edited: false");
  next = changed(&got, next, "edited");
  expect(!setwise_inline_threats_edited(board, edits, 5, &rules, &got), where, "five edits");
  if (count) {
    /* The high bits of a square do not count. */
    const setwise_edit twice[2] = {edits[0], {(uint8_t)(edits[0].square | 64), 0}};
    expect(!setwise_inline_threats_edited(board, twice, 2, &rules, &got), where, "a square twice");
  }
  return next;
}

/* A mailbox of kinds and Black's set, square by square. */
static void coded_mailbox(void) {
  uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
  for (int round = 0; round < 100; round++) {
    uint8_t kinds[64], codes[64];
    for (int i = 0; i < 64; i++) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      kinds[i] = (uint8_t)(random >> 40 & 7);
    }
    setwise_inline_coded_mailbox(kinds, random, codes);
    for (int i = 0; i < 64; i++)
      expect(codes[i] == kinds[i] + (random >> i & 1 ? 8 : 0), "setwise_inline.h", "coded mailbox");
  }
}

int main(void) {
  coded_mailbox();

  /* The fullest board: 64 queens. */
  static setwise_threat threats[MOST + 8];
  uint8_t codes[16] = {0, SETWISE_PIECE(SETWISE_WHITE, SETWISE_QUEEN)}, board[64];
  setwise_threat_rules rules;
  memset(board, 1, sizeof board);
  setwise_threat_rules_init(&rules, codes, NULL);
  expect(setwise_inline_threats_of_board(board, &rules, threats) == MOST, "threats", "queens");

  printf("setwise_inline.h: %s\n", SETWISE_INLINE_THREATS);
  for (const uint8_t *next = cases; next < cases_end;) next = check(next);
  return 0;
}
