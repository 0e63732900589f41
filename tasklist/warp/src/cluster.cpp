#include "warp/cluster.h"

#include <algorithm>

#include <fmt/format.h>

#include "lane_loops.h"
#include "select_operation.h"
#include "warp/program.h"

namespace kerncast::warp {
namespace {

using ptx::Type;

template <class T> struct MapAddress {
  T operator()(T address, std::uint32_t rank) const { return static_cast<T>(cluster_address(address, rank)); }
};

bool has_extent(tasklist::Dim3 cluster) { return cluster.count() > 0; }

std::string text_of(tasklist::Dim3 d) { return fmt::format("{}x{}x{}", d.x, d.y, d.z); }

} // namespace

tasklist::Dim3 cluster_of(const Program& program, const tasklist::Launch& launch) {
  return has_extent(program.required_cluster) ? program.required_cluster
                                              : launch.cluster.value_or(tasklist::Dim3{1, 1, 1});
}

Region grid_workspace_region(std::uint32_t address_bits) {
  return {heap_region(address_bits).base - grid_workspace_bytes, grid_workspace_bytes};
}

std::uint64_t grid_workspace(const Program& program, const tasklist::Launch& launch) {
  const bool reads_it = std::ranges::any_of(program.constants, [](const ConstantSlot& c) {
    return c.kind == ConstantSlot::Kind::special &&
           (c.special == Special::envreg1 || c.special == Special::envreg2);
  });
  const bool meets_clusters = std::ranges::any_of(program.barriers, [](const BarrierOp& b) {
    return b.kind == BarrierOp::Kind::cluster_arrive || b.kind == BarrierOp::Kind::cluster_wait;
  });
  const bool fits = !meets_clusters && launch.grid.count() <= max_ctas_of_cooperative_grid &&
                    !states_cluster(program, launch);
  return reads_it && fits ? grid_workspace_region(program.address_bits).base : 0;
}

bool states_cluster(const Program& program, const tasklist::Launch& launch) {
  return has_extent(program.required_cluster) || launch.cluster;
}

Expected<void> check_cluster(const Program& program, const tasklist::Launch& launch) {
  const tasklist::Dim3 required = program.required_cluster, cluster = cluster_of(program, launch);
  if (program.blocks_are_clusters)
    return fail(fmt::format("kernel {} has .blocksareclusters, which is not supported", program.kernel),
                "leave the directive out and give the grid in CTAs");
  if (has_extent(required) && launch.cluster && *launch.cluster != required)
    return fail(fmt::format("kernel {} requires clusters of {} CTAs, not {}", program.kernel,
                            text_of(required), text_of(*launch.cluster)),
                "leave out the launch's cluster");
  if (!has_extent(cluster) || cluster.count() > max_ctas_per_cluster)
    return fail(fmt::format("a cluster of {} CTAs does not exist", text_of(cluster)),
                fmt::format("a cluster has 1 to {} CTAs", max_ctas_per_cluster));
  const tasklist::Dim3 grid = launch.grid;
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return fail(fmt::format("a grid of {} CTAs is no multiple of kernel {}'s clusters of {}", text_of(grid),
                            program.kernel, text_of(cluster)),
                "launch whole clusters");
  return {};
}

// mapa{.shared::cluster}.u32|.u64 d, a, rank
std::optional<Selection> select_cluster(const InstructionForm& form) {
  if (form.opcode != ptx::Opcode::mapa)
    return std::nullopt;
  Selection selection;
  const bool is_wide = form.type() == Type::u64;
  selection.apply = is_wide ? binary<std::uint64_t, std::uint64_t, std::uint32_t, MapAddress<std::uint64_t>>
                            : binary<std::uint32_t, std::uint32_t, std::uint32_t, MapAddress<std::uint32_t>>;
  selection.result = form.type();
  selection.sources = {form.type(), Type::u32, Type::none, Type::none};
  selection.source_count = 2;
  return selection;
}

} // namespace kerncast::warp
