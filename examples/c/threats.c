/* Updates the threats of a position by one move, from C: with the library's kernel, and inlined.
 *
 *   tools/capi-install.sh target/capi
 *   gcc -O2 -march=native -Itarget/capi/include examples/c/threats.c target/capi/lib/libsetwise.a \
 *       -o threats && ./threats */
#include <stdio.h>
#include <string.h>

#include "setwise_inline.h"

/* The codes are SETWISE_PIECE(side, kind): 1 to 6 are White's pawn to king, 7 to 12 Black's, 0 is
 * empty. */
static const char NAMES[] = ".PNBRQKpnbrqk";

static void print(const char *sign, const setwise_threat_list *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    const setwise_threat t = list->threats[i];
    printf("%s %c%c%d %c%c%d\n", sign, NAMES[t.attacker], 'a' + t.from % 8, 1 + t.from / 8,
           NAMES[t.victim], 'a' + t.to % 8, 1 + t.to / 8);
  }
}

int main(void) {
  uint8_t codes[16] = {0}, board[64] = {0};
  for (int code = 1; code <= 12; code++) codes[code] = (uint8_t)code;
  setwise_threat_rules rules;
  setwise_threat_rules_init(&rules, codes, NULL);

  /* White: king e1, bishop c4, knight f3. Black: king e8, pawns f7 and e5. */
  board[4] = 6, board[26] = 3, board[21] = 2;
  board[60] = 12, board[53] = 7, board[36] = 7;

  /* Nf3xe5. Call before the board is written. */
  const setwise_kernel *kernel = setwise_active();
  static setwise_threat_changes changes, inlined;
  kernel->threats_moved(board, 21, 36, board[21], &rules, &changes);
  print("-", &changes.removed);
  print("+", &changes.added);

  /* The same for a program that is compiled for one instruction set, without the library. */
  setwise_inline_threats_moved(board, 21, 36, board[21], &rules, &inlined);
  int same = inlined.added.count == changes.added.count && inlined.removed.count == changes.removed.count;
  board[36] = board[21], board[21] = 0;

  /* A refresh is all threats of a batch of one. */
  setwise_threat threats[420];
  uint32_t offsets[2];
  same = same && kernel->threats(board, 1, &rules, offsets, threats, 420) == 1;
  printf("%u threats; %s, inlined: %s\n", offsets[1], kernel->name, SETWISE_INLINE_THREATS);
  return same ? 0 : 1;
}
