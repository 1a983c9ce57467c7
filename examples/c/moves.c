/* Finds mates and stalemates among positions, and counts their legal moves, from C.
 *
 *   tools/capi-install.sh target/capi
 *   gcc -O2 -Itarget/capi/include examples/c/moves.c target/capi/lib/libsetwise.a -o moves &&
 *       ./moves */
#include <stdio.h>
#include <string.h>

#include "setwise.h"

/* Puts the pieces of a FEN's first field on a position. */
static void put(setwise_position *position, const char *placement) {
  static const char LETTERS[] = "PNBRQKpnbrqk";
  int square = 56;
  for (; *placement; placement++) {
    const char *letter = strchr(LETTERS, *placement);
    if (*placement == '/') square -= 16;
    else if (!letter) square += *placement - '0';
    else {
      const int piece = (int)(letter - LETTERS);
      position->pieces[piece / 6][piece % 6] |= 1ull << square++;
    }
  }
}

int main(void) {
  static const struct {
    const char *placement;
    uint8_t side, castling, moves, checks;
  } cases[] = {
      {"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", SETWISE_WHITE, 0x81, 20, 0},
      {"4k3/8/8/8/8/8/8/R3K2R", SETWISE_WHITE, 0x81, 26, 0},
      {"rnb1kbnr/pppp1ppp/8/4p3/5PPq/8/PPPPP2P/RNBQKBNR", SETWISE_WHITE, 0x81, 0, 1}, /* mate */
      {"7k/5Q2/6K1/8/8/8/8/8", SETWISE_BLACK, 0, 0, 0},                                /* stalemate */
      {"8/8/8/8/8/8/8/8", SETWISE_WHITE, 0, 0, 255}, /* No game has this position. */
  };
  enum { COUNT = sizeof cases / sizeof *cases };
  setwise_game_position positions[COUNT];
  memset(positions, 0, sizeof positions);
  for (int i = 0; i < COUNT; i++) {
    put(&positions[i].position, cases[i].placement);
    positions[i].state.side = cases[i].side;
    positions[i].state.en_passant = 64; /* none */
    positions[i].state.castling[SETWISE_WHITE] = cases[i].castling;
  }

  const setwise_kernel *kernel = setwise_active();
  uint8_t moves[COUNT], checks[COUNT];
  kernel->legal_counts(positions, moves, checks, COUNT);
  int right = 1;
  for (int i = 0; i < COUNT; i++) {
    printf("%s: %d moves, %d checks%s\n", cases[i].placement, moves[i], checks[i],
           moves[i] || checks[i] == 255 ? "" : checks[i] ? ": mate" : ": stalemate");
    right = right && moves[i] == cases[i].moves && checks[i] == cases[i].checks;
  }

  /* The same in columns, which is faster: four sets for each position. */
  uint64_t planes[4][COUNT];
  uint8_t side[COUNT], en_passant[COUNT], castling[2][COUNT], in_planes[COUNT];
  for (int i = 0; i < COUNT; i++) {
    const uint64_t *white = positions[i].position.pieces[SETWISE_WHITE];
    const uint64_t *black = positions[i].position.pieces[SETWISE_BLACK];
    planes[0][i] = planes[1][i] = planes[2][i] = planes[3][i] = 0;
    for (int kind = SETWISE_PAWN; kind <= SETWISE_KING; kind++) {
      const uint64_t both = white[kind] | black[kind];
      planes[0][i] |= white[kind];
      if (kind == SETWISE_KNIGHT || kind == SETWISE_BISHOP || kind == SETWISE_QUEEN) planes[1][i] |= both;
      if (kind == SETWISE_ROOK || kind == SETWISE_QUEEN || kind == SETWISE_KING) planes[2][i] |= both;
      if (kind == SETWISE_PAWN || kind == SETWISE_KNIGHT || kind == SETWISE_KING) planes[3][i] |= both;
    }
    side[i] = positions[i].state.side;
    en_passant[i] = positions[i].state.en_passant;
    castling[0][i] = positions[i].state.castling[0];
    castling[1][i] = positions[i].state.castling[1];
  }
  const setwise_plane_columns columns = {{planes[0], planes[1], planes[2], planes[3]},
                                         side, en_passant, {castling[0], castling[1]}, in_planes, NULL};
  kernel->legal_counts_in_planes(&columns, COUNT);
  return right && !memcmp(in_planes, moves, COUNT) ? 0 : 1;
}
