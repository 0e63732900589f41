// The sum of unsigned integers: each CTA sums its share in shared memory and then in one warp by shuffles;
// one atomic addition per CTA.
extern "C" __global__ void reduction(const unsigned* in, unsigned* sum, int n) {
  __shared__ unsigned part[256];
  unsigned own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    own += in[i];
  part[threadIdx.x] = own;
  __syncthreads();
  for (int half = 128; half >= 32; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    own = part[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2)
      own += __shfl_down_sync(0xffffffffu, own, distance);
    if (threadIdx.x == 0)
      atomicAdd(sum, own);
  }
}
