/* setwise: set-wise attacks on chess bitboards, with the best SIMD kernel for the CPU.
 *
 * The generated parts come from the library's enumerations and list of operations.
 *
 *   const setwise_kernel *k = setwise_active();
 *   k->queen_attacks(queens, occupied, attacks, boards);
 *
 * Boards. A board is a uint64_t: a1 is bit 0, h1 bit 7, a8 bit 56, h8 bit 63. The sliders of a call
 * also block, whether or not they are in `occupied`. All kernels agree bit for bit on every input.
 *
 * Arguments. Every pointer points to `boards` elements and needs no alignment. The exceptions are
 * `pieces` of one side, which points to six sets, and the arguments of the functions for threats.
 * Sets of one side, rules, changes, values, offsets, index tables, index lists and their indices
 * are aligned as their types. An output may be the same array as one input of the same type, but
 * must not overlap any other array. With 0 boards, nothing is read or written, and pointers may be
 * NULL. Otherwise NULL is undefined behaviour. Only the low bits of a number are used: six of a
 * square, three of a direction, two of a line, one of a side.
 *
 * Threads. Any thread may call any function at any time, including the first call. As always in C,
 * no thread may change the environment (setenv) during a call. The library never allocates, sets
 * errno or throws, and runs no code before main.
 *
 * ABI. Within a major version, the table only grows at its end. A program compiled with an older
 * header runs with a newer library. If the library may be older than the header, check before using
 * a newer field: SETWISE_HAS(k, field). `abi_version` changes when the meaning of a field changes.
 * Never copy a table; pointers to it stay valid.
 *
 * Environment. SETWISE_FORCE_KERNEL=name forces a kernel; SETWISE_DISABLE=name,name excludes the
 * listed kernels. If the request is impossible, the library uses the best kernel for the CPU, and
 * setwise_status() returns the reason. An empty variable counts as unset.
 *
 * MIT OR Apache-2.0. */
#ifndef SETWISE_H
#define SETWISE_H

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SETWISE_ABI_VERSION 1

/* Whether a table is large enough to contain a field that this header declares. */
#define SETWISE_HAS(kernel, field) \
  ((kernel)->size >= offsetof(setwise_kernel, field) + sizeof((kernel)->field))

/* Start of a part that tools/check.sh generate writes. */
#define SETWISE_VERSION "0.1.0"

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

typedef enum setwise_side {
  SETWISE_WHITE = 0,
  SETWISE_BLACK = 1
} setwise_side;

typedef enum setwise_kind {
  SETWISE_PAWN = 0,
  SETWISE_KNIGHT = 1,
  SETWISE_BISHOP = 2,
  SETWISE_ROOK = 3,
  SETWISE_QUEEN = 4,
  SETWISE_KING = 5
} setwise_kind;
/* End of the generated part. */

/* The pieces of a position, by side (White, Black) and kind (pawns, knights, bishops, rooks,
 * queens, kings). */
typedef struct setwise_position {
  uint64_t pieces[2][6];
} setwise_position;

/* The squares that the pieces of a position attack. */
typedef struct setwise_attack_maps {
  /* By side and kind, including squares that hold pieces of the same side. */
  uint64_t attacks[2][6];
  /* By side: the union of that side's six sets of attacks. */
  uint64_t all[2];
  /* By side: the other side's pieces that this side attacks with less valuable pieces. Pawns
   * threaten knights, bishops, rooks and queens; knights and bishops threaten rooks and queens;
   * rooks threaten queens. */
  uint64_t by_lesser[2];
} setwise_attack_maps;

/* The squares that the pieces of one side attack. */
typedef struct setwise_side_attacks {
  /* By kind, including squares that hold pieces of the same side. */
  uint64_t attacks[6];
  /* The union of the six sets. */
  uint64_t all;
} setwise_side_attacks;

