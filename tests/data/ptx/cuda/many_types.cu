// Integer widths, signs, divisions, 64-bit arithmetic, double precision, conversions, vector loads, a switch.
extern "C" __global__ void many_types(const short2* s, const long long* l, const double2* d, float4* f,
                                      unsigned long long* out, int mode) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double2 x = d[i];
  const short2 h = s[i];
  long long v = l[i];
  switch (mode) {
  case 0: v = v / (h.x | 1); break;
  case 1: v = v % 1000003; break;
  case 2: v = __mul64hi(v, 12345678901LL); break;
  case 3: v = __brevll(v) + __clzll(v) + __ffsll(v); break;
  case 4: v = (long long)(sqrt(fabs(x.x)) * x.y + fma(x.x, x.y, 0.5)); break;
  default: v = __double_as_longlong(x.x / x.y); break;
  }
  float4 r = f[i];
  r.x = __fdividef(r.x, r.y) + rsqrtf(r.z) + __sinf(r.w);
  r.y = (float)(unsigned char)h.y + truncf(r.y) + exp2f(r.x);
  r.z = fminf(r.z, 2.0f) > 1.5f ? ldexpf(r.z, 3) : r.w;
  f[i] = r;
  out[i] = (unsigned long long)v * 31u + (unsigned)__dp4a(h.x, h.y, mode) + __byte_perm(h.x, h.y, 0x5410);
}
