// Machine instructions and registers per kernel against what ptxas made of the same PTX, as recorded in
// tests/data/lowering/reference.csv. The bounds are what holds today; `tools/measure lowering` shows each
// kernel and the bounds to reach.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "lowered_by_gpu.h"
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

struct Errors {
  double instructions = 0, registers = 0; // mean absolute, relative
  int kernels = 0, refused = 0, far = 0;  // far: beyond a factor 1.5
};

Errors compare() {
  Errors errors;
  for (const Reference& row : read_reference()) {
    const auto program = lowered(read_source(root + row.file), row.kernel, row.target);
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
