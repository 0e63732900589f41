#include "modifier_match.h"

#include <algorithm>

namespace kerncast::ptx {
namespace {

struct NameWords {
  Opcode opcode;
  std::string_view words; // between spaces
};

// What ptxas 13.0 reads as part of the instruction's name.
constexpr NameWords name_words[] = {
    {Opcode::mul, " hi lo wide "},
    {Opcode::mul24, " hi lo "},
    {Opcode::mad, " hi lo wide "},
    {Opcode::mad24, " hi lo "},
    {Opcode::madc, " hi lo "},
    {Opcode::dp2a, " hi lo "},
    {Opcode::div, " full "},
    {Opcode::shf, " l r "},
    {Opcode::bar, " cta red warp "},
    {Opcode::barrier, " cta cluster red arrive wait "},
    {Opcode::membar, " proxy "},
    {Opcode::fence, " proxy "},
    {Opcode::red, " async "},
    {Opcode::mbarrier,
     " init inval expect_tx complete_tx arrive arrive_drop test_wait try_wait pending_count "
     "noComplete parity "},
    {Opcode::cp, " async bulk reduce prefetch tensor mbarrier arrive commit_group wait_group wait_all "},
    {Opcode::clusterlaunchcontrol, " try_cancel async query_cancel get_first_ctaid get_first_ctaid::x "
                                   "get_first_ctaid::y get_first_ctaid::z "},
    {Opcode::st, " async bulk "},
    {Opcode::multimem, " ld_reduce st red cp async bulk reduce "},
    {Opcode::createpolicy, " fractional range cvt "},
    {Opcode::cvta, " to "},
    {Opcode::cvt, " pack "},
    {Opcode::wmma, " load store mma a b c d "},
    {Opcode::wgmma, " fence commit_group wait_group mma_async "},
    {Opcode::setmaxnreg, " inc dec "},
    {Opcode::tcgen05, " alloc dealloc relinquish_alloc_permit ld st wait::ld wait::st cp shift mma commit "},
    {Opcode::tensormap, " replace tile cp_fenceproxy "},
    {Opcode::tex, " base level grad "},
    {Opcode::txq, " level "},
    {Opcode::suld, " b p "},
    {Opcode::sust, " b p "},
    {Opcode::sured, " b p "}};

bool is_word_between_spaces(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1))
    if (words[at - 1] == ' ' && words[at + word.size()] == ' ')
      return true;
  return false;
}

std::string_view words_of_name(Opcode opcode) {
  const auto found = std::find_if(std::begin(name_words), std::end(name_words),
                                  [&](const NameWords& n) { return n.opcode == opcode; });
  return found == std::end(name_words) ? std::string_view() : found->words;
}

// Letters and a number, s32, e4m3, bf16x2, b8x16: types, those of matrix elements included.
bool is_type_like(std::string_view modifier) {
  constexpr std::string_view stems[] = {"b", "u", "s", "f", "e", "bf", "tf", "ue"};
  const std::size_t digit = modifier.find_first_of("0123456789");
  return digit != std::string_view::npos &&
         std::find(std::begin(stems), std::end(stems), modifier.substr(0, digit)) != std::end(stems);
}

enum class Ordered : std::uint8_t { no, type, layout, space };

// Modifiers of one of these kinds keep their order among themselves.
Ordered ordered(Modifier modifier) {
  if (modifier == Modifier::row || modifier == Modifier::col)
    return Ordered::layout;
  // Of a copy: where to and where from.
  if (modifier == Modifier::global || modifier == Modifier::shared || modifier == Modifier::shared_cta ||
      modifier == Modifier::shared_cluster)
    return Ordered::space;
  return is_type_like(name(modifier)) ? Ordered::type : Ordered::no;
}

class RowMatch {
public:
  RowMatch(const SyntaxTable& table, const Row& row, std::span<const Modifier> modifiers)
      : table_(table), row_(row), slots_(std::span(table.slots).subspan(row.slots.begin, row.slots.count)),
        modifiers_(modifiers) {}

