/* Checks the functions that setwise.hpp adds to the table: the mobility of several sliders on one
 * board, and position_from_sets. Compares the mobility with other functions of the library, for
 * every kernel of this CPU. */
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "setwise.hpp"

static std::uint64_t state = 0x9e3779b97f4a7c15;

static std::uint64_t random_set() {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state * 0x2545f4914f6cdd1dull;
}

static void expect(bool holds, const char *what) {
  if (holds) return;
  std::printf("%s\n", what);
  std::exit(1);
}

using sets = std::vector<std::uint64_t>;
using counts = std::vector<std::uint32_t>;

// Checks every number of sliders up to 48. The functions work in chunks of 16 sliders, so the last
// chunk takes every possible length.
static void mobility(const setwise::kernel &kernel) {
  for (std::size_t sliders = 0; sliders <= 48; sliders++) {
    const std::uint64_t occupied = random_set() & random_set(), targets = random_set();
    std::vector<std::uint8_t> squares;
    sets boards;
    while (squares.size() < sliders) {
      squares.push_back(static_cast<std::uint8_t>(random_set() % 64));
      boards.push_back(1ull << squares.back());
    }
    const sets blockers(sliders, occupied), goals(sliders, targets);
    counts got(sliders), expected(sliders);
    expect(kernel.rook_mobility_each(squares, occupied, targets, got) &&
               kernel.rook_mobility(boards, blockers, goals, expected) && got == expected,
           "rook_mobility_each");
    expect(kernel.bishop_mobility_each(squares, occupied, targets, got) &&
               kernel.bishop_mobility(boards, blockers, goals, expected) && got == expected,
           "bishop_mobility_each");
    expect(kernel.queen_mobility_each(squares, occupied, targets, got) &&
               kernel.queen_mobility(boards, blockers, goals, expected) && got == expected,
           "queen_mobility_each");
    got.push_back(0);
    expect(!kernel.queen_mobility_each(squares, occupied, targets, got), "unequal lengths");
  }
}

int main() {
  for (const auto &kernel : setwise::kernel::available()) mobility(kernel);
  // Pawns a2 and a7, rooks a1 and a8.
  const std::array<std::uint64_t, 6> kinds{1ull << 8 | 1ull << 48, 0, 0, 1 | 1ull << 56, 0, 0};
  const setwise_position position =
      setwise::position_from_sets(kinds, 1 | 1ull << 8, 1ull << 48 | 1ull << 56);
  expect(position.pieces[SETWISE_WHITE][0] == 1ull << 8 && position.pieces[SETWISE_WHITE][3] == 1 &&
             position.pieces[SETWISE_BLACK][0] == 1ull << 48 &&
             position.pieces[SETWISE_BLACK][3] == 1ull << 56,
         "position_from_sets");
}
