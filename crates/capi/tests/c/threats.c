/* Compares every call for threats, of every kernel's table and of setwise_inline.h, with an oracle
 * that looks at every pair of squares: on moves of random games, on random boards of any density,
 * with any byte values and any pairs. The order of the lists is compared with the kernel `scalar`.
 * The first argument is the number of moves. With a second one, `time`, it instead times
 * `threats_moved` of the active kernel through its pointer, and inlined. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "setwise_inline.h"

enum { MOST = 420, GUARD = 16 };

static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t random_word(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state * 0x2545f4914f6cdd1dull;
}
static unsigned below(unsigned limit) { return (unsigned)((random_word() >> 32) % limit); }

static const char *name = "", *call = "";
static void expect(int holds, const char *what) {
  if (holds) return;
  printf("FAILED: %s: %s: %s\n", name, call, what);
  exit(1);
}

/* The calls, with the types of the table. */
typedef struct calls {
  void (*moved)(const uint8_t *, uint8_t, uint8_t, uint8_t, const setwise_threat_rules *,
                setwise_threat_changes *);
  bool (*edited)(const uint8_t *, const setwise_edit *, size_t, const setwise_threat_rules *,
                 setwise_threat_changes *);
  size_t (*all)(const uint8_t *, size_t, const setwise_threat_rules *, uint32_t *, setwise_threat *,
                size_t);
} calls;

static calls of_kernel(const setwise_kernel *k) {
  calls c = {k->threats_moved, k->threats_edited, k->threats};
  return c;
}

/* The oracle. */

static uint8_t meaning[16];   /* SETWISE_PIECE or 0, by code */
static uint16_t pairs[16];
static setwise_threat_rules rules;

static int attacks(const uint8_t *board, int from, int to) {
  const int piece = meaning[board[from] & 15], files = to % 8 - from % 8, ranks = to / 8 - from / 8;
  const int wide = abs(files), high = abs(ranks), far = wide > high ? wide : high;
  if (!piece || from == to) return 0;
  const int kind = (piece - 1) % 6, up = piece <= 6 ? 1 : -1;
  if (kind == SETWISE_PAWN) return ranks == up && wide == 1;
  if (kind == SETWISE_KNIGHT) return wide * high == 2;
  if (kind == SETWISE_KING) return far == 1;
  const int straight = !files || !ranks, diagonal = wide == high;
  if (!(straight && kind != SETWISE_BISHOP) && !(diagonal && kind != SETWISE_ROOK)) return 0;
  for (int i = 1; i < far; i++)
    if (meaning[board[from + (8 * ranks + files) / far * i] & 15]) return 0;
  return 1;
}

/* The threats of one board that are not threats of another one (NULL: an empty board). */
static size_t oracle(const uint8_t *board, const uint8_t *other, setwise_threat *list) {
  size_t count = 0;
  for (int from = 0; from < 64; from++)
    for (int to = 0; to < 64; to++) {
      const uint8_t attacker = board[from] & 15, victim = board[to] & 15;
      if (!meaning[victim] || !(pairs[attacker] >> victim & 1) || !attacks(board, from, to)) continue;
      if (other && (other[from] & 15) == attacker && (other[to] & 15) == victim &&
          attacks(other, from, to))
        continue;
      const setwise_threat threat = {attacker, (uint8_t)from, victim, (uint8_t)to};
      list[count++] = threat;
    }
  return count;
}

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, sizeof(setwise_threat)); }

/* Whether a list has these threats, in any order. */
static void same(const setwise_threat *got, size_t count, const uint8_t *board, const uint8_t *other) {
  setwise_threat sorted[MOST], expected[MOST];
  expect(count <= MOST && count == oracle(board, other, expected), "another number of threats");
  memcpy(sorted, got, count * sizeof *got);
  qsort(sorted, count, sizeof *sorted, by_bytes);
  qsort(expected, count, sizeof *expected, by_bytes);
  expect(!memcmp(sorted, expected, count * sizeof *got), "another threat than the oracle");
}

static void equal(const setwise_threat_list *a, const setwise_threat_list *b) {
  expect(a->count == b->count && !memcmp(a->threats, b->threats, a->count * sizeof *a->threats),
         "another order than `scalar`");
}

/* Checks the changes between two boards. */
static void check_changes(const setwise_threat_changes *got, const setwise_threat_changes *scalar,
                          const uint8_t *before, const uint8_t *after) {
  same(got->added.threats, got->added.count, after, before);
  same(got->removed.threats, got->removed.count, before, after);
  equal(&got->added, &scalar->added);
  equal(&got->removed, &scalar->removed);
}

static setwise_threat_changes got, scalar;

