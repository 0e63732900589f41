// Special registers and parameters as lanes see them (PTX ISA, section 10).
#include "warp/constants.h"

#include "warp/cluster.h"

namespace kerncast::warp {
namespace {

bool is_cta_number(Special s) {
  switch (s) {
  case Special::ctaid_x:
  case Special::ctaid_y:
  case Special::ctaid_z:
  case Special::cluster_ctaid_x:
  case Special::cluster_ctaid_y:
  case Special::cluster_ctaid_z:
  case Special::clusterid_x:
  case Special::clusterid_y:
  case Special::clusterid_z:
  case Special::cluster_ctarank:
    return true;
  default:
    return false;
  }
}
bool differs_by_warp(Special s) {
  return s == Special::tid_x || s == Special::tid_y || s == Special::tid_z || s == Special::warpid;
}

std::uint32_t cta_value(Special special, tasklist::Dim3 cta, tasklist::Dim3 cluster) {
  switch (special) {
  case Special::ctaid_x:
    return cta.x;
  case Special::ctaid_y:
    return cta.y;
  case Special::ctaid_z:
    return cta.z;
  case Special::cluster_ctaid_x:
    return cta.x % cluster.x;
  case Special::cluster_ctaid_y:
    return cta.y % cluster.y;
  case Special::cluster_ctaid_z:
    return cta.z % cluster.z;
  case Special::clusterid_x:
    return cta.x / cluster.x;
  case Special::clusterid_y:
    return cta.y / cluster.y;
  case Special::clusterid_z:
    return cta.z / cluster.z;
  default:
    return rank_in_cluster(cta, cluster);
  }
}

// Of registers that say how clusters divide the grid.
std::optional<std::uint32_t> cluster_value(Special special, tasklist::Dim3 grid, tasklist::Dim3 cluster) {
  switch (special) {
  case Special::cluster_nctaid_x:
    return cluster.x;
  case Special::cluster_nctaid_y:
    return cluster.y;
  case Special::cluster_nctaid_z:
    return cluster.z;
  case Special::nclusterid_x:
    return grid.x / cluster.x;
  case Special::nclusterid_y:
    return grid.y / cluster.y;
  case Special::nclusterid_z:
    return grid.z / cluster.z;
  case Special::cluster_nctarank:
    return static_cast<std::uint32_t>(cluster.count());
  default:
    return std::nullopt;
  }
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
    : program_(program), launch_(launch), parameters_(parameters), cluster_(cluster_of(program, launch)) {
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
  bool is_known = true; // of a structure some bytes may not be: they are zeros
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const std::size_t at = std::size_t{constant.parameter_offset} + i;
    is_known = is_known && at < image.bytes.size() && image.known[at];
    bits |= at < image.bytes.size() ? std::uint64_t{image.bytes[at]} << (8 * i) : 0;
  }
  if (ptx::is_signed(constant.parameter_type))
    bits = extend_sign(bits, bytes);
  file.broadcast(constant.slot, bits, is_known ? all_lanes : 0);
}

void ConstantFiller::fill_launch(LaneFile& file) const {
  for (const ConstantSlot& c : program_.constants) {
    if (c.kind == ConstantSlot::Kind::immediate)
      file.broadcast(c.slot, c.bits);
    else if (c.kind == ConstantSlot::Kind::parameter)
      fill_parameter(file, c);
  }
  for (const ConstantSlot& c : per_launch_) {
    if (const auto value = cluster_value(c.special, launch_.grid, cluster_)) {
      file.broadcast(c.slot, *value);
      continue;
    }
    for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
      file.lanes<std::uint32_t>(c.slot.index)[lane] = launch_value(c.special, launch_, lane);
    file.known(c.slot) = all_lanes;
  }
}

void ConstantFiller::fill_cta(LaneFile& file, tasklist::Dim3 cta) const {
  for (const ConstantSlot& c : per_cta_)
    file.broadcast(c.slot, cta_value(c.special, cta, cluster_));
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
