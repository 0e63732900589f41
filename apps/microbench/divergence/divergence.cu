// Four branches of equal work; `together` neighbouring threads of a CTA take the same one (Lemeire et al.,
// Microbenchmarks for GPU characteristics, 2016, Fig. 5).
#include <cstdint>

// More instructions than a compiler predicates, in chains enough for one warp to fill its unit. Branches
// differ in a factor so that they stay apart.
template <int branch> __device__ float work(float seed, uint32_t trips) {
  constexpr int chains = 8;
  float x[chains];
  for (int c = 0; c < chains; ++c)
    x[c] = seed + c;
#pragma unroll 1
  for (uint32_t i = 0; i < trips; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      for (int c = 0; c < chains; ++c)
        asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(x[c]) : "f"(1.0F + branch));
  float sum = 0;
  for (int c = 0; c < chains; ++c)
    sum += x[c];
  return sum;
}

extern "C" __global__ void diverge(float* out, float seed, uint32_t together, uint32_t trips) {
  float x = seed;
  switch (threadIdx.x / together % 4) {
  case 0:
    x = work<0>(x, trips);
    break;
  case 1:
    x = work<1>(x, trips);
    break;
  case 2:
    x = work<2>(x, trips);
    break;
  default:
    x = work<3>(x, trips);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
