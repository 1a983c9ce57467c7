/* Compares every call for threats, of every kernel's table and of setwise_inline.h, with the
 * oracle: on boards of any bytes and density with any pairs, and on boards as in games. With an
 * argument, only the functions of setwise_inline.h. */
#include "cases.h"
#include "setwise_inline.h"

CASES("threats")

enum { MOST = 420, GUARD = 16, BOARDS = 7 };

/* The calls, with the types of the table. */
typedef struct calls {
  const char *name;
  void (*moved)(const uint8_t *, uint8_t, uint8_t, uint8_t, const setwise_threat_rules *,
                setwise_threat_changes *);
  bool (*edited)(const uint8_t *, const setwise_edit *, size_t, const setwise_threat_rules *,
                 setwise_threat_changes *);
  size_t (*all)(const uint8_t *, size_t, const setwise_threat_rules *, uint32_t *, setwise_threat *,
                size_t);
  /* NULL for those of setwise_inline.h, which has no threat_indices. */
  const setwise_kernel *kernel;
} calls;

typedef struct list {
  uint32_t count;
  const uint8_t *threats;
} list;

static list next_list(const uint8_t **next) {
  list l;
  memcpy(&l.count, *next, 4);
  l.threats = *next + 4;
  *next += 4 + 4 * l.count;
  return l;
}

static void same(const setwise_threat_list *got, list expected, const calls *c, const char *what) {
  expect(got->count == expected.count, c->name, what);
  expect(!memcmp(got->threats, expected.threats, 4 * expected.count), c->name, what);
}

/* Checks the threats of the same board several times, with room for all, and one too small. */
static void boards(const calls *c, const uint8_t *board, list expected,
                   const setwise_threat_rules *rules) {
  static setwise_threat got[BOARDS * MOST + GUARD];
  uint8_t many[64 * BOARDS];
  uint32_t offsets[BOARDS + 1];
  for (size_t i = 0; i < BOARDS; i++) memcpy(many + 64 * i, board, 64);
  for (size_t count = 0; count <= BOARDS; count += 3)
    for (uint32_t less = 0; less < 2; less++) {
      const uint32_t all = expected.count * (uint32_t)count, room = all - (all > 0 && less);
      const size_t fit = room == all ? count : count - 1;
      memset(got, 0xa5, sizeof got);
      expect(c->all(many, count, rules, offsets, got, room) == fit, c->name, "threats: boards");
      for (size_t i = 0; i <= fit; i++)
        expect(offsets[i] == expected.count * i, c->name, "threats: offsets");
      for (size_t i = 0; i < fit; i++)
        expect(!memcmp(got + offsets[i], expected.threats, 4 * expected.count), c->name, "threats");
      for (const uint8_t *byte = (const uint8_t *)(got + room), *end = byte + 4 * GUARD;
           byte < end; byte++)
        expect(*byte == 0xa5, c->name, "threats: writes past the list");
    }
}

/* A table of random numbers, some of which are excluded. */
static void fill(setwise_index_table *table) {
  uint32_t number = 1;
  uint32_t *base = table->base[0][0], *place = table->place[0][0];
  for (size_t i = 0; i < sizeof table->base / 4; i++)
    base[i] = (number = 1664525 * number + 1013904223) >> 29 ? number >> 2 : SETWISE_EXCLUDED;
  for (size_t i = 0; i < sizeof table->place / 4; i++)
    place[i] = (number = 1664525 * number + 1013904223) >> 29 ? number >> 2 : SETWISE_EXCLUDED;
  for (uint8_t i = 0; i < 16; i++) table->other[i] = (uint8_t)(3 * i + 240);
}

static setwise_index_table table;

/* Compares the indices of threats in the four views with the definition, with little room and
 * with enough for whole vectors. */
static void indices(const setwise_kernel *kernel, list given) {
  static setwise_threat threats[MOST];
  static uint32_t memory[4][MOST + GUARD];
  memcpy(threats, given.threats, 4 * given.count);
  for (size_t spare = 0; spare <= GUARD; spare += GUARD) {
    setwise_index_list lists[4];
    for (uint8_t view = 0; view < 4; view++) {
      const uint8_t side = (uint8_t)(view & 1), mirrored = (uint8_t)(view >> 1);
      const setwise_index_list l = {memory[view], given.count + spare, 0, side, mirrored};
      lists[view] = l;
    }
    kernel->threat_indices(threats, given.count, &table, 77, lists, 4);
    for (unsigned view = 0; view < 4; view++) {
      size_t count = 0;
      for (const setwise_threat *t = threats; t < threats + given.count; t++) {
        const unsigned flip = (view & 1 ? 56 : 0) ^ (view >> 1 ? 7 : 0);
        const unsigned from = t->from ^ flip, to = t->to ^ flip;
        const unsigned attacker = view & 1 ? table.other[t->attacker] & 15 : t->attacker;
        const unsigned victim = view & 1 ? table.other[t->victim] & 15 : t->victim;
        const uint32_t first = table.base[attacker][victim][from < to];
        const uint32_t second = table.place[attacker][from][to];
        if (first == SETWISE_EXCLUDED || second == SETWISE_EXCLUDED) continue;
        expect(count < lists[view].count && memory[view][count] == first + second + 77,
               kernel->name, "indices");
        count++;
      }
      expect(count == lists[view].count, kernel->name, "indices: count");
    }
  }
}

