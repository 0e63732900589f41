#include "ptx_parser/addressed_functions.h"

#include <algorithm>

namespace kerncast::ptx {

CallShape call_shape_of(const std::vector<Variable>& results, const std::vector<Variable>& parameters) {
  CallShape shape{results.size(), parameters.size()};
  for (const auto* variables : {&results, &parameters})
    for (const Variable& v : *variables)
      shape.push_back(v.bytes());
  return shape;
}

std::vector<AddressedFunction> addressed_functions(const Module& module) {
  std::vector<AddressedFunction> found;
  for (const std::string_view name : module.addressed) {
    const Function* const f = module.find_aliased(name);
    if (f == nullptr || f->is_entry)
      continue;
    auto known = std::ranges::find(found, f, &AddressedFunction::function);
    if (known == found.end())
      known = found.insert(known, {f, {}, call_shape_of(f->return_parameters, f->parameters)});
    known->names.push_back(name);
  }
  std::ranges::stable_sort(found, {}, &AddressedFunction::shape);
  return found;
}

} // namespace kerncast::ptx
