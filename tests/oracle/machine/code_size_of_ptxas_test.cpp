// Machine instructions and registers per kernel against what ptxas made of the same PTX, as recorded in
// tests/data/lowering/reference.csv. The bounds are what holds today; `tools/measure lowering` shows each
// kernel and the bounds to reach.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "configs/compute_capability.h"
#include "configs/loader.h"
#include "lowering/lower_compiled.h"
#include "machine/annotate.h"
#include "ptx_parser/parser.h"
#include "support/files.h"

namespace kerncast::machine {
namespace {

const std::string root = KERNCAST_SOURCE_DIR "/";

struct Reference {
  std::string file, kernel, target;
  double instructions = 0, registers = 0;
};

std::vector<Reference> read_reference() {
  std::ifstream file(root + "tests/data/lowering/reference.csv");
  std::vector<Reference> rows;
  std::string line;
  std::getline(file, line); // the columns' names
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Reference row;
    std::string ptxas, instructions, registers;
    std::getline(fields, row.file, ',');
    std::getline(fields, row.kernel, ',');
    std::getline(fields, row.target, ',');
    std::getline(fields, ptxas, ',');
    std::getline(fields, instructions, ',');
    std::getline(fields, registers, ',');
    row.instructions = std::stod(instructions);
    row.registers = std::stod(registers);
    rows.push_back(row);
  }
  return rows;
}

const configs::Gpu& gpu_of(const std::string& target) {
  static const std::map<std::string, std::string> names = {
      {"sm_75", "rtx2070"}, {"sm_80", "a100-sxm4-40gb"}, {"sm_90", "h100-sxm"}};
  static std::map<std::string, configs::Gpu> gpus;
  const auto [gpu, is_new] = gpus.try_emplace(target);
  if (is_new)
    gpu->second = configs::load_gpu(names.at(target), {}, configs::ConfigPath({root + "configs"})).value();
  return gpu->second;
}

// What such calls may reach is code of its own for ptxas, and not counted with the kernel's.
bool calls_through_registers(const tasklist::Tasklist& list) {
  return std::ranges::any_of(list.assumptions, [](const std::string& assumption) {
    return assumption.find("call through a register") != std::string::npos;
  });
}

std::optional<MachineProgram> lowered(const Reference& row) {
  auto source = read_source(root + row.file);
  if (!source)
    return std::nullopt;
  const auto module = ptx::parse(std::move(*source));
  if (!module)
    return std::nullopt;
  const auto kernel = lowering::select_kernel(*module, row.kernel);
  const configs::Gpu& gpu = gpu_of(row.target);
  const auto compiled =
      kernel ? lowering::lower_compiled(*module, **kernel, {.target = configs::compute_capability(gpu)})
             : Expected<lowering::CompiledKernel>{};
  if (!kernel || !compiled || calls_through_registers(compiled->list))
    return std::nullopt;
  auto program = annotate(compiled->list, gpu);
  return program ? std::optional(std::move(*program)) : std::nullopt;
}

struct Errors {
  double instructions = 0, registers = 0; // mean absolute, relative
  int kernels = 0, refused = 0, far = 0;  // far: beyond a factor 1.5
};

Errors compare() {
  Errors errors;
  for (const Reference& row : read_reference()) {
    const auto program = lowered(row);
    if (!program) {
      ++errors.refused;
      continue;
    }
    const double ratio = static_cast<double>(program->static_instructions()) / row.instructions;
    ++errors.kernels;
    errors.far += ratio > 1.5 || ratio < 1 / 1.5;
    errors.instructions += std::abs(ratio - 1);
    errors.registers += std::abs(program->registers_estimated / row.registers - 1);
  }
  errors.instructions /= errors.kernels;
  errors.registers /= errors.kernels;
  return errors;
}

TEST(CodeOfPtxas, instructions_and_registers_are_near_those_of_ptxas) {
  const Errors errors = compare();
  RecordProperty("kernels", errors.kernels);
  RecordProperty("refused", errors.refused);
  RecordProperty("beyond_a_factor_1_5", errors.far);
  RecordProperty("instructions", std::to_string(errors.instructions));
  RecordProperty("registers", std::to_string(errors.registers));
  ASSERT_GT(errors.kernels, 250);
  EXPECT_LE(errors.refused, 6); // recursion, calls through registers
  EXPECT_EQ(errors.far, 0);
  EXPECT_LE(errors.instructions, 0.073);
  EXPECT_LE(errors.registers, 0.109);
}

} // namespace
} // namespace kerncast::machine
