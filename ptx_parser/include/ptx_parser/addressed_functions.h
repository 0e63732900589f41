// Functions that calls through registers may reach: those whose address the module takes.
#pragma once

#include "ptx_parser/module.h"

namespace kerncast::ptx {

// What functions must have in common to be called in each other's place: how many results and parameters
// they have, then the bytes of each.
using CallShape = std::vector<std::uint64_t>;
CallShape call_shape_of(const std::vector<Variable>& results, const std::vector<Variable>& parameters);

struct AddressedFunction {
  const Function* function = nullptr;  // with its body, unless it has none in the module
  std::vector<std::string_view> names; // under which the module takes its address: its own, or aliases
  CallShape shape;
};

// Those of one shape lie next to each other, in the order in which the text names them.
std::vector<AddressedFunction> addressed_functions(const Module& module);

} // namespace kerncast::ptx
