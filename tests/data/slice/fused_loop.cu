// Chains of fused multiply-adds and integer additions: 32-bit arithmetic and little else.
extern "C" __global__ void fused_loop(const float* in, float* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[i], b = a + 1.0f;
  unsigned c = i;
#pragma unroll 1
  for (unsigned k = 0; k < n; ++k) {
#pragma unroll
    for (int round = 0; round < 8; ++round) {
      a = fmaf(a, 0.5f, b);
      b = b * 0.25f + 1.0f;
      c += c >> 3;
    }
  }
  out[i] = a + b + static_cast<float>(c);
}
