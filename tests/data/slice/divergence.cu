// Four branches with equally many instructions, chosen by (thread index in the CTA / c) % 4: the divergence
// benchmark of "Microbenchmarks for GPU characteristics" (Fig. 5), written anew.
extern "C" __global__ void four_branches(float* out, int c) {
  float x = out[threadIdx.x];
  switch (threadIdx.x / c % 4) {
  case 0:
#pragma unroll 1
    for (int k = 0; k < 8; ++k)
      x = __fsqrt_rn(x) + 1.0f;
    out[threadIdx.x] = x;
    break;
  case 1:
#pragma unroll 1
    for (int k = 0; k < 8; ++k)
      x = __frcp_rn(x) + 2.0f;
    out[threadIdx.x + 1024] = x;
    break;
  case 2:
#pragma unroll 1
    for (int k = 0; k < 8; ++k)
      x = __fadd_rn(x, x) + 3.0f;
    out[threadIdx.x + 2048] = x;
    break;
  default:
#pragma unroll 1
    for (int k = 0; k < 8; ++k)
      x = __fmul_rn(x, x) + 4.0f;
    out[threadIdx.x + 3072] = x;
    break;
  }
}
