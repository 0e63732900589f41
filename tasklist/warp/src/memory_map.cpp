// Placement of variables by declaration order and natural alignment.
#include "warp/memory_map.h"

#include <algorithm>
#include <bit>

#include "ptx_parser/addressed_functions.h"
#include "tasklist/operation.h"
#include "warp/cluster.h"

namespace kerncast::warp {
namespace {

// Region bases by address size. The 64-bit ones are a tebibyte apart.
struct Regions {
  std::uint64_t parameter, local, constant, functions, global, heap, buffers, buffer_stride;
};
constexpr Regions regions_64{1ULL << 39, 1ULL << 40, 2ULL << 40, 5ULL << 39,
                             3ULL << 40, 8ULL << 40, 1ULL << 44, 1ULL << 40};
constexpr Regions regions_32{8ULL << 20,  16ULL << 20,  32ULL << 20,  48ULL << 20,
                             64ULL << 20, 128ULL << 20, 256ULL << 20, 16ULL << 20};

const Regions& regions(std::uint32_t address_bits) { return address_bits == 32 ? regions_32 : regions_64; }

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return alignment <= 1 ? value : (value + alignment - 1) / alignment * alignment;
}

constexpr std::uint64_t handle_bytes = 8;
constexpr std::uint64_t most_access_bytes = 16; // of a lane
std::uint64_t alignment_of(const ptx::Variable& v) {
  if (v.alignment != 0)
    return v.alignment;
  if (ptx::is_opaque(v.type))
    return handle_bytes;
  return std::max<std::uint64_t>(1, std::uint64_t{ptx::size_bytes(v.type)} * v.vector_length);
}

template <class Space> bool is_near(Space space) { return space == Space::shared || space == Space::local; }

// Bytes of the widest access to shared or local memory: a power of two, 16 at most.
std::uint64_t widest_near_access(const tasklist::Tasklist& list) {
  std::uint64_t widest = 1;
  for (const tasklist::Task& task : list.tasks)
    if (tasklist::is_memory(task.kind) && is_near(task.space))
      widest = std::max<std::uint64_t>(widest, task.access_bytes);
  return std::min(std::bit_floor(widest), most_access_bytes);
}

// A texture, sampler or surface takes no memory, but an address, by which it is known.
std::uint64_t bytes_of(const ptx::Variable& v) {
  return ptx::is_opaque(v.type) ? handle_bytes * v.elements.value_or(1) : v.bytes();
}

bool is_dynamic_shared(const ptx::Variable& v) {
  return v.space == ptx::Space::shared && v.is_extern && v.bytes() == 0;
}

// Next free address of each region, and what shared and local variables are at least aligned to.
struct Cursor {
  std::uint64_t shared = 0, local = 0, constant = 0, global = 0;
  std::uint64_t near_alignment = 1;

  std::uint64_t* of(ptx::Space space) {
    switch (space) {
    case ptx::Space::shared:
      return &shared;
    case ptx::Space::local:
    case ptx::Space::param: // of calls; the kernel's own are no variables
      return &local;
    case ptx::Space::constant:
      return &constant;
    case ptx::Space::global:
      return &global;
    default:
      return nullptr;
    }
  }
};

bool is_of_module(const ptx::Variable& v) {
  return v.space == ptx::Space::constant || v.space == ptx::Space::global;
}
bool is_static_shared(const ptx::Variable& v) {
  return v.space == ptx::Space::shared && !is_dynamic_shared(v);
}
bool is_local(const ptx::Variable& v) { return v.space == ptx::Space::local; }
bool is_call_parameter(const ptx::Variable& v) { return v.space == ptx::Space::param; }

// As many bytes as a thread's stack has (cudaLimitStackSize), beside what is declared.
Region stack_behind(const ptx::Function& kernel, Cursor& cursor) {
  constexpr std::uint64_t stack_bytes = 1024, alignment = 16;
  if (std::ranges::none_of(kernel.instructions,
                           [](const ptx::Instruction& i) { return i.opcode == ptx::Opcode::alloca; }))
    return {};
  const Region stack{align_up(cursor.local, alignment), stack_bytes};
  cursor.local = stack.base + stack.bytes;
  return stack;
}

// Places the wanted ones behind each other.
void place(const std::vector<ptx::Variable>& variables, bool (*wanted)(const ptx::Variable&), Cursor& cursor,
           MemoryMap& map) {
  for (const ptx::Variable& v : variables) {
    std::uint64_t* next = cursor.of(v.space);
    if (next == nullptr || !wanted(v))
      continue;
    const std::uint64_t address =
        align_up(*next, std::max(alignment_of(v), is_near(v.space) ? cursor.near_alignment : 1));
    map.variables[v.name] = address;
    *next = address + bytes_of(v);
  }
}

// All that programs do with the address of a function is to compare it, keep it and call it.
void place_functions(const ptx::Module& module, MemoryMap& map) {
  std::uint64_t next = regions(module.address_bits).functions;
  for (const ptx::AddressedFunction& f : ptx::addressed_functions(module)) {
    for (const std::string_view name : f.names)
      map.variables[name] = next;
    next += function_stride;
  }
}

} // namespace

