// Kernels ready to be annotated and executed: parsed, calls inlined, loops unrolled, lowered.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lowering/inline_calls.h"
#include "lowering/lower.h"
#include "modules.h"
#include "ptx_parser/module.h"
#include "support/diagnostics.h"
#include "tasklist/tasklist.h"

namespace kerncast::app {

struct KernelCode {
  std::shared_ptr<const ptx::Module> module;                // null: written as a tasklist
  std::shared_ptr<const lowering::InlinedKernel> rewritten; // null: executes as written
  tasklist::Tasklist list;
  std::string_view name; // of the function; empty for tasklists

  // What slice execution walks; null for tasklists.
  const ptx::Function* function() const;
};

// `kernel` must be an entry of the module.
Expected<KernelCode> lower_kernel(const std::shared_ptr<const ptx::Module>& module,
                                  const ptx::Function& kernel, const lowering::LowerOptions& options = {});

// The same with what was assumed about the module.
Expected<KernelCode> lower_kernel(const SourceModule& module, const ptx::Function& kernel,
                                  const lowering::LowerOptions& options = {});

struct KernelModule {
  std::shared_ptr<const ptx::Module> ptx; // the first of a container
  std::vector<KernelCode> kernels;        // of all modules
};

// All kernels of a file, or only the one named (if not empty); every error of all of them.
Expected<KernelModule> read_kernels(SourceText source, const ModuleOptions& modules,
                                    std::string_view name = {}, const lowering::LowerOptions& options = {});

struct CheckedModule {
  std::shared_ptr<const ptx::Module> ptx; // the first of a container
  std::vector<std::string> kernels;       // names, in the modules' order
  Diagnostics warnings;                   // the modules', and why a kernel cannot be predicted
};

// Good PTX is no error even where it holds what kerncast cannot predict, such as an indirect call.
Expected<CheckedModule> check_kernels(SourceText source, const ModuleOptions& modules);

// The kernel of this name; the only one for an empty name.
Expected<KernelCode> read_kernel(SourceText source, const ModuleOptions& modules, std::string_view name,
                                 const lowering::LowerOptions& options = {});

} // namespace kerncast::app
