// Thread-block clusters: which CTAs form one, and where they see each other's shared memory (PTX ISA,
// sections 2.2.2, cluster of CTAs, and 9.7.9.22, mapa).
//
// The shared memory of each CTA of a cluster has a window of its own beside the one at 0, in which every CTA
// has its own. Addresses in windows fit 32 bits.
#pragma once

#include <cstdint>

#include "support/diagnostics.h"
#include "tasklist/launch.h"
#include "warp/memory_map.h"

namespace kerncast::warp {

struct Program;

// The cluster that the kernel requires, else that of the launch, else one CTA.
tasklist::Dim3 cluster_of(const Program& program, const tasklist::Launch& launch);
// Whether one of them says what it is, even if it is one CTA.
bool states_cluster(const Program& program, const tasklist::Launch& launch);
// Fails where the launch contradicts the kernel or the grid is no multiple of the cluster.
Expected<void> check_cluster(const Program& program, const tasklist::Launch& launch);

// What the CTAs of a cooperative grid meet through, by an address in %envreg1 and %envreg2 (CUDA's
// cooperative_groups headers): a kernel that reads them is taken to be launched so, unless its grid has more
// CTAs than any device holds at a time, or clusters. Null if it is not.
std::uint64_t grid_workspace(const Program& program, const tasklist::Launch& launch);
Region grid_workspace_region(std::uint32_t address_bits);
inline constexpr std::uint64_t grid_workspace_bytes = 256;
inline constexpr std::uint64_t max_ctas_of_cooperative_grid = 8192;

// Number of a CTA in its cluster.
inline std::uint32_t rank_in_cluster(tasklist::Dim3 cta, tasklist::Dim3 cluster) {
  return cta.x % cluster.x + cluster.x * (cta.y % cluster.y + cluster.y * (cta.z % cluster.z));
}

inline constexpr std::uint32_t max_ctas_per_cluster = 16;
inline constexpr std::uint64_t first_cluster_window = std::uint64_t{1} << 28;
inline constexpr std::uint64_t cluster_window_bytes = std::uint64_t{1} << 25;

inline bool is_cluster_address(std::uint64_t address) {
  return address - first_cluster_window < max_ctas_per_cluster * cluster_window_bytes;
}
// Of an address for which is_cluster_address holds.
inline std::uint32_t cluster_rank(std::uint64_t address) {
  return static_cast<std::uint32_t>((address - first_cluster_window) / cluster_window_bytes);
}
// Where in its CTA's shared memory an address lies.
inline std::uint64_t shared_offset(std::uint64_t address) {
  return is_cluster_address(address) ? (address - first_cluster_window) % cluster_window_bytes : address;
}
// The same place in the shared memory of another CTA; nowhere for a rank that no cluster has.
inline std::uint64_t cluster_address(std::uint64_t address, std::uint32_t rank) {
  const std::uint32_t window = rank < max_ctas_per_cluster ? rank : max_ctas_per_cluster;
  return first_cluster_window + window * cluster_window_bytes + shared_offset(address);
}

} // namespace kerncast::warp
