// nvcc -arch=sm_90a
// Multiplies tiles of 32 x 32 floats, which bulk tensor copies bring to shared memory and back.
#include <cstdint>
#include <cuda.h>

extern "C" __global__ void scale_tiles(const __grid_constant__ CUtensorMap from,
                                       const __grid_constant__ CUtensorMap to, float factor) {
  __shared__ alignas(1024) float tile[32 * 32];
  __shared__ alignas(8) std::uint64_t barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" ::"r"(bar));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(at),
                 "l"(&from), "r"(x), "r"(y), "r"(bar)
                 : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar)
                 : "memory");
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    tile[i] *= factor;
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to),
                 "r"(x), "r"(y), "r"(at)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;");
  }
}
