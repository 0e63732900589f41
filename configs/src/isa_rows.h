// configs/isa/ARCH.toml as rows that still name their units.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "configs/isa.h"
#include "origin.h"
#include "support/diagnostics.h"

namespace kerncast::configs {

struct NamedMachineOp {
  std::string unit;
  Origin origin; // key: the unit's name
  std::optional<double> latency;
  std::optional<double> issue_interval;
  std::uint32_t count = 1;
  bool parallel = false;
  CountedAs counted_as = CountedAs::by_unit;
};

struct NamedRow {
  std::vector<std::string> tokens;
  std::vector<NamedMachineOp> machine, rare, slow, called;
  std::string routine;
  std::uint32_t registers = 0;
  SwapLoop loop = SwapLoop::none;
  double turns = 1;
  std::string guess;
  Origin origin; // key: the PTX operation
};

// All rows of the table and of those it inherits from; a row of a nearer file replaces one with the same
// tokens. "mul.{lo,hi}.s32" stands for one row per choice.
Expected<std::vector<NamedRow>> read_isa_rows(const std::filesystem::path& file,
                                              const std::vector<std::filesystem::path>& folders);

} // namespace kerncast::configs
