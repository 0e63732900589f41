// nvcc -arch=sm_90a
// Convolves images of 16 channels with a window of 3 x 3 and one weight for each of its places: sums of columns of
// pixels, which bulk tensor copies in im2col mode bring. A CTA has 32 output pixels, of each a thread all channels.
#include <cstdint>
#include <cuda.h>

extern "C" __global__ void convolve(const __grid_constant__ CUtensorMap images, const float* weights, float* out,
                                    int width, int height, int pixels) {
  __shared__ alignas(128) float column[32 * 16];
  __shared__ alignas(8) std::uint64_t barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(column));
  const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  const int first = blockIdx.x * 32;
  // The window's corner at the first output pixel.
  const int w = first % width - 1, h = first / width % height - 1, n = first / width / height;
  float sums[16] = {};
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
  for (int place = 0; place < 9; ++place) {
    __syncthreads();
    if (threadIdx.x == 0) {
      const std::uint16_t dw = place % 3, dh = place / 3;
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 2048;" ::"r"(bar));
      asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                   "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(at),
                   "l"(&images), "r"(0), "r"(w), "r"(h), "r"(n), "r"(bar), "h"(dw), "h"(dh)
                   : "memory");
    }
    unsigned done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(bar), "r"(place & 1)
                   : "memory");
    for (int c = 0; c < 16; ++c)
      sums[c] += weights[place] * column[threadIdx.x * 16 + c];
  }
  if (first + static_cast<int>(threadIdx.x) < pixels)
    for (int c = 0; c < 16; ++c)
      out[(first + threadIdx.x) * 16 + c] = sums[c];
}
