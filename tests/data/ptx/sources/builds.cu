// One small program for the builds that change what the compiler writes: debug, line information, relocatable
// device code and fast arithmetic.
__device__ int seen;
extern __device__ int elsewhere(int x);

#ifdef RELOCATABLE
__device__ __noinline__ int outside(int x) { return elsewhere(x) + 1; }
#else
__device__ __noinline__ int outside(int x) { return x * 5 + 1; }
#endif

template <int steps> __device__ float smooth(const float* in, int i) {
  float sum = 0.0f;
  for (int s = 0; s < steps; ++s)
    sum += in[i + s] / (1.0f + sqrtf(in[i]));
  return sum;
}

__global__ void __launch_bounds__(128, 2) kernel(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = smooth<5>(in, i) + sinf(in[i]) + static_cast<float>(outside(i));
  atomicAdd(&seen, 1);
}
