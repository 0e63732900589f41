// Addresses that come out of shared memory: each thread moves the element that another one names.
extern "C" __global__ void shared_index(const float* in, float* out) {
  __shared__ int order[256];
  order[threadIdx.x] = 255 - static_cast<int>(threadIdx.x);
  __syncthreads();
  const int element = static_cast<int>(blockIdx.x) * 256 + order[threadIdx.x ^ 1];
  out[element] = in[element];
}
