/* A program compiled with the header of version 0.1, whose table is a prefix of the current one. */
#include <stdio.h>

#include "setwise-0.1.h"

int main(void) {
  const setwise_kernel *k = setwise_active();
  if (k->size < sizeof *k || k->abi_version != SETWISE_ABI_VERSION) return 1;
  uint64_t rooks[3] = {1, 2, 1ull << 63}, occupied[3] = {0, 0, 1ull << 60}, attacks[3];
  uint64_t bishop = 0, diagonal = 4;
  uint32_t count = 0;
  uint8_t from = 0, to = 27;
  k->rook_attacks(rooks, occupied, attacks, 3);
  if (attacks[0] != 0x01010101010101feull || attacks[2] != 0x7080808080808080ull) return 2;
  k->bishop_attacks_from(&from, occupied, &bishop, 1);
  if (bishop != 0x8040201008040200ull) return 3;
  k->slider_mobility(rooks, &diagonal, occupied, &(uint64_t){0xff}, &count, 1);
  if (count != 2) return 4;
  k->between(&from, &to, attacks, 1);
  if (attacks[0] != (1ull << 9 | 1ull << 18)) return 5;
  /* The last field in the table of version 0.1. */
  if (!SETWISE_HAS(k, slider_attacks_one)) return 6;
  if (k->slider_attacks_one(1, 4, 0) != k->slider_attacks_one(1, 4, 1)) return 6;
  if ((k->slider_attacks_one(1, 4, 0) & 0xff) != 6) return 7;
  puts(k->name);
  return 0;
}
