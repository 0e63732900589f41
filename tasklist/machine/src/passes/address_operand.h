// Which value of an access is its address.
#pragma once

#include <cstdint>

#include "selection.h"

namespace kerncast::machine {

// The first one, and nothing else: a task names each value once, so that some operand is missing where the
// address is among the data, too. `data`: values that the access takes beside its address.
inline bool first_value_is_address(const Selection& selection, const tasklist::Task& access,
                                   std::uint32_t data) {
  return access.uses.count > 0 && !selection.names_address(access) &&
         access.uses.count + access.constants.count >= 1 + data + (access.predicated ? 1 : 0);
}

// Of 64 bits, where each of so many elements has fewer: no data, but an address.
inline bool first_value_is_wide(const tasklist::Tasklist& list, const tasklist::Task& access,
                                std::uint32_t elements) {
  const auto uses = list.uses(access);
  return !uses.empty() && list.value_classes[uses.front()] == tasklist::ValueClass::b64 &&
         access.access_bytes < elements * sizeof(std::uint64_t);
}

} // namespace kerncast::machine
