#include "names.h"

#include <bit>

namespace kerncast::ptx {

std::uint32_t& NameMap::operator[](std::string_view name) {
  const NameBits bits = bits_of(name);
  std::size_t slot = slot_of(name, bits);
  if (slots_[slot].generation != generation_) {
    if (entries_.size() * 2 >= slots_.size()) {
      rehash(slots_.size() * 2);
      slot = slot_of(name, bits);
    }
    slots_[slot] = {generation_, static_cast<std::uint32_t>(entries_.size())};
    entries_.push_back({bits, name.data(), static_cast<std::uint32_t>(name.size()), no_id});
  }
  return entries_[slots_[slot].entry].value;
}

void NameMap::clear() {
  ++generation_;
  entries_.clear();
}

void NameMap::reserve(std::size_t names) {
  entries_.reserve(names);
  if (names * 2 > slots_.size())
    rehash(std::bit_ceil(names * 2));
}

void NameMap::rehash(std::size_t slots) {
  slots_.assign(slots, {});
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t entry = 0; entry < entries_.size(); ++entry) {
    const Entry& e = entries_[entry];
    std::size_t slot = hash_of({e.name, e.length}, e.bits) & mask;
    while (slots_[slot].generation == generation_)
      slot = (slot + 1) & mask;
    slots_[slot] = {generation_, entry};
  }
}

std::uint32_t NumberedRegisters::declare(std::uint32_t count) {
  if (count > most - declared_)
    return no_id;
  const std::uint32_t first = declared_;
  declared_ += count;
  return first;
}

void NumberedRegisters::name_first_time(std::uint32_t place) {
  if (place >= ids_.size())
    ids_.resize(place + 1, no_id);
  named_.push_back(place);
}

void NumberedRegisters::clear() {
  for (const std::uint32_t place : named_)
    ids_[place] = no_id;
  named_.clear();
  declared_ = 0;
}

const Symbol* SymbolTable::declare(std::string_view name, Symbol symbol) {
  std::uint32_t& innermost = innermost_[name];
  if (innermost != no_id && entries_[innermost].symbol.scope == depth())
    return &entries_[innermost].symbol;
  symbol.scope = depth();
  symbol.hidden = innermost;
  entries_.push_back({name, symbol});
  innermost = static_cast<std::uint32_t>(entries_.size() - 1);
  ++changes_;
  return nullptr;
}

void SymbolTable::close_scope() {
  const std::uint32_t start = scope_starts_.back();
  scope_starts_.pop_back();
  changes_ += entries_.size() > start ? 1 : 0;
  while (entries_.size() > start) {
    innermost_[entries_.back().name] = entries_.back().symbol.hidden;
    entries_.pop_back();
  }
}

void SymbolTable::clear() {
  innermost_.clear();
  entries_.clear();
  scope_starts_.clear();
  ++changes_;
}

std::vector<std::string_view> SymbolTable::names() const {
  std::vector<std::string_view> out;
  for (const Entry& e : entries_)
    out.push_back(e.name);
  return out;
}

} // namespace kerncast::ptx
