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

// The register that an access has its address in; no_id if that is a constant, or not told from data. That
// of shared and local memory lies in a register where no variable is named.
inline tasklist::ValueId address_register(const Selection& selection, const tasklist::Task& access) {
  const std::uint32_t guard = access.predicated ? 1 : 0;
  if (!tasklist::is_memory(access.kind) || access.uses.count <= guard)
    return tasklist::no_id;
  const std::uint32_t elements = elements_of(selection.operation(access));
  const std::uint32_t data = access.kind == tasklist::TaskKind::load ? 0 : elements;
  const bool is_near = access.space == tasklist::Space::shared || access.space == tasklist::Space::local;
  const bool has_base = access.uses.count + access.constants.count > 1 + data + guard;
  const bool is_address = access.uses.count > data + guard || has_base ||
                          (is_near && !selection.names_address(access)) ||
                          first_value_is_address(selection, access, data) ||
                          first_value_is_wide(selection.list, access, elements);
  return is_address ? selection.list.uses(access).front() : tasklist::no_id;
}

} // namespace kerncast::machine