/* Checks all calls on a board and a move. */
static void check(const calls *c, const calls *s, const uint8_t *board, uint8_t from, uint8_t to,
                  uint8_t placed) {
  uint8_t after[64];
  setwise_edit edits[5];

  /* An empty code for the square that is left. */
  uint8_t empty = 0;
  while (empty < 16 && meaning[empty]) empty++;
  if (empty < 16) {
    call = "moved";
    memcpy(after, board, 64);
    after[from] = empty, after[to] = placed;
    c->moved(board, from, to, placed, &rules, &got);
    s->moved(board, from, to, placed, &rules, &scalar);
    check_changes(&got, &scalar, board, after);
  }
  /* Edits of squares on a line. */
  call = "edited";
  memcpy(after, board, 64);
  const unsigned count = below(5), step = below(9) + 1;
  for (unsigned i = 0; i < 5; i++) {
    edits[i].square = (uint8_t)((to + i * step) % 64);
    edits[i].code = (uint8_t)(below(2) ? board[random_word() % 64] : random_word());
    if (i < count) after[edits[i].square] = edits[i].code;
  }
  expect(c->edited(board, edits, count, &rules, &got), "false");
  expect(s->edited(board, edits, count, &rules, &scalar), "false");
  check_changes(&got, &scalar, board, after);
  /* Too many edits, and two of a square. */
  expect(!c->edited(board, edits, 5, &rules, &got), "true for five edits");
  edits[2].square = edits[1].square | 64;
  expect(!c->edited(board, edits, 3, &rules, &got), "true for a square twice");
  check_changes(&got, &scalar, board, after);
}

/* Checks the threats of many boards, with room for all, and with room that is one too small. */
static void check_boards(const calls *c, const calls *s, const uint8_t *boards, size_t count) {
  static setwise_threat list[64 * MOST + GUARD], expected[64 * MOST + GUARD];
  uint32_t offsets[65], of_scalar[65];
  call = "threats";
  memset(list, 0xa5, sizeof list);
  expect(s->all(boards, count, &rules, of_scalar, expected, 64 * MOST) == count, "boards are left");
  expect(c->all(boards, count, &rules, offsets, list, 64 * MOST) == count, "boards are left");
  expect(!memcmp(offsets, of_scalar, (count + 1) * sizeof *offsets), "another offset");
  expect(!memcmp(list, expected, offsets[count] * sizeof *list), "another order than `scalar`");
  for (size_t i = 0; i < count; i++)
    same(list + offsets[i], offsets[i + 1] - offsets[i], boards + 64 * i, NULL);
  const uint32_t room = of_scalar[count] - (of_scalar[count] > 0);
  size_t fit = 0;
  while (fit < count && of_scalar[fit + 1] <= room) fit++;
  memset(list, 0xa5, sizeof list);
  expect(c->all(boards, count, &rules, offsets, list, room) == fit, "another number of boards");
  expect(!memcmp(list, expected, of_scalar[fit] * sizeof *list), "other threats in a short list");
  for (const uint8_t *byte = (const uint8_t *)(list + room); byte < (const uint8_t *)(list + room + GUARD);
       byte++)
    expect(*byte == 0xa5, "writes past the list");
}

static void random_rules(void) {
  for (int code = 0; code < 16; code++) {
    meaning[code] = (uint8_t)(below(4) ? 1 + below(12) : 0);
    pairs[code] = (uint16_t)random_word();
  }
  if (below(2)) memset(pairs, 0xff, sizeof pairs);
  setwise_threat_rules_init(&rules, meaning, pairs);
  setwise_threat_rules inlined;
  setwise_inline_threat_rules_init(&inlined, meaning, pairs);
  call = "rules";
  expect(!memcmp(&inlined, &rules, offsetof(setwise_threat_rules, every) + 1), "other rules");
}

/* The usual codes: White is 1 to 6, Black 9 to 14. */
static void usual_rules(void) {
  for (int code = 0; code < 16; code++)
    meaning[code] = code % 8 && code % 8 < 7 ? SETWISE_PIECE(code / 8, code % 8 - 1) : 0;
  memset(pairs, 0xff, sizeof pairs);
  setwise_threat_rules_init(&rules, meaning, NULL);
}

/* A move, and the board before it. */
typedef struct move {
  uint8_t board[64], from, to, placed;
} move;
enum { TIMED = 4096 };
static move timed[TIMED];

/* Plays random pseudo-legal moves, without castling and en passant, and checks each. Without calls
 * to check, stores the moves in `timed`. */
