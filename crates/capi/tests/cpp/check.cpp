/* Checks the functions that setwise.hpp adds to the table: position_from_sets, and threats of
 * boards whose codes and squares are enumerations. */
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "setwise.hpp"

static void expect(bool holds, const char *what) {
  if (holds) return;
  std::printf("%s\n", what);
  std::exit(1);
}

enum class piece : std::uint8_t { none, white_rook, black_rook };
enum class square { a1 = 0, f1 = 5, h1 = 7, a8 = 56 };

constexpr std::array<std::uint8_t, 16> meaning{0, SETWISE_PIECE(SETWISE_WHITE, SETWISE_ROOK),
                                               SETWISE_PIECE(SETWISE_BLACK, SETWISE_ROOK)};
// White's rooks do not count as victims of Black's.
constexpr std::uint16_t pairs[16] = {0, 6, 4};
constexpr setwise_threat_rules rules = setwise::threat_rules(meaning, pairs);
static_assert(rules.pieces == 6 && rules.every == 0);
static_assert(setwise::threat_rules(meaning).every == 1);

// Boards of an enumeration, as an engine has them.
static void threats(const setwise::kernel &kernel) {
  setwise_threat_rules of_library;
  setwise_threat_rules_init(&of_library, meaning.data(), pairs);
  expect(!std::memcmp(&rules, &of_library, offsetof(setwise_threat_rules, every) + 1), "rules");
  std::array<piece, 64> board{};
  board[0] = board[7] = piece::white_rook;
  board[56] = piece::black_rook;
  setwise_threat_changes changes;
  kernel.threats_moved(board, square::h1, square::f1, piece::white_rook, rules, changes);
  expect(changes.added.count == 2 && changes.removed.count == 2 &&
             changes.added.threats[0].from == 5 && changes.removed.threats[0].from == 7,
         "threats_moved");
  expect(kernel.threats_edited(board, std::array{setwise::edit(square::a8, piece::none)}, rules,
                               changes) &&
             changes.added.count == 0 && changes.removed.count == 1,
         "threats_edited");
  const std::vector<std::array<piece, 64>> boards(2, board);
  const piece plain[2][64] = {{piece::white_rook, piece::white_rook}, {piece::black_rook}};
  std::uint32_t offsets[3];
  setwise_threat list[2 * 420];
  expect(kernel.threats(boards, rules, offsets, list) == 2 && offsets[1] == 3 && offsets[2] == 6,
         "threats of a vector");
  expect(kernel.threats(plain, rules, offsets, list) == 2 && offsets[1] == 2 && offsets[2] == 2,
         "threats of an array");
  expect(!kernel.threats(boards, rules, setwise::span<std::uint32_t>(offsets, 2), list),
         "too few offsets");
  static setwise_index_table table;
  table.other[1] = 2;
  table.other[2] = 1;
  for (auto &victims : table.base)
    for (auto &numbers : victims) numbers[0] = numbers[1] = SETWISE_EXCLUDED;
  table.base[1][2][1] = 1000; // Our rook attacks the other's further up.
  table.place[1][0][56] = 7;
  const setwise_threat given[] = {{1, 0, 2, 56}, {1, 0, 1, 7}, {2, 56, 1, 0}};
  std::array<std::uint32_t, 10> white, black;
  setwise_index_list lists[] = {setwise::index_list(SETWISE_WHITE, false, white),
                                setwise::index_list(SETWISE_BLACK, false, black)};
  expect(kernel.threat_indices(given, table, 5, lists), "threat_indices");
  for (const auto &side : lists)
    expect(setwise::indices_of(side).size() == 1 && *setwise::indices_of(side).begin() == 1012,
           "indices of both sides");
  lists[1].capacity = 2;
  expect(!kernel.threat_indices(given, table, 5, lists), "too little room");
}

int main() {
  for (const auto &kernel : setwise::kernel::available()) threats(kernel);
  // Pawns a2 and a7, rooks a1 and a8.
  const std::array<std::uint64_t, 6> kinds{1ull << 8 | 1ull << 48, 0, 0, 1 | 1ull << 56, 0, 0};
  const setwise_position position =
      setwise::position_from_sets(kinds, 1 | 1ull << 8, 1ull << 48 | 1ull << 56);
  expect(position.pieces[SETWISE_WHITE][0] == 1ull << 8 && position.pieces[SETWISE_WHITE][3] == 1 &&
             position.pieces[SETWISE_BLACK][0] == 1ull << 48 &&
             position.pieces[SETWISE_BLACK][3] == 1ull << 56,
         "position_from_sets");
}
