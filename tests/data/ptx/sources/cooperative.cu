// Cooperative groups: tiles, coalesced groups, reductions, scans, block and grid synchronization.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void sum_by_tiles(const int* in, int* out, int n) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  int sum = 0;
  for (int i = block.thread_rank(); i < n; i += block.size())
    sum += in[i];
  sum = cg::reduce(tile, sum, cg::plus<int>());
  const int before = cg::exclusive_scan(tile, sum);
  if (tile.thread_rank() == 0)
    atomicAdd(out, sum + before);
  block.sync();
}

__global__ void count_odd(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 2 != 0) {
    const cg::coalesced_group odd = cg::coalesced_threads();
    if (odd.thread_rank() == 0)
      atomicAdd(out, static_cast<int>(odd.size()));
    out[1 + odd.meta_group_rank()] = odd.shfl(in[i], 0);
  }
}

__global__ void relax_over_grid(float* a, float* b, int n, int steps) {
  const cg::grid_group grid = cg::this_grid();
  for (int s = 0; s < steps; ++s) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      b[i] = 0.5f * (a[i] + a[i == 0 ? n - 1 : i - 1]);
    grid.sync();
    float* t = a;
    a = b;
    b = t;
  }
}
