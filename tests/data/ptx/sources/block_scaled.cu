// mma with block scaling, sparse mma and conversions to 4, 6 and 8 bits by inline assembly.
__global__ void scaled(float* out, const unsigned* in) {
  float d[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, %10, {%12, %13}, %11, {%12, %13};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]), "r"(in[4]), "r"(in[5]), "r"(in[6]), "r"(in[7]),
                 "h"(static_cast<unsigned short>(0)), "h"(static_cast<unsigned short>(0)));
  asm volatile("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]), "r"(in[4]), "r"(in[5]));
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(in[0]), "r"(in[1]), "r"(in[2]), "r"(in[3]), "r"(in[4]), "r"(in[5]), "r"(in[6]), "r"(in[7]), "r"(in[8]));
  for (int i = 0; i < 4; ++i)
    out[i] = d[i];
}

__global__ void converted(unsigned short* out, const float* in) {
  asm("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;" : "=h"(out[0]) : "f"(in[0]), "f"(in[1]));
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(out[1]) : "f"(in[2]), "f"(in[3]));
  asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(out[2]) : "f"(in[4]), "f"(in[5]));
  asm("{ .reg .b8 low;\ncvt.rn.satfinite.e2m1x2.f32 low, %1, %2;\nmov.b16 %0, {low, 0}; }"
      : "=h"(out[3]) : "f"(in[6]), "f"(in[7]));
}
