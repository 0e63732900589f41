#include "names.h"

#include "hash.h"

namespace kerncast::ptx {

std::size_t NameMap::slot_of(std::string_view name) const {
  std::size_t slot = hash_of(name) & (slots_.size() - 1);
  while (slots_[slot].generation == generation_ && slots_[slot].name != name)
    slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

std::uint32_t& NameMap::operator[](std::string_view name) {
  std::size_t slot = slot_of(name);
  if (slots_[slot].generation != generation_) {
    if (used_ * 2 >= slots_.size()) {
      grow();
      slot = slot_of(name);
    }
    slots_[slot] = {name, no_id, generation_};
    ++used_;
  }
  return slots_[slot].value;
}

std::uint32_t NameMap::find(std::string_view name) const {
  const Slot& slot = slots_[slot_of(name)];
  return slot.generation == generation_ ? slot.value : no_id;
}

void NameMap::clear() {
  ++generation_;
  used_ = 0;
}

void NameMap::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& s : old)
    if (s.generation == generation_)
      slots_[slot_of(s.name)] = s;
}

std::uint32_t& NumberedRegisters::at(std::uint32_t range, std::uint32_t number) {
  const std::uint64_t key = (std::uint64_t{range} << 32) | number;
  std::size_t slot = mix(key) & (slots_.size() - 1);
  while (slots_[slot].generation == generation_ && slots_[slot].key != key)
    slot = (slot + 1) & (slots_.size() - 1);
  if (slots_[slot].generation == generation_)
    return slots_[slot].value;
  if (used_ * 2 >= slots_.size()) {
    grow();
    return at(range, number);
  }
  ++used_;
  slots_[slot] = {key, no_id, generation_};
  return slots_[slot].value;
}

void NumberedRegisters::clear() {
  ++generation_;
  used_ = 0;
}

void NumberedRegisters::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& s : old) {
    if (s.generation != generation_)
      continue;
    std::size_t slot = mix(s.key) & (slots_.size() - 1);
    while (slots_[slot].generation == generation_)
      slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = s;
  }
}

const Symbol* SymbolTable::declare(std::string_view name, Symbol symbol) {
  std::uint32_t& innermost = innermost_[name];
  if (innermost != no_id && entries_[innermost].symbol.scope == depth())
    return &entries_[innermost].symbol;
  symbol.scope = depth();
  symbol.hidden = innermost;
  entries_.push_back({name, symbol});
  innermost = static_cast<std::uint32_t>(entries_.size() - 1);
  return nullptr;
}

const Symbol* SymbolTable::find(std::string_view name) const {
  const std::uint32_t entry = innermost_.find(name);
  return entry == no_id ? nullptr : &entries_[entry].symbol;
}

void SymbolTable::close_scope() {
  const std::uint32_t start = scope_starts_.back();
  scope_starts_.pop_back();
  while (entries_.size() > start) {
    innermost_[entries_.back().name] = entries_.back().symbol.hidden;
    entries_.pop_back();
  }
}

void SymbolTable::clear() {
  innermost_.clear();
  entries_.clear();
  scope_starts_.clear();
}

std::vector<std::string_view> SymbolTable::names() const {
  std::vector<std::string_view> out;
  for (const Entry& e : entries_)
    out.push_back(e.name);
  return out;
}

} // namespace kerncast::ptx
