#include "warp/launch_parameters.h"

#include <algorithm>

namespace kerncast::warp {
namespace {

using tasklist::Argument;

void write(std::uint64_t bits, std::uint32_t offset, std::uint64_t bytes, ParameterImage& image) {
  for (std::uint64_t i = 0; i < bytes && i < 8; ++i) {
    image.bytes[offset + i] = static_cast<std::uint8_t>(bits >> (8 * i));
    image.known[offset + i] = true;
  }
}

// Nothing for a structure, whose members say what it holds.
void write_value(const Argument& a, std::uint32_t offset, std::uint64_t bytes, std::uint32_t address_bits,
                 ParameterImage& image) {
  if (a.kind == Argument::Kind::unknown || a.kind == Argument::Kind::structure)
    return;
  const std::uint64_t base = a.kind == Argument::Kind::buffer ? buffer_address(a.buffer, address_bits) : 0;
  write(base + a.bits, offset, bytes, image);
}

// A gap before an aligned member that is smaller than it: the compiler's, and nobody minds what is in it.
void fill_padding(std::uint32_t structure, std::uint32_t member, std::uint32_t bytes, ParameterImage& image) {
  std::uint32_t gap = 0;
  while (gap < bytes && gap < member && !image.known[structure + member - gap - 1])
    ++gap;
  if (gap < bytes && gap < member)
    write(0, structure + member - gap, gap, image);
}

// Behind a last member of less than a word, which compilers load as one.
void fill_last_word(const MemoryMap::Parameter& parameter, ParameterImage& image) {
  constexpr std::uint32_t word_bytes = 4;
  std::uint32_t end = parameter.bytes;
  while (end > 0 && !image.known[parameter.offset + end - 1])
    --end;
  const std::uint32_t gap = std::min((word_bytes - end % word_bytes) % word_bytes, parameter.bytes - end);
  write(0, parameter.offset + end, gap, image);
}

} // namespace

ParameterImage parameter_image(const MemoryMap& memory, std::uint32_t address_bits,
                               const tasklist::Launch& launch) {
  ParameterImage image;
  image.bytes.resize(memory.parameter_bytes);
  image.known.resize(memory.parameter_bytes);
  for (std::size_t i = 0; i < launch.arguments.size() && i < memory.parameter_list.size(); ++i) {
    const auto [offset, bytes] = memory.parameter_list[i];
    write_value(launch.arguments[i], offset, bytes, address_bits, image);
  }
  for (const tasklist::StructMember& m : launch.members) {
    if (m.argument >= memory.parameter_list.size())
      continue;
    const auto [offset, bytes] = memory.parameter_list[m.argument];
    if (m.bytes > bytes || m.offset > bytes - m.bytes)
      continue;
    write_value(m.value, offset + m.offset, m.bytes, address_bits, image);
    if (m.offset % m.bytes == 0)
      fill_padding(offset, m.offset, m.bytes, image);
  }
  for (std::size_t i = 0; i < launch.arguments.size() && i < memory.parameter_list.size(); ++i)
    if (launch.arguments[i].kind == Argument::Kind::structure)
      fill_last_word(memory.parameter_list[i], image);
  return image;
}

} // namespace kerncast::warp
