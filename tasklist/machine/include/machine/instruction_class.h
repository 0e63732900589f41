// Classes of machine instructions, coarse enough that a cubin's operation codes tell them apart.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "machine/program.h"

namespace kerncast::machine {

enum class InstructionClass : std::uint8_t {
  integer, // integers, logic, comparisons, selections, moves
  f32,
  f64,
  f16,
  special, // MUFU, conversions, bit counts
  memory,  // loads, stores, atomics, shuffles, special registers
  texture,
  tensor,
  control, // branches, barriers, convergence
};
inline constexpr std::array<std::string_view, 9> instruction_class_names = {
    "integer", "f32", "f64", "f16", "special", "memory", "texture", "tensor", "control"};

// How many of a program's instructions are of each class, slow paths included.
std::array<std::int64_t, instruction_class_names.size()>
count_classes(const MachineProgram& program, const tasklist::Tasklist& list, const configs::Gpu& gpu);

} // namespace kerncast::machine
