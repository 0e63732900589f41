#include "functional/device_memory.h"

#include <algorithm>

#include <fmt/format.h>

#include "warp/cluster.h"

namespace kerncast::functional {

Buffer::Zeros Buffer::zeros(std::uint64_t bytes) {
  return Zeros(static_cast<std::uint8_t*>(std::calloc(std::max<std::uint64_t>(bytes, 1), 1)));
}

Buffer::Buffer(std::string name, std::uint64_t bytes, bool is_unknown)
    : name_(std::move(name)), bytes_(bytes), data_(zeros(bytes)),
      written_(is_unknown ? zeros(bytes) : nullptr) {}

bool Buffer::is_known(std::uint64_t offset, std::uint64_t bytes) const {
  return written_ == nullptr ||
         std::all_of(&written_[offset], &written_[offset] + bytes, [](std::uint8_t w) { return w != 0; });
}

void Buffer::set_known(std::uint64_t offset, std::uint64_t bytes) {
  if (written_ != nullptr)
    std::fill_n(&written_[offset], bytes, std::uint8_t{1});
}

Expected<void> DeviceMemory::add_buffer(std::string name, std::uint64_t bytes, bool is_unknown) {
  const std::uint64_t needed = is_unknown ? 2 * bytes : bytes;
  if (needed > limit_bytes_ - used_bytes_)
    return fail(
        fmt::format("buffer '{}' of {} bytes exceeds the memory for functional execution, {} bytes for all "
                    "buffers",
                    name, bytes, limit_bytes_),
        "make the buffers smaller");
  buffers_.emplace_back(std::move(name), bytes, is_unknown);
  if (!buffers_.back().has_memory())
    return fail(fmt::format("there is no memory for buffer '{}' of {} bytes", buffers_.back().name(), bytes),
                "make the buffers smaller");
  used_bytes_ += needed;
  return {};
}

Expected<void> DeviceMemory::add_image(tasklist::Image image) {
  if (image.buffer >= buffers_.size())
    return fail(fmt::format("texture '{}' has no buffer", image.name), "name one that there is");
  if (const auto problem = tasklist::problem_of(image, buffers_[image.buffer].size()))
    return fail(fmt::format("texture '{}': {}", image.name, problem->message), problem->note);
  images_.push_back(std::move(image));
  return {};
}

void DeviceMemory::clear_grid_workspace() { grid_workspace_.assign(warp::grid_workspace_bytes, 0); }

ModuleVariables& DeviceMemory::variables(const ModuleIdentity& module, const ModuleVariables& initial) {
  ModuleVariables& own = variables_[module];
  // A kernel with variables of its own in its body has some more than the module.
  const auto extend = [](std::vector<std::uint8_t>& to, const std::vector<std::uint8_t>& from) {
    if (to.size() < from.size())
      to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(to.size()), from.end());
  };
  extend(own.global, initial.global);
  extend(own.constant, initial.constant);
  return own;
}

} // namespace kerncast::functional
