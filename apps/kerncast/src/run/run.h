// kerncast run: its options, and what came of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "command.h"
#include "functional/kernel.h"
#include "outcome.h"
#include "predict/options.h"

namespace kerncast::app {

struct RunWords {
  PredictWords input; // the file, and the launch of a PTX file
  std::vector<std::string> outputs;
  std::string max_visits;
  bool allow_races = false;
};

// Launches of one kernel together.
struct KernelRun {
  std::string kernel;
  std::uint64_t launches = 0;
  functional::RunResult counts;
};

struct BufferView {
  std::string name;
  std::uint64_t bytes = 0;
  bool is_known = false; // all of it is
  std::string checksum;  // FNV-1a of 64 bits, hexadecimal
  std::string type;      // of the values below: of the buffer's contents, else b32
  std::vector<std::string> first;
};

struct RunReport {
  std::string name;
  std::vector<KernelRun> kernels; // in the order of their first launch
  std::vector<BufferView> buffers;
  std::vector<std::string> assumptions;
  Diagnostics warnings; // the first one of each kernel
};

struct Executed {
  RunReport report;
  std::vector<OutputFile> files; // --output
};

// `printed` gets what the kernels print, up to a fault, too.
Expected<Executed> execute(const RunWords& words, std::string& printed);

} // namespace kerncast::app
