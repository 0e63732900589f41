// Addresses of variables that have no place here are zeros.
#include "module_image.h"

namespace kerncast::functional {
namespace {

void write_address(const ptx::InitialAddress& initial, const warp::MemoryMap& map, std::uint8_t* variable,
                   std::uint64_t variable_bytes) {
  const std::uint64_t address =
      map.address_of(initial.symbol).value_or(0) + static_cast<std::uint64_t>(initial.addend);
  std::uint64_t value = address;
  if (initial.mask != 0) { // 0xFF00(symbol): the byte under the mask
    value = address & initial.mask;
    for (std::uint64_t mask = initial.mask; (mask & 0xff) == 0; mask >>= 8)
      value >>= 8;
  }
  for (std::uint32_t i = 0; i < initial.bytes && i < 8 && initial.offset + i < variable_bytes; ++i)
    variable[initial.offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

void write_variable(const ptx::Variable& v, const warp::MemoryMap& map, const warp::Region& region,
                    std::vector<std::uint8_t>& image) {
  const auto address = map.address_of(v.name);
  if (!address)
    return;
  image.resize(region.bytes);
  const std::uint64_t offset = *address - region.base;
  for (std::size_t i = 0; i < v.initial_bytes.size() && offset + i < image.size(); ++i)
    image[offset + i] = v.initial_bytes[i];
  for (const ptx::InitialAddress& initial : v.initial_addresses)
    write_address(initial, map, &image[offset], image.size() - offset);
}

} // namespace

ModuleVariables initial_variables(const ptx::Module& module, const ptx::Function& kernel,
                                  const warp::MemoryMap& map) {
  ModuleVariables images;
  for (const auto* variables : {&module.globals, &kernel.variables})
    for (const ptx::Variable& v : *variables) {
      if (v.space == ptx::Space::global)
        write_variable(v, map, map.global, images.global);
      else if (v.space == ptx::Space::constant)
        write_variable(v, map, map.constant, images.constant);
    }
  return images;
}

} // namespace kerncast::functional