/* Checks one case, and returns the next one. */
static const uint8_t *check(const calls *c, const uint8_t *next) {
  static setwise_threat_changes got;
  setwise_threat_rules rules, inlined;
  setwise_edit edits[5];
  uint16_t pairs[16];
  const uint8_t *board = next, *codes = next + 64, *row = next + 112;
  memcpy(pairs, next + 80, sizeof pairs);
  setwise_threat_rules_init(&rules, codes, pairs);
  setwise_inline_threat_rules_init(&inlined, codes, pairs);
  expect(!memcmp(&inlined, &rules, offsetof(setwise_threat_rules, every) + 1), c->name, "rules");
  const size_t count = row[3];
  memcpy(edits, row + 4, sizeof edits);
  next += 128;

  const list of_board = next_list(&next);
  boards(c, board, of_board, &rules);
  if (c->kernel) indices(c->kernel, of_board);
  c->moved(board, row[0], row[1], row[2], &rules, &got);
  same(&got.added, next_list(&next), c, "moved: added");
  same(&got.removed, next_list(&next), c, "moved: removed");

  const list added = next_list(&next), removed = next_list(&next);
  expect(c->edited(board, edits, count, &rules, &got), c->name, "edited: false");
  expect(!c->edited(board, edits, 5, &rules, &got), c->name, "edited: true for five edits");
  if (count) {
    /* The high bits of a square do not count. */
    const setwise_edit twice[2] = {edits[0], {(uint8_t)(edits[0].square | 64), 0}};
    expect(!c->edited(board, twice, 2, &rules, &got), c->name, "edited: true for a square twice");
  }
  same(&got.added, added, c, "edited: added");
  same(&got.removed, removed, c, "edited: removed");
  return next;
}

/* The threats of many boards by the inlined function for one. */
static size_t inline_boards(const uint8_t *board, size_t count, const setwise_threat_rules *rules,
                            uint32_t *offsets, setwise_threat *to, size_t capacity) {
  setwise_threat one[428];
  offsets[0] = 0;
  for (size_t i = 0; i < count; i++) {
    const unsigned found = setwise_inline_threats_of_board(board + 64 * i, rules, one);
    if (found > capacity - offsets[i]) return i;
    memcpy(to + offsets[i], one, found * sizeof *one);
    offsets[i + 1] = offsets[i] + found;
  }
  return count;
}

/* The fullest board: 64 queens. */
static void queens(const calls *c) {
  static setwise_threat got[MOST];
  uint8_t codes[16] = {0, SETWISE_PIECE(SETWISE_WHITE, SETWISE_QUEEN)}, board[64];
  uint32_t offsets[2];
  setwise_threat_rules rules;
  memset(board, 1, sizeof board);
  setwise_threat_rules_init(&rules, codes, NULL);
  expect(c->all(board, 1, &rules, offsets, got, MOST) == 1 && offsets[1] == MOST, c->name, "queens");
}

int main(int count, char **arguments) {
  (void)arguments;
  calls all[65] = {{"setwise_inline.h", setwise_inline_threats_moved, setwise_inline_threats_edited,
                    inline_boards, NULL}};
  const setwise_kernel *kernels[64];
  const size_t available = count > 1 ? 0 : setwise_available(kernels, 64);
  for (size_t i = 0; i < available; i++) {
    const calls c = {kernels[i]->name, kernels[i]->threats_moved, kernels[i]->threats_edited,
                     kernels[i]->threats, kernels[i]};
    all[1 + i] = c;
  }
  printf("setwise_inline.h: %s\n", SETWISE_INLINE_THREATS);
  fill(&table);
  for (const calls *c = all; c <= all + available; c++) {
    for (const uint8_t *next = cases; next < cases_end;) next = check(c, next);
    queens(c);
  }
  return 0;
}
