/* Computes the slider attacks of two boards, from C.
 *
 *   cargo build -p setwise-capi --release
 *   gcc -O2 -Icrates/capi/include examples/c/attacks.c target/release/libsetwise.a \
 *       -Wl,--gc-sections -o attacks && ./attacks */
#include <inttypes.h>
#include <stdio.h>

#include "setwise.h"

static void draw(uint64_t set) {
  for (int rank = 7; rank >= 0; rank--) {
    for (int file = 0; file < 8; file++) {
      putchar(set >> (8 * rank + file) & 1 ? 'x' : '.');
      putchar(file < 7 ? ' ' : '\n');
    }
  }
}

int main(void) {
  const setwise_kernel *kernel = setwise_active();
  if (*setwise_status()) fprintf(stderr, "warning: %s\n", setwise_status());
  printf("setwise %s, kernel %s\n", setwise_version(), kernel->name);

  /* Board 0: rooks a1 and h1, queen d4, other pieces. Board 1: queen d4 alone. */
  const uint64_t orthogonal[2] = {0x81 | 1ull << 27, 1ull << 27};
  const uint64_t diagonal[2] = {1ull << 27, 1ull << 27};
  const uint64_t occupied[2] = {0xff81 | 1ull << 45, 0};
  uint64_t attacks[2];
  kernel->slider_attacks(orthogonal, diagonal, occupied, attacks, 2);
  draw(attacks[0]);
  printf("%#018" PRIx64 "\n", attacks[1]);

  /* A single board, as in a search, costs one indirect call. */
  printf("%#018" PRIx64 "\n", kernel->queen_attacks_one(1ull << 27, 0));
  return attacks[1] == 0x88492a1cf71c2a49ull ? 0 : 1;
}