/* Checks and pins. Each array is indexed by the king's side. */
typedef struct setwise_checks {
  /* The enemy pieces that attack the king. */
  uint64_t checkers[2];
  /* The pieces of the king's side that are pinned to the king. */
  uint64_t pinned[2];
  /* The enemy sliders that pin those pieces. */
  uint64_t pinners[2];
} setwise_checks;

/* Positions and their attack maps in columns. A column holds one set per position, such as White's
 * pawns. See attack_maps_in_columns. */
typedef struct setwise_columns {
  const uint64_t *pieces[2][6];
  /* The results, as in setwise_attack_maps. A result whose pointer is NULL is not computed. */
  uint64_t *attacks[2][6];
  uint64_t *all[2];
  uint64_t *by_lesser[2];
} setwise_columns;

/* Positions and their checks in columns. See checks_in_columns. */
typedef struct setwise_check_columns {
  const uint64_t *pieces[2][6];
  /* The results, as in setwise_checks. A result whose pointer is NULL is not computed. */
  uint64_t *checkers[2];
  uint64_t *pinned[2];
  uint64_t *pinners[2];
} setwise_check_columns;

/* What the rules need to know about a position beside its pieces. */
typedef struct setwise_state {
  /* The side to move: 0 White, 1 Black. Only the lowest bit counts. */
  uint8_t side;
  /* The square behind a pawn that has just advanced two squares; 64 or more if there is none. */
  uint8_t en_passant;
  /* White's rooks that may castle, then Black's: bit f is the rook on file f of the first rank. */
  uint8_t castling[2];
} setwise_state;

/* A position with its state. See legal_counts. */
typedef struct setwise_game_position {
  setwise_position position;
  setwise_state state;
  /* Not read. */
  uint8_t reserved[4];
} setwise_game_position;

/* Positions in columns of four sets: White's pieces; knights, bishops and queens; rooks, queens and
 * kings; pawns, knights and kings. A side of NULL means that White is to move in every position. So
 * positions may also be given as the side to move sees them: own pieces instead of White's, and
 * ranks reversed if Black is to move. See legal_counts_in_planes. */
typedef struct setwise_plane_columns {
  const uint64_t *planes[4];
  const uint8_t *side;
  const uint8_t *en_passant;
  const uint8_t *castling[2];
  /* The results. One whose pointer is NULL is not computed. */
  uint8_t *moves;
  uint8_t *checks;
} setwise_plane_columns;

/* The same in a column for each side and kind of piece. See legal_counts_in_columns. */
typedef struct setwise_piece_columns {
  const uint64_t *pieces[2][6];
  const uint8_t *side;
  const uint8_t *en_passant;
  const uint8_t *castling[2];
  uint8_t *moves;
  uint8_t *checks;
} setwise_piece_columns;

/* The most legal moves that a position of a game has. */
#define SETWISE_MOST_MOVES 218

/* A move in 16 bits: the square it comes from in bits 0 to 5, the square it goes to in bits 6 to
 * 11, the promotion in bits 12 to 14: 0 none, 1 knight, 2 bishop, 3 rook, 4 queen. Castling is the
 * king that goes to the square of its own rook. See legal_moves_in_planes. */
#define SETWISE_MOVE_FROM(move) ((move) & 63)
#define SETWISE_MOVE_TO(move) ((move) >> 6 & 63)
#define SETWISE_MOVE_PROMOTION(move) ((move) >> 12 & 7)

/* Positions after moves, to be written: see setwise_plane_columns and successors_in_planes. No
 * pointer may be NULL. */
typedef struct setwise_after_columns {
  uint64_t *planes[4];
  uint8_t *side;
  uint8_t *en_passant;
  uint8_t *castling[2];
} setwise_after_columns;

/* Threats.
 *
 * A piece threatens the pieces that it attacks or defends, of either side. Engines feed threats to
 * their networks and update them at every move. The board is the engine's own mailbox: 64 bytes, a
 * code per square (a1 = 0). Only the low four bits of a code count, and setwise_threat_rules give
 * the sixteen codes their meaning. Every input is defined: a board need not be a chess position.
 * The documentation of setwise::threats in Rust has the exact rules and orders. */

