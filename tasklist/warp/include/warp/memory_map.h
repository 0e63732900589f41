// Where variables and buffers lie in the flat address space of slice execution.
//
// Shared variables start at 0 in declaration order, dynamic shared memory behind them; .local, .const,
// .global and buffers have a region each. Only alignments and differences of addresses matter to the model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "ptx_parser/module.h"
#include "tasklist/launch.h"

namespace kerncast::warp {

struct MemoryMap {
  std::map<std::string_view, std::uint64_t> variables;  // address by name
  std::map<std::string_view, std::uint32_t> parameters; // offset of the kernel's parameters
  struct Parameter {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
  };
  std::vector<Parameter> parameter_list; // in order
  std::uint32_t parameter_bytes = 0;

  std::optional<std::uint64_t> address_of(std::string_view name) const;
};

MemoryMap map_memory(const ptx::Module& module, const ptx::Function& kernel);

// Buffers are aligned to 2 MiB, the page size of the driver's large allocations, and never overlap.
std::uint64_t buffer_address(std::uint32_t buffer, std::uint32_t address_bits);

// Whether an address lies in a thread's own .local memory.
bool is_local_address(std::uint64_t address, std::uint32_t address_bits);

} // namespace kerncast::warp
