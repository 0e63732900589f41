// cp.async pipelines and asynchronous barriers.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

__global__ void two_stages(const float4* in, float4* out, int n) {
  __shared__ float4 stage[2][128];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&stage[0][t], &in[t], sizeof(float4));
  __pipeline_commit();
  for (int i = 0; i < n; ++i) {
    if (i + 1 < n)
      __pipeline_memcpy_async(&stage[(i + 1) & 1][t], &in[(i + 1) * 128 + t], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = stage[i & 1][127 - t];
    v.x += v.w;
    out[i * 128 + t] = v;
    __syncthreads();
  }
}

__global__ void with_barrier(const int* in, int* out) {
  __shared__ int tile[256];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0)
    init(&ready, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&tile[threadIdx.x], &in[blockIdx.x * 256 + threadIdx.x], sizeof(int), ready);
  ready.arrive_and_wait();
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}
