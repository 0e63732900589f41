// Calls that stay calls: a structure by value, a loop in the callee, a result used twice.
struct Range {
  int begin, end;
  float scale;
};

__device__ __noinline__ float sum(const float* values, Range range) {
  float total = 0;
  for (int i = range.begin; i < range.end; ++i)
    total += values[i] * range.scale;
  return total;
}

extern "C" __global__ void helpers(const float* values, float* out, int per_thread) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = sum(values, {i * per_thread, (i + 1) * per_thread, 0.5f});
  const float b = sum(values, {0, i, a});
  out[i] = a + b * a;
}
