// A chain of texture fetches: each texel is the coordinate of the next.
#include <cstdint>

extern "C" __global__ void chase_texture(cudaTextureObject_t texture, uint32_t* out, uint32_t trips) {
  int at = 0;
#pragma unroll 1
  for (uint32_t i = 0; i < trips; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k)
      asm volatile("{ .reg .b32 g, b, a; tex.1d.v4.s32.s32 {%0, g, b, a}, [%1, {%0}]; }"
                   : "+r"(at)
                   : "l"(texture));
  out[threadIdx.x] = at;
}
