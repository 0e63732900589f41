// Where variables and buffers lie in the flat address space of execution.
//
// Shared variables start at 0 in declaration order, dynamic shared memory behind them; .local (with the
// .param variables of calls), the kernel's parameters, .const, functions, .global and buffers have a region
// each. Only alignments and differences of addresses matter to the model.
//
// Accesses that lowering made one (lowering/lower.h) need more alignment than the text gives: variables in
// shared and local memory begin at multiples of the widest access to them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "ptx_parser/module.h"
#include "tasklist/launch.h"
#include "tasklist/tasklist.h"

namespace kerncast::warp {

// A region of the address space and how much of it a kernel uses.
struct Region {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
};

// Bytes between the addresses of two functions, as between two instructions since Volta.
inline constexpr std::uint64_t function_stride = 16;

struct MemoryMap {
  std::map<std::string_view, std::uint64_t> variables;  // address by name; functions' too
  std::map<std::string_view, std::uint32_t> parameters; // offset of the kernel's parameters
  struct Parameter {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
  };
  std::vector<Parameter> parameter_list; // in order
  std::uint32_t parameter_bytes = 0;
  // shared: static ones, then room for dynamic memory from `bytes` on; local: per thread.
  Region shared, local, constant, global, parameter;
  Region stack; // of local memory what alloca takes from; no bytes where nothing does

  std::optional<std::uint64_t> address_of(std::string_view name) const;
};

MemoryMap map_memory(const ptx::Module& module, const ptx::Function& kernel, const tasklist::Tasklist& list);

// Number of the buffer that lies around an address at or above that of buffer 0, whatever its size.
std::uint64_t buffer_at(std::uint64_t address, std::uint32_t address_bits);
// Whether an address lies in the region of buffers.
bool is_buffer_address(std::uint64_t address, std::uint32_t address_bits);
// Bytes between the starts of two buffers.
std::uint64_t buffer_stride(std::uint32_t address_bits);

// Buffers are aligned to 2 MiB, the page size of the driver's large allocations, and never overlap.
std::uint64_t buffer_address(std::uint32_t buffer, std::uint32_t address_bits);

// Where malloc in a kernel finds its blocks, and how far that reaches at most.
Region heap_region(std::uint32_t address_bits);

// Whether an address lies in a CTA's shared memory.
bool is_shared_address(std::uint64_t address, std::uint32_t address_bits);

// Whether an address lies in a thread's own .local memory.
bool is_local_address(std::uint64_t address, std::uint32_t address_bits);

// Generic addresses of a state space, other CTAs' shared memory left out; of `global` all to the end.
Region addresses_of(ptx::Space space, std::uint32_t address_bits);

} // namespace kerncast::warp
