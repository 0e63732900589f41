// Sum over n elements per thread; nvcc unrolls by four and adds a remainder loop.
extern "C" __global__ void counted_loop(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k)
    sum += in[k * 1024 + i];
  out[i] = sum;
}

// One iteration per step, kept as written.
extern "C" __global__ void rolled_loop(const float* in, float* out, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k)
    sum += in[k * stride + i];
  out[i] = sum;
}

extern "C" __global__ void nested_loop(const float* in, float* out, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (int r = 0; r < rows; ++r) {
#pragma unroll 1
    for (int c = 0; c < columns; ++c)
      sum += in[r * 4096 + c * 32 + i];
    out[r * 4096 + i] = sum;
  }
}

// Lane i runs i + 1 times.
extern "C" __global__ void triangular_loop(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k <= threadIdx.x % 32; ++k)
    sum += in[k * 1024 + i];
  out[i] = sum;
}
