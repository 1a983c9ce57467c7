/* The C loops that cost.rs times. */
#include "setwise.h"

/* Calls rook_attacks_one for each board and returns the xor of the results. No call depends on
 * another. */
uint64_t calls(const setwise_kernel *kernels, const uint64_t *rooks, const uint64_t *occupied,
               size_t boards) {
  /* Load the pointer once, like the Rust compiler, which knows that the table is constant. */
  uint64_t (*rook_attacks)(uint64_t, uint64_t) = kernels->rook_attacks_one;
  uint64_t all = 0;
  for (size_t i = 0; i < boards; i++) all ^= rook_attacks(rooks[i], occupied[i]);
  return all;
}

/* Calls queen_attacks with eight boards per call. */
void eights(const setwise_kernel *kernels, const uint64_t *queens, const uint64_t *occupied,
            uint64_t *attacks, size_t boards) {
  for (size_t i = 0; i + 8 <= boards; i += 8)
    kernels->queen_attacks(queens + i, occupied + i, attacks + i, 8);
}

/* Calls attack_maps with one position per call. */
void maps(const setwise_kernel *kernels, const setwise_position *positions,
          setwise_attack_maps *maps, size_t count) {
  for (size_t i = 0; i < count; i++) kernels->attack_maps(&positions[i], &maps[i], 1);
}
