// setwise for C++17: setwise.h with spans and without exceptions.
//
// The generated part comes from the library's list of operations.
//
//   std::vector<std::uint64_t> queens = ..., occupied = ..., attacks(queens.size());
//   bool done = setwise::kernel::active().queen_attacks(queens, occupied, attacks);
//
// setwise.h documents each method's result and rules. A method returns true if its spans have equal
// lengths; otherwise it writes nothing and returns false. For code that is compiled into your
// program, include setwise_inline.h, too.
#ifndef SETWISE_HPP
#define SETWISE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "setwise.h"

namespace setwise {

// A view of contiguous elements, like C++20's std::span.
template <class T>
class span {
 public:
  constexpr span() noexcept = default;
  constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <std::size_t N>
  constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}
  // Converts a vector, a std::array or a std::span.
  template <class C, class = std::enable_if_t<std::is_convertible_v<
                         std::remove_pointer_t<decltype(std::declval<C &>().data())> (*)[], T (*)[]>>>
  constexpr span(C &&container) noexcept : data_(container.data()), size_(container.size()) {}

  [[nodiscard]] constexpr T *data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr T *begin() const noexcept { return data_; }
  [[nodiscard]] constexpr T *end() const noexcept { return data_ + size_; }

 private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

// A pointer to an array of N elements. An array or a std::array converts to this type.
template <class T, std::size_t N>
struct array_pointer {
  constexpr array_pointer(const T (&array)[N]) noexcept : data(array) {}
  constexpr array_pointer(const std::array<T, N> &array) noexcept : data(array.data()) {}
  explicit constexpr array_pointer(const T *first) noexcept : data(first) {}
  const T *data;
};

// Six sets, one for each kind of piece.
using side_sets = array_pointer<std::uint64_t, 6>;

// Whether T is an integer or an enumeration of this size.
template <class T, std::size_t Bytes>
using if_number =
    std::enable_if_t<(std::is_integral_v<T> || std::is_enum_v<T>) && sizeof(T) == Bytes>;

// A code or a square: a number, or an enumeration of any kind. Only the low bits count.
struct code_or_square {
  template <class T, class = if_number<T, sizeof(T)>>
  constexpr code_or_square(T number) noexcept : value(static_cast<std::uint8_t>(number)) {}
  std::uint8_t value;
};

// A board of codes, one per square: an array or a std::array of bytes, or of an enumeration of one
// byte. The cast is defined, because the pointer is one to `unsigned char`.
struct mailbox {
  template <class T, class = if_number<T, 1>>
  mailbox(const T (&board)[64]) noexcept : mailbox(board + 0) {}
  template <class T, class = if_number<T, 1>>
  mailbox(const std::array<T, 64> &board) noexcept : mailbox(board.data()) {}
  template <class T, class = if_number<T, 1>>
  explicit mailbox(const T *const &first) noexcept
      : data(reinterpret_cast<const std::uint8_t *>(first)) {}
  const std::uint8_t *data;
};

// Boards of codes: a container or an array of what a mailbox is made from.
struct mailboxes {
  template <class Boards,
            class Board = std::remove_pointer_t<decltype(std::data(std::declval<const Boards &>()))>,
            class = std::enable_if_t<sizeof(Board) == 64 && std::is_constructible_v<mailbox, Board &>>>
  mailboxes(const Boards &boards) noexcept
      : data(reinterpret_cast<const std::uint8_t *>(std::data(boards))), size(std::size(boards)) {}
  const std::uint8_t *data;
  std::size_t size;
};

// The rules of setwise_threat_rules_init. At compile time, setwise_inline_threat_rules_fill of
// setwise_inline.h makes them.
[[nodiscard]] inline setwise_threat_rules threat_rules(
    array_pointer<std::uint8_t, 16> codes, const std::uint16_t *pairs = nullptr) noexcept {
  setwise_threat_rules rules;
  setwise_threat_rules_init(&rules, codes.data, pairs);
  return rules;
}

// An edit of a board.
[[nodiscard]] constexpr setwise_edit edit(code_or_square square,
                                          code_or_square code) noexcept {
  return {square.value, code.value};
}

// The threats of a list.
[[nodiscard]] inline span<const setwise_threat> threats_of(const setwise_threat_list &list) noexcept {
  return {list.threats, list.count};
}

// Makes a position from one set for each kind of piece, which holds the pieces of both sides, and
// one set for each side.
[[nodiscard]] inline setwise_position position_from_sets(side_sets kinds, std::uint64_t white,
                                                         std::uint64_t black) noexcept {
  setwise_position position{};
  for (int kind = 0; kind < 6; kind++) {
    position.pieces[SETWISE_WHITE][kind] = kinds.data[kind] & white;
    position.pieces[SETWISE_BLACK][kind] = kinds.data[kind] & black;
  }
  return position;
}

// A kernel: a pointer to its table.
class kernel {
 public:
  // `table` must not be NULL.
  explicit constexpr kernel(const setwise_kernel *table) noexcept : table_(table) {}

