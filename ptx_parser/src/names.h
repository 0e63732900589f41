// Names in scope: an open-addressing map from names to numbers that is emptied in constant time, and the
// symbol tables of module, function and nested `{ }` scopes built on it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ptx_parser/module.h"

namespace kerncast::ptx {

class NameMap {
public:
  // The value of a name, no_id for new names; assign to it to add or change. Valid until the next call.
  std::uint32_t& operator[](std::string_view name);
  std::uint32_t find(std::string_view name) const; // no_id: not there
  void clear();

private:
  struct Slot {
    std::string_view name;
    std::uint32_t value = no_id;
    std::uint32_t generation = 0; // slots of older generations are empty
  };
  std::size_t slot_of(std::string_view name) const;
  void grow();
  std::vector<Slot> slots_ = std::vector<Slot>(256);
  std::size_t used_ = 0;
  std::uint32_t generation_ = 1;
};

// The registers of `.reg .b32 %r<9>` declarations that a function has named so far.
class NumberedRegisters {
public:
  // Register `number` of declaration `range`; no_id for one not named before; assign to it.
  std::uint32_t& at(std::uint32_t range, std::uint32_t number);
  void clear();

private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t value = no_id;
    std::uint32_t generation = 0;
  };
  void grow();
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::size_t used_ = 0;
  std::uint32_t generation_ = 1;
};

enum class SymbolKind : std::uint8_t {
  reg,            // index: RegisterId
  register_range, // index: of the declaration; count registers
  parameter,      // index into Function::parameters
  returned,       // index into Function::return_parameters
  local,          // index into Function::variables
  global,         // index into Module::globals
  function,       // index into Module::functions
  branch_targets, // index into State::branch_targets
  call_targets,   // .calltargets and .callprototype
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
  const Symbol* find(std::string_view name) const;
  // The symbol of an outer scope that `inner` hides, nullptr if it hides none.
  const Symbol* hidden_by(const Symbol& inner) const {
    return inner.hidden == no_id ? nullptr : &entries_[inner.hidden].symbol;
  }
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
};

} // namespace kerncast::ptx
