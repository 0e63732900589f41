#include "address_space.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "warp/cluster.h"

namespace kerncast::functional {
namespace {

using ptx::Space;

bool is_inside(std::uint64_t address, const warp::Region& region) {
  return address - region.base < region.bytes;
}

// With addresses of 32 bits buffers lie there, and there are no clusters.
bool has_windows(const warp::Program& program) { return program.address_bits == 64; }

// `stated`: null if all are taken as they are.
Window parameter_window(const warp::Region& region, std::vector<std::uint8_t>& bytes,
                        std::vector<std::uint8_t>* stated) {
  const bool is_checked = stated != nullptr && !stated->empty();
  return {region.base, bytes.size(), bytes.data(), is_checked ? stated->data() : nullptr, true};
}

Window window_in_cluster(std::uint64_t address, const ClusterMember& member) {
  return {address - warp::shared_offset(address), member.shared->size(), member.shared->data()};
}

} // namespace

AddressSpace::AddressSpace(const warp::Program& program, DeviceMemory& memory, ModuleVariables& variables,
                           const warp::ParameterImage& parameters, std::uint64_t dynamic_shared_bytes,
                           bool any_contents)
    : program_(program), memory_(memory), variables_(variables), parameters_(parameters.bytes),
      shared_(program.memory.shared.bytes + dynamic_shared_bytes), any_contents_(any_contents) {
  if (std::find(parameters.known.begin(), parameters.known.end(), false) != parameters.known.end())
    stated_parameters_.assign(parameters.known.begin(), parameters.known.end());
}

Window AddressSpace::window_of(const warp::Region& region, std::vector<std::uint8_t>& bytes,
                               bool is_read_only) const {
  return {region.base, bytes.size(), bytes.data(), nullptr, is_read_only};
}

Window AddressSpace::find(std::uint64_t address, Space space) {
  if (const ClusterMember* member = member_at(address))
    return space == Space::generic && !member->has_left ? window_in_cluster(address, *member) : Window{};
  if (!warp::is_buffer_address(address, program_.address_bits))
    return find_variable(address, space);
  return space == Space::generic || space == Space::global ? buffer_window(address) : Window{};
}

Window AddressSpace::buffer_window(std::uint64_t address) {
  const std::uint64_t number = warp::buffer_at(address, program_.address_bits);
  if (number >= memory_.buffer_count())
    return {};
  Buffer& buffer = memory_.buffer(number);
  return {warp::buffer_address(static_cast<std::uint32_t>(number), program_.address_bits),
          buffer.size(),
          buffer.bytes().data(),
          any_contents_ ? nullptr : buffer.written(),
          false,
          watched_ != nullptr && (*watched_)[number]};
}

Window AddressSpace::find_variable(std::uint64_t address, Space space) {
  const warp::MemoryMap& map = program_.memory;
  const auto may_be = [space](Space wanted) { return space == Space::generic || space == wanted; };
  if (address < shared_.size())
    return may_be(Space::shared) ? window_of(map.shared, shared_, false) : Window{};
  if (is_inside(address, map.global))
    return may_be(Space::global) ? window_of(map.global, variables_.global, false) : Window{};
  if (is_inside(address, map.constant) && may_be(Space::constant))
    return window_of(map.constant, variables_.constant, true);
  if (is_inside(address, map.parameter) && may_be(Space::param))
    return parameter_window(map.parameter, parameters_, any_contents_ ? nullptr : &stated_parameters_);
  return may_be(Space::global) ? find_of_driver(address) : Window{};
}

// What no buffer or variable is: blocks of the heap, and the workspace of a cooperative grid.
Window AddressSpace::find_of_driver(std::uint64_t address) {
  const warp::Region workspace = warp::grid_workspace_region(program_.address_bits);
  if (is_inside(address, workspace))
    return window_of(workspace, memory_.grid_workspace(), false);
  return is_in_heap(address) ? heap_window(address) : Window{};
}

bool AddressSpace::is_in_heap(std::uint64_t address) const {
  return is_inside(address, warp::heap_region(program_.address_bits));
}

Window AddressSpace::heap_window(std::uint64_t address) {
  const std::uint64_t base = warp::heap_region(program_.address_bits).base;
  DeviceHeap& heap = memory_.heap();
  const auto block = heap.block_at(address - base);
  if (!block)
    return {};
  return {base + block->offset, block->bytes, heap.data() + block->offset,
          any_contents_ ? nullptr : heap.written() + block->offset};
}

std::uint64_t AddressSpace::allocate(std::uint64_t bytes) {
  const warp::Region region = warp::heap_region(program_.address_bits);
  const auto offset = memory_.heap().allocate(bytes, region.bytes);
  return offset ? region.base + *offset : 0;
}

bool AddressSpace::release(std::uint64_t address) {
  return is_in_heap(address) &&
         memory_.heap().release(address - warp::heap_region(program_.address_bits).base);
}

const ClusterMember* AddressSpace::member_at(std::uint64_t address) const {
  if (cluster_ == nullptr || !has_windows(program_) || !warp::is_cluster_address(address))
    return nullptr;
  const std::uint32_t rank = warp::cluster_rank(address);
  return rank < cluster_->members.size() ? &cluster_->members[rank] : nullptr;
}

BufferPlace AddressSpace::buffer_place(std::uint64_t address) const {
  const std::uint64_t number = warp::buffer_at(address, program_.address_bits);
  return {number, address - warp::buffer_address(static_cast<std::uint32_t>(number), program_.address_bits)};
}

const warp::OpaqueVariable* AddressSpace::variable_at(std::uint64_t handle) const {
  const auto found = std::find_if(program_.opaque.begin(), program_.opaque.end(),
                                  [&](const warp::OpaqueVariable& v) { return v.address == handle; });
  return found == program_.opaque.end() ? nullptr : &*found;
}

const tasklist::Image* AddressSpace::image(std::uint64_t handle) const {
  const std::vector<tasklist::Image>& images = memory_.images();
  if (handle >= tasklist::first_image_handle) {
    const std::uint64_t number = handle - tasklist::first_image_handle;
    return number < images.size() ? &images[number] : nullptr;
  }
  const warp::OpaqueVariable* variable = variable_at(handle);
  const auto named = std::find_if(images.begin(), images.end(), [&](const tasklist::Image& i) {
    return variable != nullptr && i.name == variable->name;
  });
  return named == images.end() ? nullptr : &*named;
}

std::optional<tasklist::Sampler> AddressSpace::sampler(std::uint64_t handle) const {
  if (const tasklist::Image* of = image(handle))
    return of->sampler;
  const warp::OpaqueVariable* variable = variable_at(handle);
  return variable == nullptr ? std::nullopt : variable->sampler;
}

std::uint64_t AddressSpace::image_address(const tasklist::Image& image) const {
  return warp::buffer_address(image.buffer, program_.address_bits) + image.offset;
}

std::optional<tasklist::TensorMap> AddressSpace::tensor_map(std::uint64_t address) {
  const Window window = find(address, Space::generic);
  const std::uint64_t offset = address - window.base;
  if (window.data == nullptr || offset >= window.bytes || window.bytes - offset < tasklist::TensorMap::bytes)
    return std::nullopt;
  tasklist::TensorMap map;
  std::memcpy(&map, window.data + offset, tasklist::TensorMap::bytes);
  return tasklist::check_tensor_map(map) ? std::optional(map) : std::nullopt;
}

std::string AddressSpace::name_at(std::uint64_t handle) const {
  const warp::OpaqueVariable* variable = variable_at(handle);
  return variable == nullptr ? "" : fmt::format(", the variable '{}'", variable->name);
}

std::string AddressSpace::describe_in_cluster(std::uint64_t address) const {
  const ClusterMember* member = member_at(address);
  const char* what = member == nullptr  ? ", which the cluster does not have"
                     : member->has_left ? ", which has left the kernel"
                                        : "";
  return fmt::format("shared {:#x} of the cluster's CTA {}{}", warp::shared_offset(address),
                     warp::cluster_rank(address), what);
}

std::string AddressSpace::describe_in_heap(std::uint64_t address) const {
  const std::uint64_t offset = address - warp::heap_region(program_.address_bits).base;
  const auto block = memory_.heap().block_at(offset);
  return block ? fmt::format("address {:#x}, byte {} of {} from malloc", address, offset - block->offset,
                             block->bytes)
               : fmt::format("address {:#x} of the heap, in no block from malloc", address);
}

std::string AddressSpace::describe(std::uint64_t address) const {
  if (is_in_heap(address))
    return describe_in_heap(address);
  if (has_windows(program_) && warp::is_cluster_address(address))
    return describe_in_cluster(address);
  if (!warp::is_buffer_address(address, program_.address_bits))
    return fmt::format("address {:#x}", address);
  const auto [number, offset] = buffer_place(address);
  if (number >= memory_.buffer_count())
    return fmt::format("address {:#x}", address);
  const Buffer& buffer = memory_.buffer(number);
  // Beyond the middle of the gap, it is the next buffer that was missed.
  if (offset > warp::buffer_stride(program_.address_bits) / 2 && number + 1 < memory_.buffer_count())
    return fmt::format("address {:#x}, {} bytes before buffer '{}'", address,
                       warp::buffer_stride(program_.address_bits) - offset,
                       memory_.buffer(number + 1).name());
  return fmt::format("address {:#x}, byte {} of buffer '{}' ({} bytes)", address, offset, buffer.name(),
                     buffer.size());
}

} // namespace kerncast::functional
