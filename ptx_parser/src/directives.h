// Tables of directives: a name and the function that parses what begins with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "state.h"

namespace kerncast::ptx {

struct Directive {
  std::string_view name;
  bool (*parse)(State&);
};

// The entry of a table of this name, nullptr if it has none.
template <class Entry, std::size_t N>
const Entry* find_named(const Entry (&table)[N], std::string_view name) {
  const auto* const found = std::find_if(table, table + N, [&](const Entry& e) { return e.name == name; });
  return found == table + N ? nullptr : found;
}

} // namespace kerncast::ptx