std::optional<std::uint64_t> MemoryMap::address_of(std::string_view name) const {
  const auto variable = variables.find(name);
  return variable == variables.end() ? std::nullopt : std::optional(variable->second);
}

MemoryMap map_memory(const ptx::Module& module, const ptx::Function& kernel, const tasklist::Tasklist& list) {
  MemoryMap map;
  const Regions& r = regions(module.address_bits);
  Cursor cursor{0, r.local, r.constant, r.global, widest_near_access(list)};
  // The module's first, so that they have the same addresses for all its kernels.
  place(module.globals, is_of_module, cursor, map);
  place_functions(module, map);
  place(kernel.variables, is_of_module, cursor, map);
  place(kernel.variables, is_static_shared, cursor, map);
  place(module.globals, is_static_shared, cursor, map);
  place(kernel.variables, is_local, cursor, map);
  place(kernel.variables, is_call_parameter, cursor, map);
  map.stack = stack_behind(kernel, cursor);
  // All dynamic shared arrays start at one place.
  const Cursor behind_static = cursor;
  std::uint64_t shared_bytes = behind_static.shared;
  for (const auto* variables : {&kernel.variables, &module.globals}) {
    cursor.shared = behind_static.shared;
    place(*variables, is_dynamic_shared, cursor, map);
    shared_bytes = std::max(shared_bytes, cursor.shared);
  }
  map.shared = {0, shared_bytes};
  map.local = {r.local, cursor.local - r.local};
  map.constant = {r.constant, cursor.constant - r.constant};
  map.global = {r.global, cursor.global - r.global};
  std::uint64_t offset = 0;
  for (const ptx::Variable& p : kernel.parameters) {
    offset = align_up(offset, alignment_of(p));
    map.parameters[p.name] = static_cast<std::uint32_t>(offset);
    map.parameter_list.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(p.bytes())});
    offset += p.bytes();
  }
  map.parameter_bytes = static_cast<std::uint32_t>(offset);
  map.parameter = {r.parameter, offset};
  return map;
}

std::uint64_t buffer_address(std::uint32_t buffer, std::uint32_t address_bits) {
  const Regions& r = regions(address_bits);
  return r.buffers + buffer * r.buffer_stride;
}

std::uint64_t buffer_stride(std::uint32_t address_bits) { return regions(address_bits).buffer_stride; }

bool is_buffer_address(std::uint64_t address, std::uint32_t address_bits) {
  return address >= regions(address_bits).buffers;
}

std::uint64_t buffer_at(std::uint64_t address, std::uint32_t address_bits) {
  const Regions& r = regions(address_bits);
  return (address - r.buffers) / r.buffer_stride;
}

Region addresses_of(ptx::Space space, std::uint32_t address_bits) {
  const Regions& r = regions(address_bits);
  switch (space) {
  case ptx::Space::shared:
    return {0, address_bits == 64 ? first_cluster_window : r.parameter};
  case ptx::Space::param:
    return {r.parameter, r.local - r.parameter};
  case ptx::Space::local:
    return {r.local, r.constant - r.local};
  case ptx::Space::constant:
    return {r.constant, r.global - r.constant};
  case ptx::Space::global:
    return {r.global, ~std::uint64_t{0} - r.global};
  default:
    return {};
  }
}

Region heap_region(std::uint32_t address_bits) {
  const Regions& r = regions(address_bits);
  return {r.heap, r.buffers - r.heap};
}

bool is_shared_address(std::uint64_t address, std::uint32_t address_bits) {
  return address < regions(address_bits).local;
}

bool is_local_address(std::uint64_t address, std::uint32_t address_bits) {
  const Regions& r = regions(address_bits);
  return address >= r.local && address < r.constant;
}

} // namespace kerncast::warp
