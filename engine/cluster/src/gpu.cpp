#include "cluster/gpu.h"

#include <algorithm>

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>

#include "serialize.h"
#include "windows.h"

namespace kerncast::cluster {
namespace {

using pdes::GpuMessage;
using pdes::GpuResult;
using pdes::SharedGpuResult;

// Every process from the rank that has it.
GpuResult merge(const std::vector<GpuResult>& of_rank, const pdes::GpuSurroundings& gpu) {
  const auto ranks = static_cast<std::uint32_t>(of_rank.size());
  const pdes::Placement placement{ranks, 1};
  GpuResult all;
  for (std::uint32_t i = 0; i < gpu.sms; ++i) {
    all.sms.push_back(of_rank[placement.rank_of(i)].sms[i]);
    all.ctas.push_back(of_rank[placement.rank_of(i)].ctas[i]);
  }
  for (std::uint32_t i = 0; i < gpu.slices; ++i)
    all.slices.push_back(of_rank[placement.rank_of(gpu.sms + i)].slices[i]);
  for (const GpuResult& one : of_rank) {
    all.cycles = std::max(all.cycles, one.cycles);
    all.caches.add(one.caches);
    all.statistics.add(one.statistics);
  }
  return all;
}

SharedGpuResult merge(const std::vector<SharedGpuResult>& of_rank, const pdes::GpuSurroundings& gpu) {
  std::vector<GpuResult> all;
  SharedGpuResult merged{of_rank.front().kernels, {}};
  for (const SharedGpuResult& one : of_rank) {
    all.push_back(one.all);
    for (std::size_t k = 0; k < merged.kernels.size(); ++k) {
      merged.kernels[k].begin = std::min(merged.kernels[k].begin, one.kernels[k].begin);
      merged.kernels[k].end = std::max(merged.kernels[k].end, one.kernels[k].end);
    }
  }
  merged.all = merge(all, gpu);
  return merged;
}

// Of all ranks, on the root. `simulate` has this rank's processes.
template <class Simulate>
auto on_all_ranks(const Cluster& cluster, const pdes::GpuSurroundings& gpu, std::size_t threads,
                  const Simulate& simulate) {
  parallel::Team team(threads);
  auto mine = simulate(execution_on<GpuMessage>(cluster, team));
  if (cluster.ranks() == 1)
    return mine;
  std::vector<decltype(mine)> all;
  boost::mpi::gather(boost::mpi::communicator(), mine, all, 0);
  return cluster.is_root() ? merge(all, gpu) : decltype(mine){};
}

} // namespace

GpuResult simulate_gpu(const Cluster& cluster, const pdes::GpuWorkload& workload, std::size_t threads,
                       pdes::L2Contents* l2) {
  return on_all_ranks(cluster, workload.surroundings, threads,
                      [&](const auto& execution) { return pdes::simulate_gpu(workload, execution, l2); });
}

SharedGpuResult simulate_shared_gpu(const Cluster& cluster, const pdes::SharedGpuWorkload& workload,
                                    std::size_t threads, pdes::L2Contents* l2) {
  return on_all_ranks(cluster, workload.surroundings, threads, [&](const auto& execution) {
    return pdes::simulate_shared_gpu(workload, execution, l2);
  });
}

} // namespace kerncast::cluster
