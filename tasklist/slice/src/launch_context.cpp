// Arguments laid out as the kernel's parameters.
#include "launch_context.h"

namespace kerncast::slice {
namespace {

using tasklist::Argument;

void write(std::uint64_t bits, std::uint32_t offset, std::uint64_t bytes, ParameterImage& image) {
  for (std::uint64_t i = 0; i < bytes && i < 8; ++i) {
    image.bytes[offset + i] = static_cast<std::uint8_t>(bits >> (8 * i));
    image.known[offset + i] = true;
  }
}

} // namespace

ParameterImage parameter_image(const Program& program, const tasklist::Launch& launch) {
  ParameterImage image;
  image.bytes.resize(program.memory.parameter_bytes);
  image.known.resize(program.memory.parameter_bytes);
  for (std::size_t i = 0; i < launch.arguments.size() && i < program.memory.parameter_list.size(); ++i) {
    const Argument& a = launch.arguments[i];
    const auto [offset, bytes] = program.memory.parameter_list[i];
    if (a.kind == Argument::Kind::unknown)
      continue;
    const std::uint64_t base =
        a.kind == Argument::Kind::buffer ? buffer_address(a.buffer, program.address_bits) : 0;
    write(base + a.bits, offset, bytes, image);
  }
  return image;
}

} // namespace kerncast::slice
