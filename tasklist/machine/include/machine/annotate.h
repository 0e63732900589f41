// Tasklist + GPU -> machine program.
#pragma once

#include <optional>

#include "configs/gpu.h"
#include "machine/program.h"
#include "support/diagnostics.h"
#include "tasklist/tasklist.h"

namespace kerncast::machine {

struct AnnotateOptions {
  // Unit class to charge for operations without an ISA row; empty: such an operation is an error.
  std::optional<std::string> assume_unknown;
  // Order the operations of each block as a compiler would, loads early (src/schedule.h). Lists without a
  // PTX target are written in machine order and keep it.
  bool schedule = true;
};

// Fails naming every operation the GPU's ISA table has no row for.
Expected<MachineProgram> annotate(const tasklist::Tasklist& list, const configs::Gpu& gpu,
                                  const AnnotateOptions& options = {});

// Summed latency of the machine operations that one PTX operation becomes, as the papers' annotated form
// prints it; nullopt for memory tasks, which have none there.
std::optional<double> summed_latency(const tasklist::Tasklist& list, const tasklist::Task& task,
                                     const configs::Gpu& gpu);

} // namespace kerncast::machine
