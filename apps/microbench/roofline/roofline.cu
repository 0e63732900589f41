// From bound by memory to bound by arithmetic: a warp reads two arrays, and computes `depth` dependent
// multiply-adds for each pair of elements, with the factors of one pair in two.
#include <cstdint>

// A CTA has `rounds` rows of as many elements as it has threads; two rows a round keep two chains apart.
template <int depth>
__device__ void roofline(const float* __restrict__ a, const float* __restrict__ b, float* sums,
                         int32_t rounds) {
  const uint32_t first = threadIdx.x + blockIdx.x * blockDim.x * rounds;
  float sum = 0;
  for (int32_t row = 0; row < rounds; row += 2) {
    const uint32_t at = first + row * blockDim.x;
    const float a0 = a[at], b0 = b[at], a1 = a[at + blockDim.x], b1 = b[at + blockDim.x];
    float x0 = a0 - b0, x1 = a1 - b1;
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      x0 = x0 * a0 - b0;
      x1 = x1 * a0 - b0;
    }
    sum += x0 + x1;
  }
  if (threadIdx.x == 0)
    sums[0] = sum;
}

#define ROOFLINE(depth)                                                                                      \
  extern "C" __global__ void roofline_##depth(const float* __restrict__ a, const float* __restrict__ b,      \
                                              float* sums, int32_t rounds) {                                 \
    roofline<depth>(a, b, sums, rounds);                                                                     \
  }

ROOFLINE(0)
ROOFLINE(1)
ROOFLINE(24)
ROOFLINE(40)
ROOFLINE(56)
ROOFLINE(80)
