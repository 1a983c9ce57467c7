/* Computes pins and mobility in batches, from C++17.
 *
 *   cargo build -p setwise-capi --release
 *   g++ -std=c++17 -O2 -Icrates/capi/include examples/cpp/attacks.cpp target/release/libsetwise.a \
 *       -Wl,--gc-sections -o attacks && ./attacks */
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "setwise.hpp"

int main() {
  const auto kernel = setwise::kernel::active();
  std::printf("setwise %s, kernel %s\n", setwise_version(), kernel.name());

  // 100 identical boards: king e1 with pawns e3 and d2, enemy rook e8 and bishop a5.
  const std::vector<std::uint64_t> king(100, 1ull << 4), own(100, 1ull << 20 | 1ull << 11);
  const std::vector<std::uint64_t> rooks(100, 1ull << 60), bishops(100, 1ull << 32), others(100, 0);
  std::vector<std::uint64_t> pinned(100), pinners(100);
  if (!kernel.pins(king, own, rooks, bishops, others, pinned, pinners)) return 1;
  std::printf("pinned %#llx by %#llx\n", static_cast<unsigned long long>(pinned[99]),
              static_cast<unsigned long long>(pinners[99]));

  // The number of squares that a rook on a1 attacks: on the whole board, and on the first three
  // ranks.
  const std::uint64_t a1[2] = {1, 1}, empty[2] = {0, 0}, targets[2] = {~0ull, 0xffffff};
  std::array<std::uint32_t, 2> counts{};
  if (!kernel.rook_mobility(a1, empty, targets, counts)) return 1;
  std::printf("mobility %u and %u\n", counts[0], counts[1]);
  // One side of one board: a white pawn on a2 and a white rook on a1.
  const std::uint64_t white[6] = {1ull << 8, 0, 0, 1, 0, 0};
  const setwise_side_attacks attacks = kernel.side_attacks_one(SETWISE_WHITE, white, 1 | 1ull << 8);
  std::printf("one side %#llx\n", static_cast<unsigned long long>(attacks.all));
  // The same pieces in a std::array, as an engine may keep them.
  const std::array<std::uint64_t, 6> sets{1ull << 8, 0, 0, 1, 0, 0};
  const std::array<std::uint64_t, 3> by_kind = kernel.sliders_by_kind_one(0, 1, 0, 1 | 1ull << 8);
  bool same = kernel.side_attacks_one(SETWISE_WHITE, sets, 1 | 1ull << 8).all == attacks.all &&
              by_kind[1] == attacks.attacks[3] &&
              kernel.doubly_attacked_one(SETWISE_WHITE, sets, 1 | 1ull << 8) == 0;
  // Chooses a kernel by the CPU alone, and makes it the active one. The environment is ignored.
  const auto chosen = setwise::kernel::init(SETWISE_IGNORE_ENVIRONMENT);
  same = same && chosen && !setwise::kernel::by_name("scalar")->beats_look_ups();
  for (const auto &other : setwise::kernel::available())
    same = same && other.side_attacks_one(SETWISE_WHITE, white, 1 | 1ull << 8).all == attacks.all;
  setwise_position position{};
  position.pieces[SETWISE_WHITE][5] = 1ull << 4;
  position.pieces[SETWISE_BLACK][3] = 1ull << 60;
  same = same && kernel.checks_one(position).checkers[SETWISE_WHITE] == 1ull << 60 &&
         kernel.attack_maps_one(position).all[SETWISE_WHITE] == 0x3828 &&
         setwise::kernel::by_name("scalar") && !setwise::kernel::by_name("abacus");

  // Spans of different lengths are rejected.
  const setwise::span<const std::uint64_t> too_short(a1, 1);
  const bool refused = !kernel.rook_mobility(too_short, empty, targets, counts);

  const bool right = pinned[99] == own[0] && pinners[99] == (rooks[0] | bishops[0]) &&
                     counts[0] == 14 && counts[1] == 9;
  return right && refused && same && attacks.all == 0x201ff - 1 ? 0 : 1;
}
