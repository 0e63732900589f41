// The suites of kerncast validate: what is compared with what.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "command.h"
#include "report.h"

namespace kerncast::app {

struct SuiteInput {
  std::string file; // of a suite that takes one
  std::string map;  // --map: file; empty: none
  std::string ptx;  // --ptx: path with {NAME}s; empty: the mapping's
  std::size_t threads = 0;
  const Session& session;
  bool stages = false;   // measured: also with more and more given
  std::size_t worst = 0; // measured: so many rows of a kernel and GPU are explained
};

struct Suite {
  std::string_view name;
  bool takes_file = false;
  Expected<void> (*run)(const SuiteInput& input, Report& report) = nullptr;
};

std::span<const Suite> suites();

// Measured occupancy curves, beside the simulator and every closed form (003, Tables 8 and 10 to 12).
Expected<void> validate_curves(const SuiteInput& input, Report& report);

// Measured launches of any kernels whose PTX the user names.
Expected<void> validate_measured(const SuiteInput& input, Report& report);

// The project's microbenchmarks, on the GPUs where kernels of the same structure were measured.
Expected<void> validate_microbench(const SuiteInput& input, Report& report);

// What the papers print.
Expected<void> validate_papers(const SuiteInput& input, Report& report);

// The published PPT-GPU tool's recorded answers.
Expected<void> validate_ppt_lanl(const SuiteInput& input, Report& report);

} // namespace kerncast::app
