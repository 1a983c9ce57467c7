/* setwise.h of version 0.1.0, without its documentation; older.c is compiled with it.
 * MIT OR Apache-2.0. */
#ifndef SETWISE_H
#define SETWISE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SETWISE_VERSION "0.1.0"
#define SETWISE_ABI_VERSION 1

#define SETWISE_HAS(kernels, field) ((kernels)->size >= offsetof(setwise_kernel, field) + sizeof((kernels)->field))

typedef enum setwise_direction {
  SETWISE_NORTH = 0,
  SETWISE_NORTH_EAST = 1,
  SETWISE_EAST = 2,
  SETWISE_SOUTH_EAST = 3,
  SETWISE_SOUTH = 4,
  SETWISE_SOUTH_WEST = 5,
  SETWISE_WEST = 6,
  SETWISE_NORTH_WEST = 7
} setwise_direction;

typedef enum setwise_line {
  SETWISE_RANK = 0,
  SETWISE_FILE = 1,
  SETWISE_DIAGONAL = 2,
  SETWISE_ANTIDIAGONAL = 3
} setwise_line;

typedef struct setwise_kernel {
  uint32_t size;
  uint32_t abi_version;
  const char *name;

  void (*rook_attacks)(const uint64_t *rooks, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  void (*bishop_attacks)(const uint64_t *bishops, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  void (*queen_attacks)(const uint64_t *queens, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  void (*slider_attacks)(const uint64_t *orthogonal, const uint64_t *diagonal, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  void (*slider_attacks_split)(const uint64_t *orthogonal, const uint64_t *diagonal, const uint64_t *occupied, uint64_t *orthogonal_attacks, uint64_t *diagonal_attacks, size_t boards);

  void (*xray_rook_attacks)(const uint64_t *rooks, const uint64_t *blockers, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  void (*xray_bishop_attacks)(const uint64_t *bishops, const uint64_t *blockers, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  void (*xray_queen_attacks)(const uint64_t *queens, const uint64_t *blockers, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  void (*pins)(const uint64_t *kings, const uint64_t *own, const uint64_t *orthogonal, const uint64_t *diagonal, const uint64_t *occupied, uint64_t *pinned, uint64_t *pinners, size_t boards);

  void (*ray_attacks)(uint8_t direction, const uint64_t *sliders, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  void (*occluded_fill)(uint8_t direction, const uint64_t *generators, const uint64_t *propagators, uint64_t *filled, size_t boards);

  void (*rook_mobility)(const uint64_t *rooks, const uint64_t *occupied, const uint64_t *targets, uint32_t *counts, size_t boards);

  void (*bishop_mobility)(const uint64_t *bishops, const uint64_t *occupied, const uint64_t *targets, uint32_t *counts, size_t boards);

  void (*queen_mobility)(const uint64_t *queens, const uint64_t *occupied, const uint64_t *targets, uint32_t *counts, size_t boards);

  void (*slider_mobility)(const uint64_t *orthogonal, const uint64_t *diagonal, const uint64_t *occupied, const uint64_t *targets, uint32_t *counts, size_t boards);

  void (*rook_attacks_from)(const uint8_t *squares, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  void (*bishop_attacks_from)(const uint8_t *squares, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  void (*queen_attacks_from)(const uint8_t *squares, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  void (*line_attacks_from)(uint8_t line, const uint8_t *squares, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  void (*between)(const uint8_t *a, const uint8_t *b, uint64_t *squares, size_t boards);

  void (*line_through)(const uint8_t *a, const uint8_t *b, uint64_t *squares, size_t boards);

  uint64_t (*rook_attacks_one)(uint64_t rooks, uint64_t occupied);

  uint64_t (*bishop_attacks_one)(uint64_t bishops, uint64_t occupied);

  uint64_t (*queen_attacks_one)(uint64_t queens, uint64_t occupied);

  uint64_t (*slider_attacks_one)(uint64_t orthogonal, uint64_t diagonal, uint64_t occupied);
} setwise_kernel;

const setwise_kernel *setwise_active(void);

#define SETWISE_IGNORE_ENVIRONMENT 1u

const setwise_kernel *setwise_init(uint32_t flags, const char *force, const char *exclude);

const char *setwise_status(void);

const setwise_kernel *setwise_by_name(const char *name);

size_t setwise_available(const setwise_kernel **list, size_t capacity);

const char *setwise_version(void);

#ifdef __cplusplus
}
#endif

#endif
