// Special registers and parameters as lanes see them (PTX ISA, section 10).
#include "warp/constants.h"

namespace kerncast::warp {
namespace {

bool is_cta_number(Special s) {
  return s == Special::ctaid_x || s == Special::ctaid_y || s == Special::ctaid_z;
}
bool differs_by_warp(Special s) {
  return s == Special::tid_x || s == Special::tid_y || s == Special::tid_z || s == Special::warpid;
}

// The value of a special register that is the same for the whole launch, or differs by lane only.
std::uint32_t launch_value(Special special, const tasklist::Launch& launch, std::uint32_t lane) {
  const std::uint32_t own = std::uint32_t{1} << lane;
  switch (special) {
  case Special::ntid_x:
    return launch.block.x;
  case Special::ntid_y:
    return launch.block.y;
  case Special::ntid_z:
    return launch.block.z;
  case Special::nctaid_x:
    return launch.grid.x;
  case Special::nctaid_y:
    return launch.grid.y;
  case Special::nctaid_z:
    return launch.grid.z;
  case Special::laneid:
    return lane;
  case Special::lanemask_eq:
    return own;
  case Special::lanemask_lt:
    return own - 1;
  case Special::lanemask_le:
    return own | (own - 1);
  case Special::lanemask_gt:
    return ~(own | (own - 1));
  case Special::lanemask_ge:
    return ~(own - 1);
  case Special::dynamic_smem_size:
    return launch.dynamic_shared_bytes;
  default:
    break;
  }
  assert(false && "CTA and warp numbers are filled elsewhere");
  return 0;
}

std::uint32_t thread_value(Special special, tasklist::Dim3 block, std::uint32_t thread) {
  switch (special) {
  case Special::tid_x:
    return thread % block.x;
  case Special::tid_y:
    return thread / block.x % block.y;
  case Special::tid_z:
    return thread / block.x / block.y;
  default:
    return thread / lanes_per_warp;
  }
}

std::uint64_t extend_sign(std::uint64_t bits, std::uint32_t bytes) {
  const std::uint32_t unused = 64 - 8 * bytes;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
}

} // namespace

ConstantFiller::ConstantFiller(const Program& program, const tasklist::Launch& launch,
                               const ParameterImage& parameters)
    : program_(program), launch_(launch), parameters_(parameters) {
  for (const ConstantSlot& c : program.constants) {
    if (c.kind != ConstantSlot::Kind::special)
      continue;
    auto& list = is_cta_number(c.special) ? per_cta_ : differs_by_warp(c.special) ? per_warp_ : per_launch_;
    list.push_back(c);
  }
}

void ConstantFiller::fill_parameter(LaneFile& file, const ConstantSlot& constant) const {
  const ParameterImage& image = parameters_;
  const std::uint32_t bytes = ptx::size_bytes(constant.parameter_type);
  std::uint64_t bits = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const std::size_t at = std::size_t{constant.parameter_offset} + i;
    if (at >= image.bytes.size() || !image.known[at]) {
      file.broadcast(constant.slot, 0, 0);
      return;
    }
    bits |= std::uint64_t{image.bytes[at]} << (8 * i);
  }
  if (ptx::is_signed(constant.parameter_type))
    bits = extend_sign(bits, bytes);
  file.broadcast(constant.slot, bits);
}

void ConstantFiller::fill_launch(LaneFile& file) const {
  for (const ConstantSlot& c : program_.constants) {
    if (c.kind == ConstantSlot::Kind::immediate)
      file.broadcast(c.slot, c.bits);
    else if (c.kind == ConstantSlot::Kind::parameter)
      fill_parameter(file, c);
  }
  for (const ConstantSlot& c : per_launch_) {
    for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
      file.lanes<std::uint32_t>(c.slot.index)[lane] = launch_value(c.special, launch_, lane);
    file.known(c.slot) = all_lanes;
  }
}

void ConstantFiller::fill_cta(LaneFile& file, tasklist::Dim3 cta) const {
  for (const ConstantSlot& c : per_cta_)
    file.broadcast(c.slot, c.special == Special::ctaid_x   ? cta.x
                           : c.special == Special::ctaid_y ? cta.y
                                                           : cta.z);
}

void ConstantFiller::fill_warp(LaneFile& file, std::uint32_t warp) const {
  for (const ConstantSlot& c : per_warp_) {
    auto& lanes = file.lanes<std::uint32_t>(c.slot.index);
    for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
      lanes[lane] = thread_value(c.special, launch_.block, warp * lanes_per_warp + lane);
    file.known(c.slot) = all_lanes;
  }
}

} // namespace kerncast::warp
