// Names in scope: an open-addressing map from names to numbers that is emptied in constant time, and the
// symbol tables of module, function and nested `{ }` scopes built on it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hash.h"
#include "ptx_parser/module.h"

namespace kerncast::ptx {

class NameMap {
public:
  // The value of a name, no_id for new names; assign to it to add or change. Valid until the next call.
  std::uint32_t& operator[](std::string_view name);
  std::uint32_t find(std::string_view name) const { // no_id: not there
    const Slot& slot = slots_[slot_of(name, bits_of(name))];
    return slot.generation == generation_ ? entries_[slot.entry].value : no_id;
  }
  void clear();
  // Room for so many names.
  void reserve(std::size_t names);

private:
  // Keeps a short name's characters: to fetch them from the far end of the text would take longer than all
  // else.
  struct Entry {
    NameBits bits;
    const char* name = nullptr;
    std::uint32_t length = 0;
    std::uint32_t value = no_id;
    bool holds(std::string_view wanted, const NameBits& its_bits) const {
      return bits == its_bits && length == wanted.size() &&
             (length <= longest_in_bits || std::string_view(name, length) == wanted);
    }
  };
  struct Slot {
    std::uint32_t generation = 0; // slots of older generations are empty
    std::uint32_t entry = 0;
  };
  std::size_t slot_of(std::string_view name, const NameBits& bits) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash_of(name, bits) & mask;
    while (slots_[slot].generation == generation_ && !entries_[slots_[slot].entry].holds(name, bits))
      slot = (slot + 1) & mask;
    return slot;
  }
  void rehash(std::size_t slots);
  std::vector<Slot> slots_ = std::vector<Slot>(256);
  std::vector<Entry> entries_;
  std::uint32_t generation_ = 1;
};

// The registers of `.reg .b32 %r<9>` declarations that a function has named so far. Each declaration has a
// stretch of one array: instructions use registers that lie near each other.
class NumberedRegisters {
public:
  // Registers of one function, far above any real one's; bounds what absurd declarations make us allocate.
  static constexpr std::uint32_t most = 1U << 22;

  // Room for `count` registers; returns the first's place, no_id if there are too many.
  std::uint32_t declare(std::uint32_t count);
  // The register at a place; no_id for one not named before; assign to it. Valid until the next call.
  std::uint32_t& at(std::uint32_t place) {
    if (place >= ids_.size() || ids_[place] == no_id)
      name_first_time(place);
    return ids_[place];
  }
  void clear();

private:
  void name_first_time(std::uint32_t place);
  std::vector<std::uint32_t> ids_;   // as far as named; kept for the next function
  std::vector<std::uint32_t> named_; // places to empty before it
  std::uint32_t declared_ = 0;
};

enum class SymbolKind : std::uint8_t {
  reg,            // index: RegisterId
  register_range, // index: of the first in State::numbered_registers; count registers
  parameter,      // index into Function::parameters
  returned,       // index into Function::return_parameters
  local,          // index into Function::variables
  global,         // index into Module::globals
  function,       // index into Module::functions
  branch_targets, // index into State::branch_targets
  call_targets,   // .callprototype: index into Function::prototypes; .calltargets: no_id
};

struct Symbol {
  SymbolKind kind{};
  std::uint32_t index = 0;
  std::uint32_t count = 0; // register_range
  Type type = Type::none;  // registers
  Space space = Space::none;
  std::uint32_t scope = 0;      // depth of the scope that declares it
  std::uint32_t hidden = no_id; // the table's entry of this name in an outer scope
  Place place;
};

// One symbol table with nested scopes; inner declarations hide outer ones.
class SymbolTable {
public:
  // nullptr, or the symbol that the same scope already declares under this name.
  const Symbol* declare(std::string_view name, Symbol symbol);
  const Symbol* find(std::string_view name) const {
    const std::uint32_t entry = innermost_.find(name);
    return entry == no_id ? nullptr : &entries_[entry].symbol;
  }
  // The symbol of an outer scope that `inner` hides, nullptr if it hides none.
  const Symbol* hidden_by(const Symbol& inner) const {
    return inner.hidden == no_id ? nullptr : &entries_[inner.hidden].symbol;
  }
  // Differs whenever the symbol of some name may do.
  std::uint64_t changes() const { return changes_; }
  void open_scope() { scope_starts_.push_back(static_cast<std::uint32_t>(entries_.size())); }
  void close_scope();
  std::uint32_t depth() const { return static_cast<std::uint32_t>(scope_starts_.size()); }
  void clear();
  // Names now in scope, for suggestions.
  std::vector<std::string_view> names() const;

private:
  struct Entry {
    std::string_view name;
    Symbol symbol;
  };
  NameMap innermost_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> scope_starts_;
  std::uint64_t changes_ = 1;
};

// The symbols of short names asked for lately: a function has few stems of registers (`%r`, `%rd`, `%f`) and
// names them very often.
class ShortNameCache {
public:
  explicit ShortNameCache(const SymbolTable& table) : table_(table) {}
  const Symbol* find(std::string_view name) {
    constexpr std::size_t longest = 8; // decided by `head` and `tail` alone
    if (name.size() > longest)
      return table_.find(name);
    const NameBits bits = bits_of(name);
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15ULL; // 2^64 / golden ratio
    Slot& slot = slots_[((bits.head + (bits.tail << 8) + name.size()) * odd) >> (64 - slot_bits)];
    if (slot.changes != table_.changes() || slot.bits != bits || slot.length != name.size())
      slot = {bits, name.size(), table_.changes(), table_.find(name)};
    return slot.symbol;
  }

private:
  struct Slot {
    NameBits bits;
    std::size_t length = 0;
    std::uint64_t changes = 0;
    const Symbol* symbol = nullptr;
  };
  static constexpr int slot_bits = 6;
  const SymbolTable& table_;
  Slot slots_[std::size_t{1} << slot_bits];
};

} // namespace kerncast::ptx
