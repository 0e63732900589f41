// Constant memory: chains of loads each of which finds the offset of the next, with one or several addresses
// in a warp, and walks through arrays of any size up to the 64 KiB of a module.
#include <cstdint>

// Where a load finds an offset that leads to itself: all lanes of a warp may stay where they begin.
struct Itself {
  uint64_t offsets[32];
  constexpr Itself() : offsets() {
    for (uint32_t i = 0; i < 32; ++i)
      offsets[i] = i * sizeof(uint64_t);
  }
};
__constant__ Itself itself{};
__constant__ uint32_t zeros[15 * 1024];

// Lanes have places of their own as far as `mask` lets them. A step is a load: the array's place is part of
// it.
extern "C" __global__ void chase_constants(uint64_t* out, uint32_t mask, uint32_t trips) {
  uint64_t at = (threadIdx.x & mask) * sizeof(uint64_t);
  const uint64_t base = static_cast<uint64_t>(__cvta_generic_to_constant(&itself));
#pragma unroll 1
  for (uint32_t i = 0; i < trips; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      asm volatile("{ .reg .u64 a; add.s64 a, %0, %1; ld.const.u64 %0, [a]; }" : "+l"(at) : "l"(base));
  out[threadIdx.x] = at;
}

// Loads `stride` bytes apart from the first `bytes`, over and over: each waits for the one before it.
extern "C" __global__ void walk_constants(uint32_t* out, uint32_t bytes, uint32_t stride, uint32_t loads) {
  uint32_t at = 0;
#pragma unroll 1
  for (uint32_t i = 0; i < loads; ++i) {
    at += *reinterpret_cast<const uint32_t*>(reinterpret_cast<const char*>(zeros) + at) + stride;
    if (at >= bytes)
      at = 0;
  }
  *out = at;
}
