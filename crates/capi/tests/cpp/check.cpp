/* Checks the functions that setwise.hpp adds to the table: position_from_sets, legal moves, and
 * threats of boards whose codes and squares are enumerations. setwise.hpp does not include
 * setwise_inline.h, which is compiled into programs. */
#undef NDEBUG
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <vector>

#include "setwise.hpp"
#if defined(SETWISE_INLINE_H) || defined(SETWISE_INLINE_THREATS_H)
#error "setwise.hpp includes code that is compiled into programs"
#endif
#include "setwise_inline.h"

enum class piece : std::uint8_t { none, white_rook, black_rook };
enum class square { a1 = 0, f1 = 5, h1 = 7, a8 = 56 };

constexpr std::array<std::uint8_t, 16> meaning{0, SETWISE_PIECE(SETWISE_WHITE, SETWISE_ROOK),
                                               SETWISE_PIECE(SETWISE_BLACK, SETWISE_ROOK)};
// White's rooks do not count as victims of Black's.
constexpr std::uint16_t pairs[16] = {0, 6, 4};
constexpr setwise_threat_rules rules_of(const std::uint16_t *which) {
  setwise_threat_rules filled{};
  setwise_inline_threat_rules_fill(&filled, meaning.data(), which);
  return filled;
}
constexpr setwise_threat_rules rules = rules_of(pairs);
static_assert(rules.pieces == 6 && rules.every == 0);
static_assert(rules_of(nullptr).every == 1);

// Boards of an enumeration, as an engine has them.
static void threats(const setwise::kernel &kernel) {
  const setwise_threat_rules of_library = setwise::threat_rules(meaning, pairs);
  assert(!std::memcmp(&rules, &of_library, offsetof(setwise_threat_rules, every) + 1));
  assert(setwise::threat_rules(meaning).every == 1);
  std::array<piece, 64> board{};
  board[0] = board[7] = piece::white_rook;
  board[56] = piece::black_rook;
  setwise_threat_changes changes;
  kernel.threats_moved(board, square::h1, square::f1, piece::white_rook, rules, changes);
  assert(changes.added.count == 2 && changes.added.threats[0].from == 5);
  assert(changes.removed.count == 2 && changes.removed.threats[0].from == 7);
  const std::array taken{setwise::edit(square::a8, piece::none)};
  assert(kernel.threats_edited(board, taken, rules, changes));
  assert(changes.added.count == 0 && changes.removed.count == 1);
  // The high bits of a square do not count.
  const setwise_edit five[5] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}}, twice[2] = {{9, 0}, {73, 0}};
  assert(!kernel.threats_edited(board, five, rules, changes));
  assert(!kernel.threats_edited(board, twice, rules, changes));
  const std::vector<std::array<piece, 64>> boards(2, board);
  const piece plain[2][64] = {{piece::white_rook, piece::white_rook}, {piece::black_rook}};
  std::uint32_t offsets[3];
  setwise_threat list[2 * 420];
  assert(kernel.threats(boards, rules, offsets, list) == 2 && offsets[1] == 3 && offsets[2] == 6);
  assert(kernel.threats(plain, rules, offsets, list) == 2 && offsets[1] == 2 && offsets[2] == 2);
  assert(!kernel.threats(boards, rules, setwise::span<std::uint32_t>(offsets, 2), list));
}

// White's king on e1, Black's on e8 and its rook on e7, which gives check: d1, d2, f1, f2.
static void moves(const setwise::kernel &kernel) {
  std::array<setwise_game_position, 2> games{};
  const std::uint64_t kings = 1ull << 4 | 1ull << 60, rook = 1ull << 52;
  for (auto &game : games) {
    game.position.pieces[SETWISE_WHITE][SETWISE_KING] = 1ull << 4;
    game.position.pieces[SETWISE_BLACK][SETWISE_KING] = 1ull << 60;
    game.state.en_passant = 64;
  }
  games[1].position.pieces[SETWISE_BLACK][SETWISE_ROOK] = rook;
  std::array<std::uint8_t, 2> found{}, checks{};
  assert(kernel.legal_counts(games, found, checks));
  assert(found[0] == 5 && found[1] == 4 && checks[0] == 0 && checks[1] == 1);
  assert(!kernel.legal_counts(games, setwise::span<std::uint8_t>(found.data(), 1), checks));

  const std::uint64_t white = 1ull << 4, none = 0, straight = kings | rook;
  const std::uint8_t side = 0, en_passant = 64, castling = 0;
  std::uint8_t count = 0;
  const setwise_plane_columns columns{
      {&white, &none, &straight, &kings}, &side, &en_passant, {&castling, &castling}, &count, nullptr};
  kernel.legal_counts_in_planes(columns, 1);
  assert(count == 4);
}

int main() {
  for (const auto &kernel : setwise::kernel::available()) {
    threats(kernel);
    moves(kernel);
  }
  // Pawns a2 and a7, rooks a1 and a8.
  const std::array<std::uint64_t, 6> kinds{1ull << 8 | 1ull << 48, 0, 0, 1 | 1ull << 56, 0, 0};
  const setwise_position position =
      setwise::position_from_sets(kinds, 1 | 1ull << 8, 1ull << 48 | 1ull << 56);
  const auto &white = position.pieces[SETWISE_WHITE], &black = position.pieces[SETWISE_BLACK];
  assert(white[0] == 1ull << 8 && white[3] == 1);
  assert(black[0] == 1ull << 48 && black[3] == 1ull << 56);
}
