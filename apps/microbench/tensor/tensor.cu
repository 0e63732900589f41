// Chains of matrix operations of one warp, as those of apps/microbench/operations: kernel OP_cC_S has C
// independent chains of S steps, each of which adds to the accumulators of the one before it.
// compiled for sm_80
#include <cstdint>

// A step: accumulators `acc` += A x B. Numbers of 32-bit registers: 4 of accumulators and of A, 2 of B; f64
// has 2 of 64 bits, 1, and 1.
#define MATRIX(name, type, constraint, accumulators, text, ...)                                              \
  struct name {                                                                                              \
    using value = type;                                                                                      \
    static constexpr int count = accumulators;                                                               \
    static __device__ __forceinline__ void step(type* acc, const uint32_t* r, const double* d) {             \
      asm volatile(text : __VA_ARGS__);                                                                      \
    }                                                                                                        \
  };

#define ACC_4(constraint)                                                                                    \
  "+" constraint(acc[0]), "+" constraint(acc[1]), "+" constraint(acc[2]), "+" constraint(acc[3])
#define A4_B2 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5])
#define A2_B1 "r"(r[0]), "r"(r[1]), "r"(r[4])
#define TEXT_4_2(op) op " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
#define TEXT_2_1(op) op " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"

MATRIX(mma_f16, float, "f", 4, TEXT_4_2("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), ACC_4("f")
       : A4_B2)
MATRIX(mma_bf16, float, "f", 4, TEXT_4_2("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"), ACC_4("f")
       : A4_B2)
MATRIX(mma_tf32, float, "f", 4, TEXT_4_2("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"), ACC_4("f")
       : A4_B2)
MATRIX(mma_s8, int32_t, "r", 4, TEXT_4_2("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"), ACC_4("r")
       : A4_B2)
MATRIX(mma_f16_k8, float, "f", 4, TEXT_2_1("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"), ACC_4("f")
       : A2_B1)
MATRIX(mma_f64, double, "d", 2,
       "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};", "+d"(acc[0]),
       "+d"(acc[1])
       : "d"(d[0]), "d"(d[1]))

template <class Op, int Chains, int Steps>
__device__ __forceinline__ void run(typename Op::value* out, typename Op::value seed, uint32_t trips) {
  typename Op::value acc[Chains][Op::count];
  uint32_t r[6];
  const double d[2] = {1.0 + threadIdx.x, 2.0 + threadIdx.x};
  for (uint32_t i = 0; i < 6; ++i)
    r[i] = threadIdx.x + i;
  for (int c = 0; c < Chains; ++c)
    for (int i = 0; i < Op::count; ++i)
      acc[c][i] = seed + static_cast<typename Op::value>(threadIdx.x + c + i);
#pragma unroll 1
  for (uint32_t trip = 0; trip < trips; ++trip)
#pragma unroll
    for (int s = 0; s < Steps; ++s)
      for (int c = 0; c < Chains; ++c)
        Op::step(acc[c], r, d);
  typename Op::value sum = 0;
  for (int c = 0; c < Chains; ++c)
    for (int i = 0; i < Op::count; ++i)
      sum += acc[c][i];
  out[threadIdx.x] = sum;
}

#define KERNEL(op, chains, steps)                                                                            \
  extern "C" __global__ void op##_c##chains##_##steps(op::value* out, op::value seed, uint32_t trips) {      \
    run<op, chains, steps>(out, seed, trips);                                                                \
  }
#define KERNELS(op)                                                                                          \
  KERNEL(op, 1, 8) KERNEL(op, 1, 40) KERNEL(op, 2, 8) KERNEL(op, 2, 40) KERNEL(op, 4, 8) KERNEL(op, 4, 40)

KERNELS(mma_f16)
KERNELS(mma_bf16)
KERNELS(mma_tf32)
KERNELS(mma_s8)
KERNELS(mma_f16_k8)
KERNELS(mma_f64)
