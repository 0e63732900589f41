// How often each of 256 byte values occurs: a histogram per CTA in shared memory, added to the whole one.
extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  if (own[threadIdx.x] != 0)
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
