// How often each value below `bins` occurs, counted in the shared memory of a cluster (compiled for sm_90):
// each CTA owns bins / CTAs of the bins, counts into those of all, and at last adds its own to the whole.
#include <cooperative_groups.h>

extern "C" __global__ void cluster_histogram(const int* in, unsigned* out, int n, int bins) {
  extern __shared__ unsigned own[];
  namespace cg = cooperative_groups;
  const cg::cluster_group cluster = cg::this_cluster();
  const int per_cta = bins / (int)cluster.num_blocks();
  for (int i = threadIdx.x; i < per_cta; i += blockDim.x)
    own[i] = 0;
  cluster.sync(); // nobody counts before all bins are empty
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = in[i];
    unsigned* const there = cluster.map_shared_rank(own, bin / per_cta);
    atomicAdd(there + bin % per_cta, 1u);
  }
  cluster.sync(); // nobody leaves, or reads, before all have counted
  for (int i = threadIdx.x; i < per_cta; i += blockDim.x)
    atomicAdd(&out[cluster.block_rank() * per_cta + i], own[i]);
}
