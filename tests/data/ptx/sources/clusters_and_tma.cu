// Thread block clusters, distributed shared memory, bulk and tensor copies, and warpgroup matrix instructions.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void __cluster_dims__(4, 1, 1) neighbours(const int* in, int* out) {
  __shared__ int mine[128];
  const cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  cluster.sync();
  const int* theirs = cluster.map_shared_rank(mine, (cluster.block_rank() + 1) % 4);
  out[blockIdx.x * 128 + threadIdx.x] = theirs[threadIdx.x];
  cluster.sync();
}

__global__ void bulk(const float* in, float* out) {
  __shared__ alignas(128) float tile[1024];
  __shared__ barrier ready;
  if (threadIdx.x == 0) {
    init(&ready, blockDim.x);
    cuda::ptx::fence_proxy_async();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, in, sizeof(tile),
                             cuda::device::barrier_native_handle(ready));
    token = cuda::device::barrier_arrive_tx(ready, 1, sizeof(tile));
  } else {
    token = ready.arrive();
  }
  ready.wait(std::move(token));
  tile[threadIdx.x] *= 2.0f;
  cuda::ptx::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out, tile, sizeof(tile));
    cuda::ptx::cp_async_bulk_commit_group();
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
  }
}

__global__ void tensor_copy(const void* map, int x, int y, int* out) {
  __shared__ alignas(128) int tile[32][32];
  __shared__ unsigned long long mbarrier;
  const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&mbarrier));
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(4096));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred done;\nagain: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again; }" ::"r"(bar), "r"(0) : "memory");
  out[threadIdx.x] = tile[threadIdx.x][0];
}

__global__ void warpgroup(float* out, unsigned long long a, unsigned long long b) {
  float d[4] = {0, 0, 0, 0};
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("{ .reg .pred add; setp.ne.b32 add, %6, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, add, 1, 1, 0, 0; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b), "r"(1));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
  asm volatile("setmaxnreg.dec.sync.aligned.u32 64;");
  for (int i = 0; i < 4; ++i)
    out[4 * threadIdx.x + i] = d[i];
}

__global__ void dependent_launch(int* out) {
  cudaGridDependencySynchronize();
  out[threadIdx.x] += 1;
  cudaTriggerProgrammaticLaunchCompletion();
}
