// half, half2, bfloat16, fp8, int8 dot products, 128-bit integers, double and special functions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void halves(__half* h, __half2* h2, const float* f) {
  const int t = threadIdx.x;
  h[t] = __hadd(h[t], __float2half_rn(f[t]));
  h[t] = hsqrt(__hfma(h[t], h[t], h[t + 1]));
  h2[t] = __hmul2(h2[t], __floats2half2_rn(f[t], f[t + 1]));
  h2[t] = __hmax2(h2[t], h2exp(h2[t + 1]));
  h[t] = __hlt(h[t], h[t + 2]) ? __int2half_rn(t) : __hneg(h[t]);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__global__ void bfloats(__nv_bfloat16* b, __nv_bfloat162* b2, const float* f) {
  const int t = threadIdx.x;
  b[t] = __hadd(b[t], __float2bfloat16(f[t]));
  b2[t] = __hfma2(b2[t], b2[t + 1], __floats2bfloat162_rn(f[t], f[t + 1]));
  b[t] = __hmin(b[t], b[t + 1]);
}

#endif

__global__ void narrow(__nv_fp8_e4m3* e, __nv_fp8x2_e5m2* e2, const float2* f, float2* out) {
  const int t = threadIdx.x;
  e[t] = __nv_fp8_e4m3(f[t].x);
  e2[t] = __nv_fp8x2_e5m2(f[t]);
  out[t] = static_cast<float2>(e2[t + 1]);
}

__global__ void integers(int* out, const int* in, __int128* wide) {
  const int t = threadIdx.x;
  out[t] = __dp4a(in[t], in[t + 1], out[t]) + __dp2a_lo(in[t], in[t + 1], 5) + __mul24(in[t], 3);
  wide[t] = wide[t + 1] * in[t] + (wide[t + 2] >> 3);
  out[t + 1] = in[t] / in[t + 2] + in[t + 3] % 7;
}

__global__ void functions(double* d, float* f) {
  const int t = threadIdx.x;
  f[t] = sinf(f[t]) + __expf(f[t + 1]) + rsqrtf(f[t + 2]) + f[t + 3] / f[t + 4] + tanhf(f[t + 5]) + fmaf(f[t], f[t + 1], 1.0f);
  d[t] = sqrt(d[t]) + exp(d[t + 1]) + d[t + 2] / d[t + 3] + fma(d[t], d[t + 1], 2.0) + rint(d[t + 4]);
  f[t + 1] = __fdividef(f[t], 3.0f) + truncf(f[t + 2]) + static_cast<float>(static_cast<unsigned char>(f[t + 3]));
}