static void play(const calls *c, const calls *s, int moves) {
  static const uint8_t ROW[8] = {4, 2, 3, 5, 6, 3, 2, 4};
  static uint8_t boards[64][64];
  uint8_t board[64];
  int played = 0;
  usual_rules();
  for (int ply = 0; played < moves; ply++) {
    if (ply % 120 == 0) {
      memset(board, 0, 64);
      for (int file = 0; file < 8; file++)
        board[file] = ROW[file], board[8 + file] = 1, board[48 + file] = 9, board[56 + file] = ROW[file] | 8;
    }
    /* A random move of a random piece: an attack on what is not its own, or the push of a pawn. */
    const int black = ply & 1, up = black ? -8 : 8;
    for (int tries = 0; tries < 2000; tries++) {
      const int from = (int)below(64), to = (int)below(64);
      uint8_t placed = board[from];
      if (!placed || placed >> 3 != black) continue;
      const int pawn = (placed & 7) == 1, push = pawn && to == from + up && !board[to];
      if (!push && (!attacks(board, from, to) || (board[to] && board[to] >> 3 == black) ||
                    (pawn && !board[to])))
        continue;
      if (pawn && (to < 8 || to >= 56)) placed = (uint8_t)((placed & 8) + 2 + below(4));
      if (!c) {
        move *m = &timed[played++];
        memcpy(m->board, board, 64), m->from = (uint8_t)from, m->to = (uint8_t)to, m->placed = placed;
      } else {
        check(c, s, board, (uint8_t)from, (uint8_t)to, placed);
        memcpy(boards[played++ % 64], board, 64);
        if (played % 64 == 0) check_boards(c, s, boards[0], 64);
      }
      board[from] = 0, board[to] = placed;
      break;
    }
  }
}

static void random_boards(const calls *c, const calls *s, int rounds) {
  uint8_t boards[3][64];
  for (int round = 0; round < rounds; round++) {
    random_rules();
    for (int i = 0; i < 3; i++) {
      const unsigned density = below(65), only = below(16);
      for (int square = 0; square < 64; square++) {
        boards[i][square] = (uint8_t)random_word();
        if (below(4) == 0) boards[i][square] = (uint8_t)only;
        for (int tries = 0; below(64) >= density && tries < 64 && meaning[boards[i][square] & 15]; tries++)
          boards[i][square] = (uint8_t)below(16);
      }
    }
    check(c, s, boards[0], (uint8_t)below(64), (uint8_t)below(64), (uint8_t)random_word());
    check_boards(c, s, boards[0], round % 4);
  }
  /* The fullest board: 64 queens. */
  usual_rules();
  memset(boards, 6, sizeof boards);
  check_boards(c, s, boards[0], 3);
}

/* The threats of many boards by the inlined function for one. */
static size_t inline_boards(const uint8_t *boards, size_t count, const setwise_threat_rules *r,
                            uint32_t *offsets, setwise_threat *list, size_t capacity) {
  setwise_threat one[428];
  offsets[0] = 0;
  for (size_t i = 0; i < count; i++) {
    const unsigned found = setwise_inline_threats_of_board(boards + 64 * i, r, one);
    if (found > capacity - offsets[i]) return i;
    memcpy(list + offsets[i], one, found * sizeof *list);
    offsets[i + 1] = offsets[i] + found;
  }
  return count;
}

/* The least time of a move, of many rounds that take turns. */
static void time_moves(int rounds) {
  const setwise_kernel *kernel = setwise_active();
  double least[2] = {1e9, 1e9};
  unsigned found[2] = {0, 0};
  for (int round = 0; round < 2 * rounds; round++) {
    const int inlined = round & 1;
    const clock_t start = clock();
    for (const move *m = timed; m < timed + TIMED; m++) {
      if (inlined)
        setwise_inline_threats_moved(m->board, m->from, m->to, m->placed, &rules, &got);
      else
        kernel->threats_moved(m->board, m->from, m->to, m->placed, &rules, &got);
      found[inlined] += got.added.count + got.removed.count;
    }
    const double taken = 1e9 * (double)(clock() - start) / CLOCKS_PER_SEC / TIMED;
    if (taken < least[inlined]) least[inlined] = taken;
  }
  name = "time", call = "moved";
  expect(found[0] == found[1], "other threats");
  printf("threats_moved: %.1f ns through the pointer (%s), %.1f ns inlined (%s): %.2f\n", least[0],
         kernel->name, least[1], SETWISE_INLINE_THREATS, least[0] / least[1]);
}

int main(int count, char **arguments) {
  const int moves = count > 1 ? atoi(arguments[1]) : 200;
  if (count > 2 && !strcmp(arguments[2], "time")) {
    play(NULL, NULL, TIMED);
    time_moves(moves);
    return 0;
  }
  /* geometry/threats.rs checks the same of the library. */
  expect(sizeof(setwise_threat_changes) == 1024 && sizeof(setwise_threat_list) == 512 &&
             offsetof(setwise_threat_list, count) == 444 && sizeof(setwise_edit) == 2,
         "another layout");
  const setwise_kernel *list[64];
  const size_t available = setwise_available(list, 64);
  const calls s = of_kernel(setwise_by_name("scalar"));
  for (size_t i = 0; i < available; i++) {
    const calls c = of_kernel(list[i]);
    name = list[i]->name;
    play(&c, &s, moves);
    random_boards(&c, &s, moves / 8);
  }
  const calls inlined = {setwise_inline_threats_moved, setwise_inline_threats_edited, inline_boards};
  name = "setwise_inline.h", printf("setwise_inline.h: %s\n", SETWISE_INLINE_THREATS);
  play(&inlined, &s, 4 * moves);
  random_boards(&inlined, &s, moves);
  return 0;
}
