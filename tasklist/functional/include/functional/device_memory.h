// The memory that launches share: buffers, and each module's .global and .const variables.
//
// Contents are zeros until they are filled. A buffer of unknown contents remembers which of its bytes were
// written: reading any other is a fault, so that what is unknown never becomes a number.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "functional/device_heap.h"
#include "support/diagnostics.h"
#include "tasklist/image.h"

namespace kerncast::functional {

class Buffer {
public:
  // Zeros; the pages of a large buffer cost nothing until they are touched. No data if there is no memory.
  Buffer(std::string name, std::uint64_t bytes, bool is_unknown);

  const std::string& name() const { return name_; }
  std::span<std::uint8_t> bytes() { return {data_.get(), bytes_}; }
  std::span<const std::uint8_t> bytes() const { return {data_.get(), bytes_}; }
  std::uint64_t size() const { return bytes_; }
  // One byte per byte, not zero where it was written; null if all contents are known.
  std::uint8_t* written() const { return written_.get(); }
  bool is_known(std::uint64_t offset, std::uint64_t bytes) const;
  // From the host: these bytes are known from now on.
  void set_known(std::uint64_t offset, std::uint64_t bytes);
  bool has_memory() const { return data_ != nullptr; }

private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  using Zeros = std::unique_ptr<std::uint8_t[], Free>;
  static Zeros zeros(std::uint64_t bytes);

  std::string name_;
  std::uint64_t bytes_ = 0;
  Zeros data_;
  Zeros written_;
};

// .global and .const variables of one module, or their initial values.
struct ModuleVariables {
  std::vector<std::uint8_t> global;
  std::vector<std::uint8_t> constant;
};

// What says which module it is: the source of its text, held so that no other module gets its place.
using ModuleIdentity = std::shared_ptr<const void>;

struct StatedVariable {
  ModuleIdentity module;
  std::string name;
  std::vector<std::uint8_t> bytes; // of all of it
};

class DeviceMemory {
public:
  static constexpr std::uint64_t default_limit_bytes = std::uint64_t{8} << 30;

  explicit DeviceMemory(std::uint64_t limit_bytes = default_limit_bytes) : limit_bytes_(limit_bytes) {}

  // Buffers get the numbers 0, 1, ... that Argument::buffer names. Fails if all would exceed the limit.
  Expected<void> add_buffer(std::string name, std::uint64_t bytes, bool is_unknown);
  std::size_t buffer_count() const { return buffers_.size(); }
  Buffer& buffer(std::size_t number) { return buffers_[number]; }
  const Buffer& buffer(std::size_t number) const { return buffers_[number]; }

  // Textures and surfaces get the handles tasklist::image_handle(0), (1), ... Fails if one does not fit its
  // buffer.
  Expected<void> add_image(tasklist::Image image);
  const std::vector<tasklist::Image>& images() const { return images_; }

  DeviceHeap& heap() { return heap_; }
  // What the CTAs of a cooperative grid meet through.
  std::vector<std::uint8_t>& grid_workspace() { return grid_workspace_; }
  void clear_grid_workspace();
  void set_heap_bytes(std::uint64_t bytes) { heap_ = DeviceHeap(bytes); }

  // What the host copies to a .const or .global variable before anything runs.
  void state_variable(StatedVariable variable) { stated_.push_back(std::move(variable)); }
  const std::vector<StatedVariable>& stated_variables() const { return stated_; }
  bool has_variables(const ModuleIdentity& module) const { return variables_.contains(module); }
  // The variables of the module with this identity, made from the initial values at first.
  ModuleVariables& variables(const ModuleIdentity& module, const ModuleVariables& initial);

private:
  std::uint64_t limit_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::vector<Buffer> buffers_;
  DeviceHeap heap_;
  std::vector<std::uint8_t> grid_workspace_;
  std::vector<tasklist::Image> images_;
  std::map<ModuleIdentity, ModuleVariables> variables_;
  std::vector<StatedVariable> stated_;
};

} // namespace kerncast::functional
