// Special registers and parameters as lanes see them (PTX ISA, section 10).
#include "warp/constants.h"

#include <array>
#include <optional>

#include "ptx_parser/extension.h"
#include "warp/cluster.h"

namespace kerncast::warp {
namespace {

// What registers are made from that are the same for all threads of a CTA.
struct Places {
  tasklist::Dim3 block, grid, cluster, cta;
};

tasklist::Dim3 quotients(tasklist::Dim3 a, tasklist::Dim3 b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }
tasklist::Dim3 remainders(tasklist::Dim3 a, tasklist::Dim3 b) { return {a.x % b.x, a.y % b.y, a.z % b.z}; }

// Registers of three parts, whose x, y and z follow each other in Special.
struct TripleRow {
  Special x;
  bool differs_by_cta;
  tasklist::Dim3 (*value)(const Places& places);
};
constexpr TripleRow triples[] = {
    {Special::ntid_x, false, [](const Places& p) { return p.block; }},
    {Special::nctaid_x, false, [](const Places& p) { return p.grid; }},
    {Special::cluster_nctaid_x, false, [](const Places& p) { return p.cluster; }},
    {Special::nclusterid_x, false, [](const Places& p) { return quotients(p.grid, p.cluster); }},
    {Special::ctaid_x, true, [](const Places& p) { return p.cta; }},
    {Special::cluster_ctaid_x, true, [](const Places& p) { return remainders(p.cta, p.cluster); }},
    {Special::clusterid_x, true, [](const Places& p) { return quotients(p.cta, p.cluster); }}};

// x, y or z of the row: 0 to 2, else more.
std::uint32_t part_of(const TripleRow& row, Special special) {
  return static_cast<std::uint32_t>(special) - static_cast<std::uint32_t>(row.x);
}

const TripleRow* find_triple(Special special) {
  for (const TripleRow& row : triples)
    if (part_of(row, special) < 3)
      return &row;
  return nullptr;
}

std::optional<std::uint32_t> triple_value(Special special, const Places& places) {
  const TripleRow* row = find_triple(special);
  if (row == nullptr)
    return std::nullopt;
  const tasklist::Dim3 value = row->value(places);
  return std::array{value.x, value.y, value.z}[part_of(*row, special)];
}

bool is_cta_number(Special s) {
  const TripleRow* row = find_triple(s);
  return s == Special::cluster_ctarank || (row != nullptr && row->differs_by_cta);
}
bool differs_by_warp(Special s) {
  return s == Special::tid_x || s == Special::tid_y || s == Special::tid_z || s == Special::warpid;
}

// The value of a special register that is the same for the whole launch, or differs by lane only.
std::uint32_t launch_value(Special special, const Program& program, const tasklist::Launch& launch,
                           std::uint32_t lane) {
  const std::uint32_t own = std::uint32_t{1} << lane;
  switch (special) {
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
  case Special::total_smem_size:
    return static_cast<std::uint32_t>(program.memory.shared.bytes) + launch.dynamic_shared_bytes;
  case Special::envreg1:
    return static_cast<std::uint32_t>(grid_workspace(program, launch) >> 32);
  case Special::envreg2:
    return static_cast<std::uint32_t>(grid_workspace(program, launch));
  case Special::cluster_nctarank:
    return static_cast<std::uint32_t>(cluster_of(program, launch).count());
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
  file.broadcast(constant.slot, ptx::extended(bits, constant.parameter_type), is_known ? all_lanes : 0);
}

void ConstantFiller::fill_launch(LaneFile& file) const {
  for (const ConstantSlot& c : program_.constants) {
    if (c.kind == ConstantSlot::Kind::immediate)
      file.broadcast(c.slot, c.bits);
    else if (c.kind == ConstantSlot::Kind::parameter)
      fill_parameter(file, c);
  }
  for (const ConstantSlot& c : per_launch_) {
    if (c.special == Special::is_explicit_cluster) {
      file.broadcast(c.slot, states_cluster(program_, launch_) ? 1 : 0);
      continue;
    }
    if (const auto value = triple_value(c.special, {launch_.block, launch_.grid, cluster_, {}})) {
      file.broadcast(c.slot, *value);
      continue;
    }
    for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
      file.lanes<std::uint32_t>(c.slot.index)[lane] = launch_value(c.special, program_, launch_, lane);
    file.known(c.slot) = all_lanes;
  }
}

void ConstantFiller::fill_cta(LaneFile& file, tasklist::Dim3 cta) const {
  const Places places{launch_.block, launch_.grid, cluster_, cta};
  for (const ConstantSlot& c : per_cta_)
    file.broadcast(c.slot, triple_value(c.special, places).value_or(rank_in_cluster(cta, cluster_)));
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
