// Reads and writes what L2 holds, past L1: every CTA goes through `count` words of 16 bytes `passes` times,
// each from a place of its own on. `count` is a multiple of the threads of a CTA.
#include <cstdint>

static __device__ uint4 load_past_l1(const uint4* word) {
  uint4 value;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(word));
  return value;
}

extern "C" __global__ void read_l2(const uint4* words, uint32_t count, uint32_t* out, uint32_t passes) {
  const uint32_t first = blockIdx.x * blockDim.x % count + threadIdx.x;
  uint32_t sum = 0;
#pragma unroll 1
  for (uint32_t pass = 0; pass < passes; ++pass)
#pragma unroll 4
    for (uint32_t k = 0; k < count; k += blockDim.x) {
      const uint32_t i = first + k < count ? first + k : first + k - count;
      sum += load_past_l1(words + i).x;
    }
  if (sum == 0xdeadbeef) // none is
    out[0] = sum;
}

// Writes what L2 holds, in the same order.
extern "C" __global__ void write_l2(uint4* words, uint32_t count, uint32_t passes) {
  const uint32_t first = blockIdx.x * blockDim.x % count + threadIdx.x;
#pragma unroll 1
  for (uint32_t pass = 0; pass < passes; ++pass)
#pragma unroll 4
    for (uint32_t k = 0; k < count; k += blockDim.x) {
      const uint32_t i = first + k < count ? first + k : first + k - count;
      asm volatile("st.global.cg.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(words + i), "r"(pass));
    }
}

// Copies one half of what L2 holds into the other.
extern "C" __global__ void copy_l2(const uint4* words, uint4* copies, uint32_t count, uint32_t passes) {
  const uint32_t first = blockIdx.x * blockDim.x % count + threadIdx.x;
#pragma unroll 1
  for (uint32_t pass = 0; pass < passes; ++pass)
#pragma unroll 4
    for (uint32_t k = 0; k < count; k += blockDim.x) {
      const uint32_t i = first + k < count ? first + k : first + k - count;
      const uint4 value = load_past_l1(words + i);
      asm volatile("st.global.cg.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(copies + i), "r"(value.x),
                   "r"(value.y), "r"(value.z), "r"(value.w));
    }
}