/* A threat. The codes are the low four bits of those on the board. */
typedef struct setwise_threat {
  uint8_t attacker, from, victim, to;
} setwise_threat;

/* The alignment of setwise_threat_rules and setwise_threat_changes. The compiler aligns variables
 * and members; memory from malloc is not aligned enough. */
#if defined(__cplusplus)
#define SETWISE_ALIGNED(bytes) alignas(bytes)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define SETWISE_ALIGNED(bytes) _Alignas(bytes)
#else
#define SETWISE_ALIGNED(bytes) __attribute__((aligned(bytes)))
#endif

/* The code of a piece for setwise_threat_rules_init. 0 is an empty square. */
#ifdef __cplusplus
#define SETWISE_PIECE(side, kind) (static_cast<uint8_t>(1 + 6 * (side) + (kind)))
#else
#define SETWISE_PIECE(side, kind) ((uint8_t)(1 + 6 * (side) + (kind)))
#endif

/* What the sixteen codes of a board mean, and which pairs of pieces count.
 * setwise_threat_rules_init fills it. The members are only for setwise_inline.h. */
typedef struct setwise_threat_rules {
  SETWISE_ALIGNED(64) uint8_t kinds[16];
  uint16_t pairs[16];
  uint8_t pair_bytes[2][16], victims[16][16], attackers[16][16];
  uint16_t pieces;
  uint8_t every;
} setwise_threat_rules;

/* A square, and the code that it gets. */
typedef struct setwise_edit {
  uint8_t square, code;
} setwise_edit;

/* A list of threats: the first `count` of `threats`. The others are unspecified. No call fills the
 * list: of four edited squares each has at most 24 threats. */
typedef struct setwise_threat_list {
  SETWISE_ALIGNED(64) setwise_threat threats[111];
  uint32_t count;
} setwise_threat_list;

/* The threats that a change of the board adds and removes. No threat is in both lists. Each call
 * empties the lists first.
 *
 * 896 bytes, aligned to a cache line: two lists of 448. An engine that updates its accumulator
 * later keeps one for each ply. A typical move has nine threats, in two of the fourteen cache
 * lines, and the counts are in two more. An engine that updates it at once needs one for the whole
 * search. */
typedef struct setwise_threat_changes {
  setwise_threat_list added, removed;
} setwise_threat_changes;

