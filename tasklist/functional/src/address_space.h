// Where an address lies for one warp: in a buffer, a variable, the CTA's shared memory, the lane's local
// memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster_state.h"
#include "functional/device_memory.h"
#include "tasklist/tensor_map.h"
#include "warp/launch_parameters.h"
#include "warp/memory_op.h"
#include "warp/program.h"

namespace kerncast::functional {

// A piece of memory with consecutive addresses.
struct Window {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::uint8_t* data = nullptr;
  std::uint8_t* written = nullptr; // as Buffer::written
  bool is_read_only = false;
  bool has_watched_loads = false;
};

struct BufferPlace {
  std::size_t buffer = 0;
  std::uint64_t offset = 0; // bytes
};

class AddressSpace {
public:
  AddressSpace(const warp::Program& program, DeviceMemory& memory, ModuleVariables& variables,
               const warp::ParameterImage& parameters, std::uint64_t dynamic_shared_bytes, bool any_contents);

  std::vector<std::uint8_t>& shared() { return shared_; }
  void join(const ClusterState& cluster) { cluster_ = &cluster; }
  // By buffer: whether loads are looked at.
  void watch_loads(const std::vector<bool>& buffers) { watched_ = &buffers; }
  // The CTA in whose window of the cluster's shared memory an address lies; null if there is none.
  const ClusterMember* member_at(std::uint64_t address) const;
  // Null for a rank that the cluster does not have.
  const ClusterMember* member(std::uint32_t rank) const {
    return cluster_ == nullptr || rank >= cluster_->members.size() ? nullptr : &cluster_->members[rank];
  }
  std::uint64_t local_bytes() const { return program_.memory.local.bytes; }
  // From one lane's local memory to the next: keeps the alignment of all types.
  std::uint64_t local_stride() const { return local_stride(program_); }
  static std::uint64_t local_stride(const warp::Program& program) {
    return (program.memory.local.bytes + 15) / 16 * 16;
  }
  bool is_local(std::uint64_t address) const {
    return address - program_.memory.local.base < program_.memory.local.bytes;
  }
  std::uint32_t address_bytes() const { return program_.address_bits / 8; }
  // malloc and free: null without room, false for what is no block.
  std::uint64_t allocate(std::uint64_t bytes);
  bool release(std::uint64_t address);
  std::uint64_t local_base() const { return program_.memory.local.base; }
  // The window around an address that instructions of this space may name; empty if there is none. Local
  // memory has no window, as each lane has its own.
  Window find(std::uint64_t address, ptx::Space space);
  bool is_in_buffer(std::uint64_t address) const {
    return warp::is_buffer_address(address, program_.address_bits);
  }
  // Of an address for which is_in_buffer holds.
  BufferPlace buffer_place(std::uint64_t address) const;
  // The texture or surface that a handle, or the address of a variable, names; null if there is none.
  const tasklist::Image* image(std::uint64_t handle) const;
  std::optional<tasklist::Sampler> sampler(std::uint64_t handle) const;
  std::uint64_t image_address(const tasklist::Image& image) const;
  // A map that functional execution can follow; none where there is something else.
  std::optional<tasklist::TensorMap> tensor_map(std::uint64_t address);
  // ", the variable 't'" of the module, or nothing.
  std::string name_at(std::uint64_t handle) const;
  // "buffer 'a', 16 bytes behind its end (4096 bytes)"
  std::string describe(std::uint64_t address) const;

private:
  Window window_of(const warp::Region& region, std::vector<std::uint8_t>& bytes, bool is_read_only) const;
  Window buffer_window(std::uint64_t address);
  const warp::OpaqueVariable* variable_at(std::uint64_t handle) const;
  bool is_in_heap(std::uint64_t address) const;
  Window find_of_driver(std::uint64_t address);
  Window heap_window(std::uint64_t address);
  std::string describe_in_heap(std::uint64_t address) const;
  Window find_variable(std::uint64_t address, ptx::Space space);

  std::string describe_in_cluster(std::uint64_t address) const;

  const warp::Program& program_;
  const ClusterState* cluster_ = nullptr; // null: of this CTA alone, without windows
  DeviceMemory& memory_;
  ModuleVariables& variables_;
  std::vector<std::uint8_t> parameters_;
  std::vector<std::uint8_t> stated_parameters_; // as Buffer::written; empty: all bytes are
  std::vector<std::uint8_t> shared_;
  bool any_contents_;                          // unknown ones too
  const std::vector<bool>* watched_ = nullptr; // null: nothing
};

} // namespace kerncast::functional
