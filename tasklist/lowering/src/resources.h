// What a kernel's declarations say: parameters, shared and local memory, launch bounds.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ptx_parser/module.h"
#include "support/diagnostics.h"
#include "tasklist/tasklist.h"

namespace kerncast::lowering {

// Compiled for a debugger: every instruction stays as it is.
bool is_debug(const ptx::Module& module);

// Fills everything of the list that does not depend on its tasks. `kernel` is the function after inlining.
void read_resources(const ptx::Module& module, const ptx::Function& kernel, tasklist::Tasklist& list);

// Of a function's own .local variables.
std::uint64_t local_bytes_of(const ptx::Function& function);
// An error if a thread's .local variables take more than a thread can have.
Expected<void> check_local_memory(const ptx::Module& module, const ptx::Function& kernel,
                                  std::uint64_t bytes);

// Kernel parameters by name; quick where they are asked for in their order, as kernels load them.
class ParameterNames {
public:
  explicit ParameterNames(const ptx::Function& kernel) : kernel_(kernel) {}
  std::optional<std::uint32_t> find(std::string_view name);

private:
  const ptx::Function& kernel_;
  std::uint32_t next_ = 0; // behind the one asked for last
};

// Where each kernel parameter lies, in bytes from the first.
class ParameterOffsets {
public:
  explicit ParameterOffsets(const ptx::Function& kernel);
  std::optional<std::uint32_t> offset_of(std::string_view name);

private:
  ParameterNames names_;
  std::vector<std::uint32_t> offsets_; // by parameter
};

} // namespace kerncast::lowering
