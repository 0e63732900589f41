// beta multiply-adds to one special function, over and over, in four chains (the instruction mix kernel of
// Volkov's dissertation, 2016, which has one).
#include <cstdint>

template <int beta> __device__ void mix(float* out, float seed, uint32_t trips) {
  constexpr int chains = 4, groups = 2; // of each chain
  float x[chains];
  for (int c = 0; c < chains; ++c)
    x[c] = seed + threadIdx.x + c;
#pragma unroll 1
  for (uint32_t i = 0; i < trips; ++i)
#pragma unroll
    for (int g = 0; g < groups; ++g) {
#pragma unroll
      for (int k = 0; k < beta; ++k)
        for (int c = 0; c < chains; ++c)
          asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(x[c]) : "f"(seed));
      for (int c = 0; c < chains; ++c)
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[c]));
    }
  out[threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

#define MIX(beta)                                                                                            \
  extern "C" __global__ void unit_mix_##beta(float* out, float seed, uint32_t trips) {                       \
    mix<beta>(out, seed, trips);                                                                             \
  }

MIX(1)
MIX(2)
MIX(4)
MIX(8)
MIX(16)
