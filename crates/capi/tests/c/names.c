/* Compiles the headers in a program where other headers have defined common names, twice, as C and
 * as C++. Includes windows.h if there is one. */
#if defined(_WIN32)
#include <windows.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif
#ifdef __cplusplus
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>
#endif

/* A header that uses one of these names gets a syntax error. */
#define BROKEN @
/* windows.h and its parts, and old compilers for DOS. */
#undef near
#undef far
#undef small
#undef hyper
#undef interface
#undef pascal
#undef cdecl
#undef huge
#undef min
#undef max
#undef IN
#undef OUT
#undef ERROR
#undef DELETE
#undef CONST
#undef VOID
#undef OPTIONAL
#undef STRICT
#undef EDGE
#undef BLACK
#undef WHITE
#define near BROKEN
#define far BROKEN
#define small BROKEN
#define hyper BROKEN
#define interface BROKEN
#define pascal BROKEN
#define cdecl BROKEN
#define huge BROKEN
#define min BROKEN
#define max BROKEN
#define IN BROKEN
#define OUT BROKEN
#define ERROR BROKEN
#define DELETE BROKEN
#define CONST BROKEN
#define VOID BROKEN
#define OPTIONAL BROKEN
#define STRICT BROKEN
#define EDGE BROKEN
#define BLACK BROKEN
#define WHITE BROKEN
/* C's own: complex.h, sys/types.h, assert.h, termios.h, and gcc with its extensions. */
#undef unix
#undef linux
#undef assert
#undef major
#undef minor
#define I BROKEN
#define complex BROKEN
#define major BROKEN
#define minor BROKEN
#define makedev BROKEN
#define assert BROKEN
#define unix BROKEN
#define linux BROKEN
#define B0 BROKEN
#define ECHO BROKEN
/* X.h and Xlib.h. */
#define None BROKEN
#define Bool BROKEN
#define Status BROKEN
#define True BROKEN
#define False BROKEN
#define Always BROKEN
#define Success BROKEN
#define Above BROKEN
#define Below BROKEN
#define Complex BROKEN
#define Convex BROKEN
#define Unsorted BROKEN
#define Expose BROKEN
/* curses.h, Qt, macOS, Arduino. */
#define clear BROKEN
#define move BROKEN
#define erase BROKEN
#define refresh BROKEN
#define timeout BROKEN
#define echo BROKEN
#define scroll BROKEN
#define slots BROKEN
#define signals BROKEN
#define emit BROKEN
#define foreach BROKEN
#define check BROKEN
#define verify BROKEN
#define require BROKEN
#define nil BROKEN
#define bit BROKEN
#define sq BROKEN
#define abs BROKEN
#define round BROKEN
#define PI BROKEN
/* What engines define. */
#define file_of BROKEN
#define rank_of BROKEN
#define lsb BROKEN
#define msb BROKEN
#define popcount BROKEN
#define A1 BROKEN
#define H8 BROKEN
#define NORTH BROKEN
#define PAWN BROKEN
#define KING BROKEN
#define NO_PIECE BROKEN
#define likely BROKEN
#define unlikely BROKEN
#define INLINE BROKEN
#define U64 BROKEN
#define u8 BROKEN

#ifdef __cplusplus
#include "setwise.hpp"
#include "setwise.hpp"
#endif
#include "setwise_inline_threats.h"
#include "setwise_inline.h"
#include "setwise.h"
#include "setwise.h"
#include "setwise_inline.h"
#include "setwise_inline_threats.h"

int main(void) {
  uint8_t codes[16] = {0, SETWISE_PIECE(SETWISE_WHITE, SETWISE_ROOK)}, board[64] = {0};
  setwise_threat_rules rules;
  setwise_threat_changes changes;
  setwise_side_attacks attacks;
  const uint64_t pieces[6] = {0, 0, 0, 1, 0, 0};
  const setwise_kernel *kernel = setwise_active();
  setwise_inline_threat_rules_init(&rules, codes, NULL);
  board[0] = board[7] = 1;
  setwise_inline_threats_moved(board, 7, 5, 1, &rules, &changes);
  attacks = setwise_inline_side_attacks(SETWISE_WHITE, pieces, 1);
  if (changes.added.count != 2 || changes.removed.count != 2 ||
      attacks.all != 0x01010101010101feull || !SETWISE_HAS(kernel, threats_moved)) {
    puts("the wrong threats or attacks");
    return 1;
  }
  return 0;
}
