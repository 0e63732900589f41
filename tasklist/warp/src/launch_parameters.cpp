#include "warp/launch_parameters.h"

namespace kerncast::warp {
namespace {

using tasklist::Argument;

void write(std::uint64_t bits, std::uint32_t offset, std::uint64_t bytes, ParameterImage& image) {
  for (std::uint64_t i = 0; i < bytes && i < 8; ++i) {
    image.bytes[offset + i] = static_cast<std::uint8_t>(bits >> (8 * i));
    image.known[offset + i] = true;
  }
}

} // namespace

ParameterImage parameter_image(const MemoryMap& memory, std::uint32_t address_bits,
                               const tasklist::Launch& launch) {
  ParameterImage image;
  image.bytes.resize(memory.parameter_bytes);
  image.known.resize(memory.parameter_bytes);
  for (std::size_t i = 0; i < launch.arguments.size() && i < memory.parameter_list.size(); ++i) {
    const Argument& a = launch.arguments[i];
    const auto [offset, bytes] = memory.parameter_list[i];
    if (a.kind == Argument::Kind::unknown)
      continue;
    const std::uint64_t base = a.kind == Argument::Kind::buffer ? buffer_address(a.buffer, address_bits) : 0;
    write(base + a.bits, offset, bytes, image);
  }
  return image;
}

} // namespace kerncast::warp