/* A kernel: every operation, implemented with one technique or instruction set. */
typedef struct setwise_kernel {
  /* The size of this struct in the library, in bytes. */
  uint32_t size;
  uint32_t abi_version;
  /* The name that SETWISE_FORCE_KERNEL takes. */
  const char *name;

  /* Start of a part that tools/check.sh generate writes. */
  /* attacks[i] = the squares attacked by all rooks of board i.
   *
   * Every rook also blocks, whether or not it is in occupied. */
  void (*rook_attacks)(const uint64_t *rooks, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  /* attacks[i] = the squares attacked by all bishops of board i.
   *
   * Every bishop also blocks, whether or not it is in occupied. */
  void (*bishop_attacks)(const uint64_t *bishops, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  /* attacks[i] = the squares attacked by all queens of board i.
   *
   * Every queen also blocks, whether or not it is in occupied. */
  void (*queen_attacks)(const uint64_t *queens, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  /* attacks[i] = the union of the rook attacks of orthogonal[i] (rooks and queens) and the
   * bishop attacks of diagonal[i] (bishops and queens).
   *
   * All these sliders also block, whether or not they are in occupied. */
  void (*slider_attacks)(const uint64_t *orthogonal, const uint64_t *diagonal, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  /* The two halves of slider_attacks separately:
   * orthogonal_attacks[i] = the rook attacks of orthogonal[i], diagonal_attacks[i] = the
   * bishop attacks of diagonal[i].
   *
   * The sliders of both sets also block, whether or not they are in occupied. */
  void (*slider_attacks_split)(const uint64_t *orthogonal, const uint64_t *diagonal, const uint64_t *occupied, uint64_t *orthogonal_attacks, uint64_t *diagonal_attacks, size_t boards);

  /* attacks[i] = what rooks attack through a blocker.
   *
   * The definition is per ray. If the first occupied square of a rook's ray is in blockers[i],
   * the result contains the squares beyond it, up to and including the next occupied square.
   * Otherwise the ray adds nothing. Squares that the rook attacks directly are in the result
   * only if the x-ray of another rook reaches them. Empty squares in blockers[i] have no
   * effect. Every rook also blocks, and may itself be a blocker (a battery).
   *
   * For one rook, this equals the well-known
   * attacks(occupied ^ (blockers & attacks(occupied))) ^ attacks(occupied). With several
   * rooks, that formula lets a rook look through a piece that only another rook attacks.
   * The definition per ray does not.
   *
   * Source: "X-ray Attacks (Bitboards)", Chess Programming Wiki. */
  void (*xray_rook_attacks)(const uint64_t *rooks, const uint64_t *blockers, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  /* attacks[i] = what bishops attack through a blocker, as defined for
   * xray_rook_attacks. */
  void (*xray_bishop_attacks)(const uint64_t *bishops, const uint64_t *blockers, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  /* attacks[i] = what queens attack through a blocker, as defined for
   * xray_rook_attacks. */
  void (*xray_queen_attacks)(const uint64_t *queens, const uint64_t *blockers, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  /* The pieces pinned to kings, and the sliders that pin them.
   *
   * kings[i] is the king of one side and own[i] its pieces (with or without the king).
   * orthogonal[i] holds the other side's rooks and queens, diagonal[i] its bishops and
   * queens. The definition is per ray of a king. If the first occupied square is in own[i] and
   * the second holds a slider that moves along the ray, the first is in pinned[i] and the
   * second in pinners[i].
   *
   * All these pieces also block, whether or not they are in occupied. A board may have several
   * kings.
   *
   * Source: "Checks and Pinned Pieces (Bitboards)", Chess Programming Wiki. */
  void (*pins)(const uint64_t *kings, const uint64_t *own, const uint64_t *orthogonal, const uint64_t *diagonal, const uint64_t *occupied, uint64_t *pinned, uint64_t *pinners, size_t boards);

  /* attacks[i] = the squares attacked in one direction on board i, up to and including the
   * first occupied square. */
  void (*ray_attacks)(uint8_t direction, const uint64_t *sliders, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  /* filled[i] = the occluded fill: generators[i], and the squares of propagators[i] that
   * they reach by steps in this direction without leaving propagators[i]. */
  void (*occluded_fill)(uint8_t direction, const uint64_t *generators, const uint64_t *propagators, uint64_t *filled, size_t boards);

  /* counts[i] = the number of squares of targets[i] that the rooks of board i attack. A
   * square attacked by two rooks counts once. */
  void (*rook_mobility)(const uint64_t *rooks, const uint64_t *occupied, const uint64_t *targets, uint32_t *counts, size_t boards);

  /* counts[i] = the number of squares of targets[i] that the bishops of board i attack. */
  void (*bishop_mobility)(const uint64_t *bishops, const uint64_t *occupied, const uint64_t *targets, uint32_t *counts, size_t boards);

  /* counts[i] = the number of squares of targets[i] that the queens of board i attack. */
  void (*queen_mobility)(const uint64_t *queens, const uint64_t *occupied, const uint64_t *targets, uint32_t *counts, size_t boards);

  /* counts[i] = the number of squares of targets[i] that
   * slider_attacks of board i contains. */
  void (*slider_mobility)(const uint64_t *orthogonal, const uint64_t *diagonal, const uint64_t *occupied, const uint64_t *targets, uint32_t *counts, size_t boards);

  /* attacks[i] = the squares attacked by a rook on squares[i] of board i.
   *
   * Whether the rook's own square is in occupied makes no difference. */
  void (*rook_attacks_from)(const uint8_t *squares, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  /* attacks[i] = the squares attacked by a bishop on squares[i] of board i.
   *
   * Whether the bishop's own square is in occupied makes no difference. */
  void (*bishop_attacks_from)(const uint8_t *squares, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  /* attacks[i] = the squares attacked by a queen on squares[i] of board i.
   *
   * Whether the queen's own square is in occupied makes no difference. */
  void (*queen_attacks_from)(const uint8_t *squares, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  /* attacks[i] = the squares attacked along one line, in both directions, by a slider on
   * squares[i] of board i.
   *
   * Whether the slider's own square is in occupied makes no difference. */
  void (*line_attacks_from)(uint8_t line, const uint8_t *squares, const uint64_t *occupied, uint64_t *attacks, size_t boards);

  /* squares[i] = the squares strictly between a[i] and b[i] on a rank, file, diagonal or
   * antidiagonal. Empty if the two squares share no line. All kernels share this code. */
  void (*between)(const uint8_t *a, const uint8_t *b, uint64_t *squares, size_t boards);

  /* squares[i] = the whole rank, file, diagonal or antidiagonal through a[i] and b[i],
   * from edge to edge, both included. Empty if the two squares share no line or are the same
   * square. All kernels share this code. */
  void (*line_through)(const uint8_t *a, const uint8_t *b, uint64_t *squares, size_t boards);

  /* maps[i] = the attacks of positions[i] by side and kind of piece, their unions, and the
   * threats to more valuable pieces: see setwise_attack_maps.
   *
   * Every piece on the board blocks. */
  void (*attack_maps)(const setwise_position *positions, setwise_attack_maps *maps, size_t boards);

  /* checks[i] = the checkers, pinned pieces and pinners of both kings of positions[i]: see
   * setwise_checks.
   *
   * Pins are defined as in pins, for each king and the pieces of its side. A
   * side may have several kings. An adjacent enemy king is not a checker. */
  void (*checks)(const setwise_position *positions, setwise_checks *checks, size_t boards);

  /* attacks[i] = the squares attacked by all knights of board i. */
  void (*knight_attacks)(const uint64_t *knights, uint64_t *attacks, size_t boards);

  /* attacks[i] = the squares attacked by all kings of board i. */
  void (*king_attacks)(const uint64_t *kings, uint64_t *attacks, size_t boards);

  /* attacks[i] = the squares attacked by all pawns of one side on board i: the two
   * diagonally ahead, whether or not there is something to capture. */
  void (*pawn_attacks)(uint8_t side, const uint64_t *pawns, uint64_t *attacks, size_t boards);

  /* rook_attacks of one board.
   *
   * Uses the fastest one-board code for the kernel's instruction set. In most kernels this is
   * board::rook_attacks. A kernel's name describes only its code
   * for batches. */
  uint64_t (*rook_attacks_one)(uint64_t rooks, uint64_t occupied);

  /* bishop_attacks of one board. */
  uint64_t (*bishop_attacks_one)(uint64_t bishops, uint64_t occupied);

  /* queen_attacks of one board. */
  uint64_t (*queen_attacks_one)(uint64_t queens, uint64_t occupied);

  /* slider_attacks of one board. */
  uint64_t (*slider_attacks_one)(uint64_t orthogonal, uint64_t diagonal, uint64_t occupied);

  /* Attacks of a board's bishops, rooks and queens, each kind by itself.
   *
   * All these sliders also block, whether or not they are in occupied. One call costs less
   * than a call for each kind. */
  void (*sliders_by_kind_one)(uint64_t bishops, uint64_t rooks, uint64_t queens, uint64_t occupied, uint64_t attacks[3]);

  /* Attacks of one side's pieces, by kind, and their union.
   *
   * pieces holds the side's pawns, knights, bishops, rooks, queens and kings. The side's
   * sliders also block, whether or not they are in occupied. Every other piece blocks only if
   * it is in occupied. To find the squares that the enemy king cannot move to, remove that
   * king from occupied. Otherwise it would shield the squares behind it. */
  void (*side_attacks_one)(uint8_t side, const uint64_t pieces[6], uint64_t occupied, setwise_side_attacks *attacks);

  /* The squares that at least two pieces of one side attack.
   *
   * The arguments are those of side_attacks_one. A slider
   * behind another one does not attack through it. The six sets should be disjoint. If a square
   * is in several sets, each kind of move from that square counts once: slides, steps of kings
   * and pawns, and jumps of knights. So a rook and a queen on one square attack the squares of
   * their file once, and a king and a queen attack their neighbours twice. */
  uint64_t (*doubly_attacked_one)(uint8_t side, const uint64_t pieces[6], uint64_t occupied);

  /* The threats that a move, capture or promotion changes: the piece on from goes to to,
   * where it becomes placed. Whatever was on to vanishes.
   *
   * before is the board before the move. Call this before you write the board. It saves a
   * copy, and a vector load that follows single-byte stores to the same bytes may have to wait
   * for them.
   *
   * For castling and en passant use threats_edited. If from
   * holds no piece or is to, if placed is no piece, or if the captured piece has the code
   * placed, the lists are still the difference, but in the order of threats_edited. */
  void (*threats_moved)(const uint8_t before[64], uint8_t from, uint8_t to, uint8_t placed, const setwise_threat_rules *rules, setwise_threat_changes *changes);

  /* The threats that change when up to four squares get other codes at once: castling, also that
   * of Chess960, en passant, a piece put or taken.
   *
   * before is the board before the change. Call this before you write the board, as
   * threats_moved. The edits may have any order, and may leave
   * a square as it is.
   *
   * Returns false, and writes nothing, if there are more than four edits, or two of the same
   * square. */
  bool (*threats_edited)(const uint8_t before[64], const setwise_edit *edits, size_t count, const setwise_threat_rules *rules, setwise_threat_changes *changes);

  /* All threats of many boards. Those of board i are in threats, from offsets[i] up to,
   * but not including, offsets[i + 1].
   *
   * Returns the number of boards done. It is less than the number of boards if the threats of
   * the next board do not fit into what is left of threats. Then call again with the other
   * boards: room for 420 threats is enough for any board. Only
   * the offsets up to that of the number returned are written, and entries of threats that
   * follow the last one may be overwritten.
   *
   * boards has 64 bytes per board, offsets one element more than there are boards. */
  size_t (*threats)(const uint8_t *boards, size_t count, const setwise_threat_rules *rules, uint32_t *offsets, setwise_threat *threats, size_t capacity);

  /* The attack_maps of positions in columns, with results in columns.
   *
   * Results without a column are not computed, nor are intermediate values that only they need.
   * If the sets are already in columns, this is faster than attack_maps
   * for about 64 positions or more, and slower for a few. (Of the kernels that do not slice
   * positions, ssse3, xop-emulated and hyperbola are faster with attack_maps.)
   *
   * A result whose column is NULL is not computed. Every column has `positions` sets and needs
   * no alignment. The pieces must not be NULL, unless `positions` is 0. No result may overlap
   * another column. */
  void (*attack_maps_in_columns)(const setwise_columns *columns, size_t positions);

  /* The number of legal moves of positions in columns of planes, and the number of pieces that
   * give check.
   *
   * What the numbers mean, also for positions that no game can have, is as for
   * legal_counts. A result without a column is not written. This is the
   * fastest form: it reads 36 bytes per position.
   *
   * A result whose column is NULL is not computed. Every column has `positions` elements and
   * needs no alignment. The sets, en_passant and castling must not be NULL, unless `positions`
   * is 0. No result may overlap another column. */
  void (*legal_counts_in_planes)(const setwise_plane_columns *columns, size_t positions);

  /* The number of legal moves of positions in columns of sets, and the number of pieces that
   * give check.
   *
   * What the numbers mean, also for positions that no game can have, is as for
   * legal_counts. A result without a column is not written.
   *
   * A result whose column is NULL is not computed. Every column has `positions` elements and
   * needs no alignment. The sets, en_passant and castling must not be NULL, unless `positions`
   * is 0. No result may overlap another column. */
  void (*legal_counts_in_columns)(const setwise_piece_columns *columns, size_t positions);

  /* The number of legal moves of each position, and the number of pieces that give check.
   *
   * moves[i] is 255 if there are 255 moves or more; no position of a game has more than 218.
   * checks[i] is 0, 1 or 2. So a position is mate if moves is 0 and checks is 1
   * or 2, and stalemate if both are 0.
   *
   * The rules are those of standard chess and of Chess960: pins, checks, castling, en passant,
   * and promotions as four moves each. A castling right without its rook, or whose king is not
   * on the first rank, counts for nothing, and so does an en passant square without the pawn
   * that could be captured.
   *
   * Positions that no game can have get a result too, the same from all kernels. checks[i] is
   * 255 and moves[i] is 0 if a side does not have exactly one king, if the kings are
   * neighbours, if a pawn stands on the first or last rank, or if more than two pieces give
   * check. All other positions are counted by the rules: whether the side that has just moved is
   * in check makes no difference, and its king can be captured like any piece.
   * Where sets overlap, the four sets of
   * setwise_plane_columns decide which piece a square has.
   *
   * A result that is NULL is not computed. No array needs an alignment. No result may overlap
   * another array. */
  void (*legal_counts)(const setwise_game_position *positions, uint8_t *moves, uint8_t *checks, size_t count);

  /* The legal moves of many positions. Those of position i are in moves, from offsets[i]
   * up to, but not including, offsets[i + 1].
   *
   * Returns the number of positions done. It is less than the number of positions if the moves
   * of the next one do not fit into what is left of moves. Then call again with the other
   * positions: room for SETWISE_MOST_MOVES moves is enough for any position of a game.
   * Only the offsets up to that of the number returned are written, and elements of moves that
   * follow the last one may be overwritten. Room for more than is needed saves time, but no more
   * than 4,294,967,295 moves are written at once.
   *
   * The rules are those of legal_counts, and a position for which it
   * finds that no game can have it has no moves.
   *
   * The order is the same for all kernels. Squares are counted from the first rank of the side
   * to move, so for Black from a8. First come moves of pawns: two steps, one step, captures
   * towards the a-file, captures towards the h-file, each by the square where they end. Then the
   * king's steps, the moves of knights, and those of bishops, rooks and queens together, by the
   * square where they begin, and then by that where they end. Then promotions by a step, by a
   * capture towards the a-file and towards the h-file, by the square where they end, each to a
   * knight, bishop, rook and queen. Then castling, by the rook's square, and captures en
   * passant, by the square where they begin.
   *
   * Every column has `positions` elements and needs no alignment. The sets, en_passant and
   * castling must not be NULL, unless `positions` is 0. The columns moves and checks are
   * ignored.
   *
   * There is one offset more than positions. The list has `room` elements. Offsets and moves
   * are aligned. */
  size_t (*legal_moves_in_planes)(const setwise_plane_columns *columns, size_t positions, uint32_t *offsets, uint16_t *moves, size_t room);

  /* The positions after moves: result n is the position after moves[n], which is a move of
   * the position whose offsets enclose n, as
   * legal_moves_in_planes lists them.
   *
   * The en passant square is set if a pawn of the other side stands beside the pawn that has
   * made two steps. Castling rights go when the king or the rook moves, or the rook is captured.
   *
   * Moves need not be legal: the piece goes where the move says, and what is there vanishes. A
   * pawn captures en passant only if there is a pawn to capture.
   *
   * Every column has `positions` elements and needs no alignment. The sets, en_passant and
   * castling must not be NULL, unless `positions` is 0. The columns moves and checks are
   * ignored.
   *
   * There is one offset more than positions, and none is less than the one before it. Offsets
   * and moves are aligned.
   *
   * Every column of the results has as many elements as there are moves (the last offset) and
   * needs no alignment. None may be NULL, unless `positions` is 0. No result may overlap
   * another column. */
  void (*successors_in_planes)(const setwise_plane_columns *columns, size_t positions, const uint32_t *offsets, const uint16_t *moves, const setwise_after_columns *after);

  /* The checks of positions in columns, with results in columns.
   *
   * Only the results that have a column are computed: checkers, or the pinned and their pinners.
   *
   * A result whose column is NULL is not computed. Every column has `positions` sets and needs
   * no alignment. The pieces must not be NULL, unless `positions` is 0. No result may overlap
   * another column. */
  void (*checks_in_columns)(const setwise_check_columns *columns, size_t positions);
  /* End of the generated part. */
} setwise_kernel;

/* The active kernel, never NULL. The first call chooses the kernel that the environment requests,
 * or the best one for the CPU. Later calls cost two loads, so keep the pointer. */
const setwise_kernel *setwise_active(void);

/* Flag of setwise_init: ignore the environment. */
#define SETWISE_IGNORE_ENVIRONMENT 1u

/* Chooses a kernel and makes it active for all threads. Call this at the start of a program.
 * `force` is a name or NULL; `exclude` is a list of names separated by commas, or NULL. Unless
 * `flags` contains SETWISE_IGNORE_ENVIRONMENT, a kernel that the environment forces overrides
 * `force`, and kernels that it disables are excluded as well. Returns the kernel, or NULL if the
 * choice is impossible. In that case the active kernel stays, and setwise_status() returns the
 * reason. */
const setwise_kernel *setwise_init(uint32_t flags, const char *force, const char *exclude);

/* The error message of the last choice of a kernel, in one line; "" if the choice succeeded.
 * Kernels are chosen by setwise_init and at the first use, which may be this call. The text belongs
 * to the library, and a later choice overwrites it. */
const char *setwise_status(void);

/* The kernel with this name. NULL if there is none, if this CPU cannot run it, or if the name is
 * NULL. */
const setwise_kernel *setwise_by_name(const char *name);

/* Writes up to `capacity` kernels that this CPU can run to `list`, best first. Returns the number
 * of all such kernels. If `list` is NULL, nothing is written. */
size_t setwise_available(const setwise_kernel **list, size_t capacity);

/* 1 if side_attacks_one and sliders_by_kind_one of this kernel make a search faster than magic
 * look-ups for each slider do, on every CPU that was measured. Else 0. `kernel` must not be
 * NULL. */
int setwise_beats_look_ups(const setwise_kernel *kernel);

/* Fills the rules. `codes` has the meaning of each code: SETWISE_PIECE(side, kind), or 0 for an
 * empty square. Bit `victim` of pairs[attacker] is 1 if this pair of codes counts; if `pairs` is
 * NULL, all pairs count. */
void setwise_threat_rules_init(setwise_threat_rules *rules, const uint8_t codes[16],
                               const uint16_t pairs[16]);

/* The number of sequences of `depth` legal moves from a position (perft), counted by the calling
 * thread. Takes 70 KB of its stack for each move before the last: 2 MiB are enough for a depth of
 * 25. */
uint64_t setwise_perft(const setwise_game_position *position, uint32_t depth);

/* The version of the library. SETWISE_VERSION is the version of this header. */
const char *setwise_version(void);

#ifdef __cplusplus
}
#endif

#endif