  // The active kernel.
  [[nodiscard]] static kernel active() noexcept { return kernel(setwise_active()); }

  // Chooses a kernel and makes it active, as setwise_init does. Returns nothing if the choice is
  // impossible. In that case setwise_status() returns the reason.
  [[nodiscard]] static std::optional<kernel> init(unsigned flags, const char *force = nullptr,
                                                   const char *exclude = nullptr) noexcept {
    return found(setwise_init(flags, force, exclude));
  }

  // The kernel with this name, if this CPU can run it.
  [[nodiscard]] static std::optional<kernel> by_name(const char *name) noexcept {
    return found(setwise_by_name(name));
  }

  // All kernels that this CPU can run, best first.
  [[nodiscard]] static std::vector<kernel> available() {
    std::vector<const setwise_kernel *> tables(setwise_available(nullptr, 0));
    setwise_available(tables.data(), tables.size());
    return std::vector<kernel>(tables.begin(), tables.end());
  }

  // Whether calls for one board make a search faster: see setwise_beats_look_ups.
  [[nodiscard]] bool beats_look_ups() const noexcept {
    return setwise_beats_look_ups(table_) != 0;
  }

  [[nodiscard]] const char *name() const noexcept { return table_->name; }
  [[nodiscard]] const setwise_kernel *table() const noexcept { return table_; }

