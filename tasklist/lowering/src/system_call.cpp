// Signatures are those of the CUDA headers (cuda_device_runtime and assert.h) as nvcc declares them in PTX.
#include "system_call.h"

#include <algorithm>
#include <array>

namespace kerncast::lowering {

namespace {

constexpr std::uint32_t address = 0; // as many bytes as an address has

struct SystemCall {
  std::string_view name;
  std::uint32_t results = 0, arguments = 0;
  std::array<std::uint32_t, 6> bytes{}; // of the results, then of the arguments
};

constexpr SystemCall system_calls[] = {
    {"vprintf", 1, 2, {4, address, address}},                        // format, argument list
    {"__assertfail", 0, 5, {address, address, 4, address, address}}, // text, file, line, function, 1
    {"malloc", 1, 1, {address, address}},
    {"free", 0, 1, {address}},
};

const SystemCall* find(std::string_view name) {
  const auto* row = std::ranges::find(system_calls, name, &SystemCall::name);
  return row == std::end(system_calls) ? nullptr : row;
}

} // namespace

bool is_system_call(std::string_view name) { return find(name) != nullptr; }

bool has_system_signature(const ptx::Function& declared, std::uint32_t address_bits) {
  const SystemCall* call = find(declared.name);
  if (call == nullptr || declared.return_parameters.size() != call->results ||
      declared.parameters.size() != call->arguments) {
    return false;
  }
  const auto fits = [&](const ptx::Variable& formal, std::uint32_t bytes) {
    return !formal.is_array && formal.vector_length == 1 &&
           ptx::size_bytes(formal.type) == (bytes == address ? address_bits / 8 : bytes);
  };
  const auto* bytes = call->bytes.begin();
  return std::ranges::all_of(declared.return_parameters, [&](const auto& v) { return fits(v, *bytes++); }) &&
         std::ranges::all_of(declared.parameters, [&](const auto& v) { return fits(v, *bytes++); });
}

} // namespace kerncast::lowering
