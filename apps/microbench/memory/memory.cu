// Walks through memory along stored addresses, each load waiting for the one before it (Mei and Chu,
// Dissecting GPU memory hierarchy through microbenchmarking, the fine-grained form of Saavedra's walk), and
// loads of shared memory that conflict.
#include <cstdint>

// One cycle through all cells, there and back: the first word of cell i leads to that of cell
// (i + step) mod count, the second one to the second of (i - step) mod count; step and count have no common
// divisor. Cells are `words` words of 8 bytes apart, at least four. Of each the first 32 bytes are written,
// so that a cache has all of a sector that is read, or nothing.
extern "C" __global__ void link(uint64_t* cells, uint32_t count, uint32_t step, uint32_t words) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const uint32_t next = i + step < count ? i + step : i + step - count;
  const uint32_t previous = i >= step ? i - step : i + (count - step);
  uint64_t* cell = cells + static_cast<uint64_t>(i) * words;
  const auto address = [&](uint32_t of, uint32_t word) {
    return reinterpret_cast<unsigned long long>(cells + static_cast<uint64_t>(of) * words + word);
  };
  *reinterpret_cast<ulonglong2*>(cell) = make_ulonglong2(address(next, 0), address(previous, 1));
  *reinterpret_cast<ulonglong2*>(cell + 2) = make_ulonglong2(0, 0);
}

// The cell's first word leads to its second one.
extern "C" __global__ void turn(uint64_t* cell) { *cell = reinterpret_cast<uint64_t>(cell + 1); }

// `loads` is a multiple of 8.
#define CHASE(name, load)                                                                                    \
  extern "C" __global__ void name(const uint64_t* cells, uint64_t* out, uint32_t loads) {                    \
    uint64_t at = reinterpret_cast<uint64_t>(cells);                                                         \
    _Pragma("unroll 1") for (uint32_t i = 0; i < loads; i += 8) {                                            \
      _Pragma("unroll") for (int k = 0; k < 8; ++k) asm volatile(load : "+l"(at));                           \
    }                                                                                                        \
    *out = at;                                                                                               \
  }

CHASE(chase, "ld.global.ca.u64 %0, [%0];")
CHASE(chase_l2, "ld.global.cg.u64 %0, [%0];")

// Each thread walks along its own word, `stride` words from its neighbour's: every load finds the byte offset
// of the next one. `loads` is a multiple of 8.
extern "C" __global__ void chase_shared(uint32_t* out, uint32_t stride, uint32_t loads) {
  __shared__ uint32_t words[2048];
  for (uint32_t i = threadIdx.x; i < 2048; i += blockDim.x)
    words[i] = static_cast<uint32_t>(__cvta_generic_to_shared(words + i));
  __syncthreads();
  uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(words + threadIdx.x * stride % 2048));
#pragma unroll 1
  for (uint32_t i = 0; i < loads; i += 8)
#pragma unroll
    for (uint32_t k = 0; k < 8; ++k)
      asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
  out[threadIdx.x] = at;
}

// A walk in an array of the thread's own that is too large for registers.
extern "C" __global__ void chase_private(uint32_t* out, uint32_t step, uint32_t trips) {
  uint32_t words[256];
#pragma unroll 1
  for (uint32_t i = 0; i < 256; ++i)
    words[i] = (i + step) % 256;
  uint32_t at = 0;
#pragma unroll 1
  for (uint32_t i = 0; i < trips; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      at = words[at];
  out[threadIdx.x] = at;
}
