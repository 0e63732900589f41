// tcgen05: tensor memory is allocated, multiplied into, copied and read by inline assembly.
__global__ void multiply(float* out, unsigned long long a, unsigned long long b, unsigned description) {
  __shared__ unsigned base;
  __shared__ unsigned long long mbarrier;
  const unsigned slot = static_cast<unsigned>(__cvta_generic_to_shared(&base));
  const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&mbarrier));
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(slot));
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
  asm volatile("tcgen05.fence::before_thread_sync;");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;");
  const unsigned d = base;
  if (threadIdx.x == 0) {
    asm volatile("{ .reg .pred add; setp.ne.b32 add, %4, 0;\n"
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, add; }" ::"r"(d), "l"(a), "l"(b),
                 "r"(description), "r"(0));
    asm volatile("{ .reg .pred add; setp.ne.b32 add, %4, 0;\n"
                 "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%0], %1, %2, %3, [%5], [%6], add; }"
                 ::"r"(d), "l"(a), "l"(b), "r"(description), "r"(1), "r"(d + 16), "r"(d + 20));
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(d + 16), "l"(a));
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar));
  }
  asm volatile("{ .reg .pred done;\nagain: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
               "@!done bra again; }" ::"r"(bar));
  unsigned r[4];
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(d));
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  for (int i = 0; i < 4; ++i)
    out[4 * threadIdx.x + i] = __uint_as_float(r[i]);
  __syncthreads();
  if (threadIdx.x < 32)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(d));
}

__global__ void packed(float2* out, const float2* in) {
  const int t = threadIdx.x;
  asm("{ .reg .b64 x, y, z;\nmov.b64 x, {%2, %3}; mov.b64 y, {%4, %5};\nfma.rn.f32x2 z, x, y, x;\nmov.b64 {%0, %1}, z; }"
      : "=f"(out[t].x), "=f"(out[t].y)
      : "f"(in[t].x), "f"(in[t].y), "f"(in[t + 1].x), "f"(in[t + 1].y));
}
