/* Compares the calls for threats of setwise_inline.h with the oracle: on boards of any bytes and
 * density with any pairs, and on boards as in games. (The tests of Rust compare every kernel.) */
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

int main(void) {
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
