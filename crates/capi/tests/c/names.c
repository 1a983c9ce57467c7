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
/* From tools/capi-test.py: defines every name of its list TAKEN as BROKEN. */
#include "taken.h"

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
