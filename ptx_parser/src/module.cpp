// What can be asked of a syntax tree.
#include "ptx_parser/module.h"

#include <algorithm>

namespace kerncast::ptx {

std::uint64_t Variable::bytes() const {
  if (is_array && !elements)
    return 0;
  return std::uint64_t{size_bytes(type)} * vector_length * elements.value_or(1);
}

const SourceText& Module::text() const {
  static const SourceText nothing;
  return source ? *source : nothing;
}

const Function* Module::find(std::string_view name) const {
  const Function* found = nullptr;
  for (const Function& f : functions) {
    if (f.name != name)
      continue;
    if (f.has_body)
      return &f;
    if (found == nullptr)
      found = &f;
  }
  return found;
}

const Function* Module::find_aliased(std::string_view name) const {
  const auto alias = std::ranges::find(aliases, name, &Alias::name);
  return find(alias == aliases.end() ? name : alias->aliasee);
}

} // namespace kerncast::ptx
