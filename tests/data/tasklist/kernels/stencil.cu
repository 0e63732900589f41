// A five-point heat stencil iterated in shared memory (the structure of Rodinia's hotspot, written anew):
// two-dimensional CTAs, double-precision constant arithmetic, a loop with barriers.
extern "C" __global__ void stencil(int steps, const float* power, const float* in, float* out, int width,
                                   int height, float rx, float ry, float cap) {
  __shared__ float now[16][16];
  __shared__ float later[16][16];
  const int x = blockIdx.x * (16 - 2 * steps) + threadIdx.x - steps;
  const int y = blockIdx.y * (16 - 2 * steps) + threadIdx.y - steps;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const bool inside = x >= 0 && y >= 0 && x < width && y < height;
  const float p = inside ? power[y * width + x] : 0.0f;
  now[ty][tx] = inside ? in[y * width + x] : 0.0f;
  __syncthreads();
  for (int step = 1; step <= steps; ++step) {
    const bool computes = tx >= step && tx < 16 - step && ty >= step && ty < 16 - step && inside;
    if (computes)
      later[ty][tx] = now[ty][tx] + cap * (p + (now[ty + 1][tx] + now[ty - 1][tx] - 2.0 * now[ty][tx]) * ry +
                                           (now[ty][tx + 1] + now[ty][tx - 1] - 2.0 * now[ty][tx]) * rx);
    __syncthreads();
    if (computes)
      now[ty][tx] = later[ty][tx];
    __syncthreads();
  }
  if (tx >= steps && tx < 16 - steps && ty >= steps && ty < 16 - steps && inside)
    out[y * width + x] = now[ty][tx];
}
