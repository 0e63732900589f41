// Members of structures against the kernel's loads of parameters. Loads through a parameter's address are not
// followed.
#include <algorithm>

#include <fmt/format.h>

#include "slice/execute.h"
#include "warp/launch_parameters.h"

namespace kerncast::slice {
namespace {

using ptx::OperandKind;
using tasklist::Argument;

struct ParameterLoad {
  std::size_t parameter = 0;
  std::uint64_t begin = 0, end = 0; // bytes of the parameter
  std::uint32_t line = 0;
};

// ld.param of one of the kernel's parameters.
std::optional<ParameterLoad> parameter_load(const ptx::Function& kernel,
                                            const ptx::Instruction& instruction) {
  const auto operands = kernel.operands(instruction);
  if (instruction.opcode != ptx::Opcode::ld || operands.size() != 2 ||
      operands[1].kind != OperandKind::address || operands[1].name.empty())
    return std::nullopt;
  const auto parameter = std::ranges::find(kernel.parameters, operands[1].name, &ptx::Variable::name);
  if (parameter == kernel.parameters.end())
    return std::nullopt;
  std::uint32_t element_bytes = 0;
  for (const ptx::Modifier modifier : kernel.modifiers(instruction))
    element_bytes = std::max(element_bytes, ptx::size_bytes(ptx::type_of(modifier)));
  ParameterLoad load;
  load.parameter = static_cast<std::size_t>(parameter - kernel.parameters.begin());
  load.begin = static_cast<std::uint64_t>(operands[1].offset());
  load.end = load.begin + std::uint64_t{element_bytes} * kernel.parts(operands[0]).size();
  load.line = instruction.place.line;
  return load;
}

// The first byte that a load takes and no member states.
std::optional<std::uint64_t> unstated_byte(const ParameterLoad& load, const warp::ParameterImage& image,
                                           const warp::MemoryMap::Parameter& parameter) {
  for (std::uint64_t at = load.begin; at < std::min<std::uint64_t>(load.end, parameter.bytes); ++at)
    if (!image.known[parameter.offset + at])
      return at;
  return std::nullopt;
}

Diagnostic error(const tasklist::Tasklist& list, const ParameterLoad& load, std::uint64_t byte) {
  Diagnostic d;
  d.file = list.source_name;
  d.message = fmt::format(
      "argument {} of kernel {} states nothing for byte {} of the structure, which the kernel loads",
      load.parameter + 1, list.kernel, byte);
  d.notes.push_back(
      fmt::format("line {} of the PTX loads it: give all members of the structure, in order or with "
                  "their offsets",
                  load.line));
  return d;
}

} // namespace

Expected<void> check_structures(const ptx::Module& module, const ptx::Function& kernel,
                                const tasklist::Tasklist& list, const tasklist::Launch& launch) {
  const auto is_structure = [&](std::size_t p) {
    return p < launch.arguments.size() && launch.arguments[p].kind == Argument::Kind::structure;
  };
  if (std::ranges::none_of(launch.arguments,
                           [](const Argument& a) { return a.kind == Argument::Kind::structure; }))
    return {};
  const warp::MemoryMap map = warp::map_memory(module, kernel, list);
  const warp::ParameterImage image = warp::parameter_image(map, module.address_bits, launch);
  std::vector<bool> reported(kernel.parameters.size());
  Diagnostics errors;
  for (const ptx::Instruction& instruction : kernel.instructions) {
    const auto load = parameter_load(kernel, instruction);
    if (!load || !is_structure(load->parameter) || reported[load->parameter])
      continue;
    if (const auto byte = unstated_byte(*load, image, map.parameter_list[load->parameter])) {
      errors.push_back(error(list, *load, *byte));
      reported[load->parameter] = true;
    }
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return {};
}

} // namespace kerncast::slice
