// Shared memory, barriers, shuffles, votes: the sum of an array, one partial sum per CTA.
extern "C" __global__ void block_reduce(const float* in, float* out, int n) {
  __shared__ float warp_sums[32];
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (unsigned w = 0; w < blockDim.x / 32; ++w)
      total += warp_sums[w];
    out[blockIdx.x] = total;
  }
  if (__any_sync(0xffffffffu, sum > 1e30f) && __popc(__ballot_sync(0xffffffffu, sum < 0.0f)) > 3)
    out[blockIdx.x] = -1.0f;
}
