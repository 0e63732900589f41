// Chains of atomic additions that wait for one another, in global and in shared memory: all lanes at one
// address (stride 0), or each lane at its own, `stride` words from its neighbour's.
#include <cstdint>

extern "C" __global__ void add_global(uint32_t* words, uint32_t* out, uint32_t stride, uint32_t trips) {
  uint32_t* const at = words + threadIdx.x * stride;
  uint32_t sum = 1;
#pragma unroll 1
  for (uint32_t i = 0; i < trips; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(sum) : "l"(at) : "memory");
  out[threadIdx.x] = sum;
}

extern "C" __global__ void add_shared(uint32_t* out, uint32_t stride, uint32_t trips) {
  __shared__ uint32_t words[1024];
  for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x)
    words[i] = 0;
  __syncthreads();
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(words + threadIdx.x * stride % 1024));
  uint32_t sum = 1;
#pragma unroll 1
  for (uint32_t i = 0; i < trips; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(sum) : "r"(at) : "memory");
  out[threadIdx.x] = sum;
}
