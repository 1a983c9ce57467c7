/* Keeps the threats of a position up to date through a game, from C++17, as an engine does for its
 * network.
 *
 *   tools/capi-install.sh target/capi
 *   g++ -std=c++17 -O2 -Itarget/capi/include -o threats examples/cpp/threats.cpp \
 *       target/capi/lib/libsetwise.a && ./threats */
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "setwise.hpp"

// An accumulator of one weight per threat, in place of an engine's rows of its network.
static std::uint32_t weight(const setwise_threat &t) {
  const std::uint32_t word = static_cast<std::uint32_t>(t.attacker << 24 | t.from << 16 | t.victim << 8 | t.to);
  return word * 0x9e3779b1u;
}

int main() {
  // The codes are SETWISE_PIECE(side, kind): 1 to 6 are White's pawn to king, 7 to 12 Black's, 0 is
  // empty.
  const std::array<std::uint8_t, 16> codes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const setwise_threat_rules rules = setwise::threat_rules(codes);
  const auto kernel = setwise::kernel::active();

  std::array<std::uint8_t, 64> board{4, 2, 3, 5, 6, 3, 2, 4, 1, 1, 1, 1, 1, 1, 1, 1};
  for (std::size_t i = 0; i < 16; i++)
    board[56 + i % 8 - i / 8 * 8] = static_cast<std::uint8_t>(board[i] + 6);

  const auto fresh = [&] {
    std::vector<setwise_threat> all(420);
    std::array<std::uint32_t, 2> offsets{};
    const std::array<std::array<std::uint8_t, 64>, 1> boards{board};
    if (kernel.threats(boards, rules, offsets, all) != 1u) std::abort();
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < offsets[1]; i++) sum += weight(all[i]);
    return sum;
  };
  std::uint32_t accumulator = fresh();
  setwise_threat_changes changes;
  bool same = true;
  const auto update = [&] {
    for (const setwise_threat &t : setwise::threats_of(changes.added)) accumulator += weight(t);
    for (const setwise_threat &t : setwise::threats_of(changes.removed)) accumulator -= weight(t);
    same = same && fresh() == accumulator;
    std::printf("%2u added, %2u removed\n", changes.added.count, changes.removed.count);
  };

  // e4 e5, Nf3 Nc6, Bc4 Bc5.
  const std::uint8_t moves[][2] = {{12, 28}, {52, 36}, {6, 21}, {57, 42}, {5, 26}, {61, 34}};
  for (const auto &move : moves) {
    const std::uint8_t from = move[0], to = move[1];
    kernel.threats_moved(board, from, to, board[from], rules, changes);  // before the board
    board[to] = board[from], board[from] = 0;
    update();
  }
  // White castles.
  const std::array<setwise_edit, 4> castling{{{4, 0}, {5, 4}, {6, 6}, {7, 0}}};
  if (!kernel.threats_edited(board, castling, rules, changes)) return 1;
  for (const setwise_edit &edit : castling) board[edit.square] = edit.code;
  update();
  return same ? 0 : 1;
}