  bool in_order(std::size_t slot = 0, std::size_t modifier = 0) const {
    if (slot == slots_.size())
      return modifier == modifiers_.size();
    const std::size_t end = group_end(slot);
    if (slots_[slot].group != 0 && in_order(end, modifier))
      return true;
    for (; slot < end; ++slot, ++modifier)
      if (modifier == modifiers_.size() || !accepts(slot, modifiers_[modifier]))
        return false;
    return in_order(end, modifier);
  }

  bool in_any_order() {
    std::size_t slot = 0;
    std::size_t in_name = 0; // modifiers that are words of the name
    const std::string_view words = words_of_name(row_.opcode);
    for (; slot < slots_.size() && is_word_of_name(words, slot); ++slot) {
      if (in_name < modifiers_.size() && accepts(slot, modifiers_[in_name]))
        ++in_name;
      else if (slots_[slot].group == 0)
        return false;
    }
    used_.assign(modifiers_.size(), false);
    std::fill_n(used_.begin(), in_name, true);
    for (; slot < slots_.size(); slot = group_end(slot))
      if (!take_group(slot) && slots_[slot].group == 0)
        return false;
    return std::find(used_.begin(), used_.end(), false) == used_.end();
  }

private:
  std::span<const Modifier> alternatives(std::size_t slot) const {
    const Range r = slots_[slot].alternatives;
    return std::span(table_.alternatives).subspan(r.begin, r.count);
  }
  bool accepts(std::size_t slot, Modifier modifier) const {
    const auto names = alternatives(slot);
    return std::find(names.begin(), names.end(), modifier) != names.end();
  }
  bool is_word_of_name(std::string_view words, std::size_t slot) const {
    const auto names = alternatives(slot);
    return !words.empty() && std::all_of(names.begin(), names.end(),
                                         [&](Modifier m) { return is_word_between_spaces(words, name(m)); });
  }
  std::size_t group_end(std::size_t slot) const {
    const std::uint8_t group = slots_[slot].group;
    ++slot;
    while (group != 0 && slot < slots_.size() && slots_[slot].group == group)
      ++slot;
    return slot;
  }
  // All slots of a group, or none.
  bool take_group(std::size_t slot) {
    const std::size_t end = group_end(slot);
    const std::vector<bool> before = used_;
    for (; slot < end; ++slot)
      if (!take(slot)) {
        used_ = before;
        return false;
      }
    return true;
  }
  bool take(std::size_t slot) {
    for (std::size_t m = 0; m < modifiers_.size(); ++m) {
      if (used_[m])
        continue;
      if (accepts(slot, modifiers_[m]))
        return used_[m] = true;
      // An ordered one that is not this slot's must be of a slot before it.
      if (const Ordered kind = ordered(modifiers_[m]);
          kind != Ordered::no && kind == ordered(alternatives(slot).front()))
        return false;
    }
    return false;
  }

  const SyntaxTable& table_;
  const Row& row_;
  std::span<const ModifierSlot> slots_;
  std::span<const Modifier> modifiers_;
  std::vector<bool> used_;
};

} // namespace

bool matches_in_order(const SyntaxTable& table, const Row& row, std::span<const Modifier> modifiers) {
  return RowMatch(table, row, modifiers).in_order();
}

bool matches_in_any_order(const SyntaxTable& table, const Row& row, std::span<const Modifier> modifiers) {
  return RowMatch(table, row, modifiers).in_any_order();
}

bool may_be_repeated(Modifier modifier) {
  constexpr Modifier flags[] = {Modifier::sync, Modifier::sat,    Modifier::satfinite,
                                Modifier::relu, Modifier::approx, Modifier::NaN,
                                Modifier::cc,   Modifier::uni,    Modifier::shiftamt};
  return std::find(std::begin(flags), std::end(flags), modifier) != std::end(flags);
}

} // namespace kerncast::ptx