  // The calls of the table, which setwise.h documents. Those that check the lengths of their spans
  // return false, or no number, if these differ.
  // Start of a part that tools/check.sh generate writes.
  [[nodiscard]] bool rook_attacks(span<const std::uint64_t> rooks, span<const std::uint64_t> occupied, span<std::uint64_t> attacks) const noexcept {
    if (rooks.size() != attacks.size() || occupied.size() != attacks.size()) return false;
    table_->rook_attacks(rooks.data(), occupied.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool bishop_attacks(span<const std::uint64_t> bishops, span<const std::uint64_t> occupied, span<std::uint64_t> attacks) const noexcept {
    if (bishops.size() != attacks.size() || occupied.size() != attacks.size()) return false;
    table_->bishop_attacks(bishops.data(), occupied.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool queen_attacks(span<const std::uint64_t> queens, span<const std::uint64_t> occupied, span<std::uint64_t> attacks) const noexcept {
    if (queens.size() != attacks.size() || occupied.size() != attacks.size()) return false;
    table_->queen_attacks(queens.data(), occupied.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool slider_attacks(span<const std::uint64_t> orthogonal, span<const std::uint64_t> diagonal, span<const std::uint64_t> occupied, span<std::uint64_t> attacks) const noexcept {
    if (orthogonal.size() != attacks.size() || diagonal.size() != attacks.size() || occupied.size() != attacks.size()) return false;
    table_->slider_attacks(orthogonal.data(), diagonal.data(), occupied.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool slider_attacks_split(span<const std::uint64_t> orthogonal, span<const std::uint64_t> diagonal, span<const std::uint64_t> occupied, span<std::uint64_t> orthogonal_attacks, span<std::uint64_t> diagonal_attacks) const noexcept {
    if (orthogonal.size() != orthogonal_attacks.size() || diagonal.size() != orthogonal_attacks.size() || occupied.size() != orthogonal_attacks.size() || diagonal_attacks.size() != orthogonal_attacks.size()) return false;
    table_->slider_attacks_split(orthogonal.data(), diagonal.data(), occupied.data(), orthogonal_attacks.data(), diagonal_attacks.data(), orthogonal_attacks.size());
    return true;
  }

  [[nodiscard]] bool xray_rook_attacks(span<const std::uint64_t> rooks, span<const std::uint64_t> blockers, span<const std::uint64_t> occupied, span<std::uint64_t> attacks) const noexcept {
    if (rooks.size() != attacks.size() || blockers.size() != attacks.size() || occupied.size() != attacks.size()) return false;
    table_->xray_rook_attacks(rooks.data(), blockers.data(), occupied.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool xray_bishop_attacks(span<const std::uint64_t> bishops, span<const std::uint64_t> blockers, span<const std::uint64_t> occupied, span<std::uint64_t> attacks) const noexcept {
    if (bishops.size() != attacks.size() || blockers.size() != attacks.size() || occupied.size() != attacks.size()) return false;
    table_->xray_bishop_attacks(bishops.data(), blockers.data(), occupied.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool xray_queen_attacks(span<const std::uint64_t> queens, span<const std::uint64_t> blockers, span<const std::uint64_t> occupied, span<std::uint64_t> attacks) const noexcept {
    if (queens.size() != attacks.size() || blockers.size() != attacks.size() || occupied.size() != attacks.size()) return false;
    table_->xray_queen_attacks(queens.data(), blockers.data(), occupied.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool pins(span<const std::uint64_t> kings, span<const std::uint64_t> own, span<const std::uint64_t> orthogonal, span<const std::uint64_t> diagonal, span<const std::uint64_t> occupied, span<std::uint64_t> pinned, span<std::uint64_t> pinners) const noexcept {
    if (kings.size() != pinned.size() || own.size() != pinned.size() || orthogonal.size() != pinned.size() || diagonal.size() != pinned.size() || occupied.size() != pinned.size() || pinners.size() != pinned.size()) return false;
    table_->pins(kings.data(), own.data(), orthogonal.data(), diagonal.data(), occupied.data(), pinned.data(), pinners.data(), pinned.size());
    return true;
  }

  [[nodiscard]] bool ray_attacks(setwise_direction direction, span<const std::uint64_t> sliders, span<const std::uint64_t> occupied, span<std::uint64_t> attacks) const noexcept {
    if (sliders.size() != attacks.size() || occupied.size() != attacks.size()) return false;
    table_->ray_attacks(static_cast<std::uint8_t>(direction), sliders.data(), occupied.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool occluded_fill(setwise_direction direction, span<const std::uint64_t> generators, span<const std::uint64_t> propagators, span<std::uint64_t> filled) const noexcept {
    if (generators.size() != filled.size() || propagators.size() != filled.size()) return false;
    table_->occluded_fill(static_cast<std::uint8_t>(direction), generators.data(), propagators.data(), filled.data(), filled.size());
    return true;
  }

  [[nodiscard]] bool rook_mobility(span<const std::uint64_t> rooks, span<const std::uint64_t> occupied, span<const std::uint64_t> targets, span<std::uint32_t> counts) const noexcept {
    if (rooks.size() != counts.size() || occupied.size() != counts.size() || targets.size() != counts.size()) return false;
    table_->rook_mobility(rooks.data(), occupied.data(), targets.data(), counts.data(), counts.size());
    return true;
  }

  [[nodiscard]] bool bishop_mobility(span<const std::uint64_t> bishops, span<const std::uint64_t> occupied, span<const std::uint64_t> targets, span<std::uint32_t> counts) const noexcept {
    if (bishops.size() != counts.size() || occupied.size() != counts.size() || targets.size() != counts.size()) return false;
    table_->bishop_mobility(bishops.data(), occupied.data(), targets.data(), counts.data(), counts.size());
    return true;
  }

  [[nodiscard]] bool queen_mobility(span<const std::uint64_t> queens, span<const std::uint64_t> occupied, span<const std::uint64_t> targets, span<std::uint32_t> counts) const noexcept {
    if (queens.size() != counts.size() || occupied.size() != counts.size() || targets.size() != counts.size()) return false;
    table_->queen_mobility(queens.data(), occupied.data(), targets.data(), counts.data(), counts.size());
    return true;
  }

  [[nodiscard]] bool slider_mobility(span<const std::uint64_t> orthogonal, span<const std::uint64_t> diagonal, span<const std::uint64_t> occupied, span<const std::uint64_t> targets, span<std::uint32_t> counts) const noexcept {
    if (orthogonal.size() != counts.size() || diagonal.size() != counts.size() || occupied.size() != counts.size() || targets.size() != counts.size()) return false;
    table_->slider_mobility(orthogonal.data(), diagonal.data(), occupied.data(), targets.data(), counts.data(), counts.size());
    return true;
  }

  [[nodiscard]] bool rook_attacks_from(span<const std::uint8_t> squares, span<const std::uint64_t> occupied, span<std::uint64_t> attacks) const noexcept {
    if (squares.size() != attacks.size() || occupied.size() != attacks.size()) return false;
    table_->rook_attacks_from(squares.data(), occupied.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool bishop_attacks_from(span<const std::uint8_t> squares, span<const std::uint64_t> occupied, span<std::uint64_t> attacks) const noexcept {
    if (squares.size() != attacks.size() || occupied.size() != attacks.size()) return false;
    table_->bishop_attacks_from(squares.data(), occupied.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool queen_attacks_from(span<const std::uint8_t> squares, span<const std::uint64_t> occupied, span<std::uint64_t> attacks) const noexcept {
    if (squares.size() != attacks.size() || occupied.size() != attacks.size()) return false;
    table_->queen_attacks_from(squares.data(), occupied.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool line_attacks_from(setwise_line line, span<const std::uint8_t> squares, span<const std::uint64_t> occupied, span<std::uint64_t> attacks) const noexcept {
    if (squares.size() != attacks.size() || occupied.size() != attacks.size()) return false;
    table_->line_attacks_from(static_cast<std::uint8_t>(line), squares.data(), occupied.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool between(span<const std::uint8_t> a, span<const std::uint8_t> b, span<std::uint64_t> squares) const noexcept {
    if (a.size() != squares.size() || b.size() != squares.size()) return false;
    table_->between(a.data(), b.data(), squares.data(), squares.size());
    return true;
  }

  [[nodiscard]] bool line_through(span<const std::uint8_t> a, span<const std::uint8_t> b, span<std::uint64_t> squares) const noexcept {
    if (a.size() != squares.size() || b.size() != squares.size()) return false;
    table_->line_through(a.data(), b.data(), squares.data(), squares.size());
    return true;
  }

  [[nodiscard]] bool attack_maps(span<const setwise_position> positions, span<setwise_attack_maps> maps) const noexcept {
    if (positions.size() != maps.size()) return false;
    table_->attack_maps(positions.data(), maps.data(), maps.size());
    return true;
  }

  [[nodiscard]] bool checks(span<const setwise_position> positions, span<setwise_checks> checks) const noexcept {
    if (positions.size() != checks.size()) return false;
    table_->checks(positions.data(), checks.data(), checks.size());
    return true;
  }

  [[nodiscard]] bool knight_attacks(span<const std::uint64_t> knights, span<std::uint64_t> attacks) const noexcept {
    if (knights.size() != attacks.size()) return false;
    table_->knight_attacks(knights.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool king_attacks(span<const std::uint64_t> kings, span<std::uint64_t> attacks) const noexcept {
    if (kings.size() != attacks.size()) return false;
    table_->king_attacks(kings.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] bool pawn_attacks(setwise_side side, span<const std::uint64_t> pawns, span<std::uint64_t> attacks) const noexcept {
    if (pawns.size() != attacks.size()) return false;
    table_->pawn_attacks(static_cast<std::uint8_t>(side), pawns.data(), attacks.data(), attacks.size());
    return true;
  }

  [[nodiscard]] std::uint64_t rook_attacks_one(std::uint64_t rooks, std::uint64_t occupied) const noexcept {
    return table_->rook_attacks_one(rooks, occupied);
  }

  [[nodiscard]] std::uint64_t bishop_attacks_one(std::uint64_t bishops, std::uint64_t occupied) const noexcept {
    return table_->bishop_attacks_one(bishops, occupied);
  }

  [[nodiscard]] std::uint64_t queen_attacks_one(std::uint64_t queens, std::uint64_t occupied) const noexcept {
    return table_->queen_attacks_one(queens, occupied);
  }

  [[nodiscard]] std::uint64_t slider_attacks_one(std::uint64_t orthogonal, std::uint64_t diagonal, std::uint64_t occupied) const noexcept {
    return table_->slider_attacks_one(orthogonal, diagonal, occupied);
  }

  [[nodiscard]] std::array<std::uint64_t, 3> sliders_by_kind_one(std::uint64_t bishops, std::uint64_t rooks, std::uint64_t queens, std::uint64_t occupied) const noexcept {
    std::array<std::uint64_t, 3> attacks;
    table_->sliders_by_kind_one(bishops, rooks, queens, occupied, attacks.data());
    return attacks;
  }

  [[nodiscard]] setwise_side_attacks side_attacks_one(setwise_side side, side_sets pieces, std::uint64_t occupied) const noexcept {
    setwise_side_attacks attacks;
    table_->side_attacks_one(static_cast<std::uint8_t>(side), pieces.data, occupied, &attacks);
    return attacks;
  }

  [[nodiscard]] std::uint64_t doubly_attacked_one(setwise_side side, side_sets pieces, std::uint64_t occupied) const noexcept {
    return table_->doubly_attacked_one(static_cast<std::uint8_t>(side), pieces.data, occupied);
  }

  void threats_moved(mailbox before, code_or_square from, code_or_square to, code_or_square placed, const setwise_threat_rules &rules, setwise_threat_changes &changes) const noexcept {
    table_->threats_moved(before.data, from.value, to.value, placed.value, &rules, &changes);
  }

  [[nodiscard]] bool threats_edited(mailbox before, span<const setwise_edit> edits, const setwise_threat_rules &rules, setwise_threat_changes &changes) const noexcept {
    return table_->threats_edited(before.data, edits.data(), edits.size(), &rules, &changes);
  }

  [[nodiscard]] std::optional<std::size_t> threats(mailboxes boards, const setwise_threat_rules &rules, span<std::uint32_t> offsets, span<setwise_threat> threats) const noexcept {
    if (offsets.size() == 0 || offsets.size() - 1 != boards.size) return std::nullopt;
    return table_->threats(boards.data, boards.size, &rules, offsets.data(), threats.data(), threats.size());
  }

  void attack_maps_in_columns(const setwise_columns &columns, std::size_t positions) const noexcept {
    table_->attack_maps_in_columns(&columns, positions);
  }

  void legal_counts_in_planes(const setwise_plane_columns &columns, std::size_t positions) const noexcept {
    table_->legal_counts_in_planes(&columns, positions);
  }

  void legal_counts_in_columns(const setwise_piece_columns &columns, std::size_t positions) const noexcept {
    table_->legal_counts_in_columns(&columns, positions);
  }

  [[nodiscard]] bool legal_counts(span<const setwise_game_position> positions, span<std::uint8_t> moves, span<std::uint8_t> checks) const noexcept {
    if (moves.size() != positions.size() || checks.size() != positions.size()) return false;
    table_->legal_counts(positions.data(), moves.data(), checks.data(), checks.size());
    return true;
  }

  [[nodiscard]] std::optional<std::size_t> legal_moves_in_planes(const setwise_plane_columns &columns, std::size_t positions, span<std::uint32_t> offsets, span<std::uint16_t> moves) const noexcept {
    if (offsets.size() == 0 || offsets.size() - 1 != positions) return std::nullopt;
    return table_->legal_moves_in_planes(&columns, positions, offsets.data(), moves.data(), moves.size());
  }

  [[nodiscard]] bool successors_in_planes(const setwise_plane_columns &columns, std::size_t positions, span<const std::uint32_t> offsets, span<const std::uint16_t> moves, const setwise_after_columns &after) const noexcept {
    if (offsets.size() == 0 || offsets.size() - 1 != positions ||
        offsets.data()[positions] > moves.size()) return false;
    table_->successors_in_planes(&columns, positions, offsets.data(), moves.data(), &after);
    return true;
  }

  void checks_in_columns(const setwise_check_columns &columns, std::size_t positions) const noexcept {
    table_->checks_in_columns(&columns, positions);
  }
  // End of the generated part.

  // Computes attack_maps for one position.
  [[nodiscard]] setwise_attack_maps attack_maps_one(const setwise_position &position) const noexcept {
    setwise_attack_maps maps;
    table_->attack_maps(&position, &maps, 1);
    return maps;
  }

  // Computes checks for one position.
  [[nodiscard]] setwise_checks checks_one(const setwise_position &position) const noexcept {
    setwise_checks checks;
    table_->checks(&position, &checks, 1);
    return checks;
  }

 private:
  static std::optional<kernel> found(const setwise_kernel *table) noexcept {
    return table ? std::optional<kernel>(kernel(table)) : std::nullopt;
  }

  const setwise_kernel *table_;
};

}  // namespace setwise

#endif
