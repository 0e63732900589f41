// Chains of one operation, for its latency and issue interval. Kernel OP_cC_S has C independent chains of S
// steps in a loop; each step depends on the one before it in its chain. The cycles that more steps take, with
// everything around them equal, belong to the steps alone.
#include <cstdint>

// One step of a chain. Its two registers alternate, so that no two steps can become one.
#define OPERATION(name, type, constraint, text)                                                              \
  struct name {                                                                                              \
    using value = type;                                                                                      \
    static __device__ __forceinline__ void step(type& to, type from) {                                       \
      asm volatile(text : "+" constraint(to) : constraint(from));                                            \
    }                                                                                                        \
  };

OPERATION(add_s32, uint32_t, "r", "add.s32 %0, %0, %1;")
OPERATION(mad_lo_s32, uint32_t, "r", "mad.lo.s32 %0, %0, %1, %1;")
OPERATION(mul_lo_s32, uint32_t, "r", "mul.lo.s32 %0, %0, %1;")
OPERATION(div_s32, uint32_t, "r", "div.s32 %0, %0, %1;")
OPERATION(shl_b32, uint32_t, "r", "shl.b32 %0, %0, %1;")
OPERATION(popc_b32, uint32_t, "r", "popc.b32 %0, %1;")
OPERATION(add_f32, float, "f", "add.f32 %0, %0, %1;")
OPERATION(mul_f32, float, "f", "mul.f32 %0, %0, %1;")
OPERATION(fma_f32, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
OPERATION(ex2_f32, float, "f", "ex2.approx.ftz.f32 %0, %1;")
OPERATION(cos_f32, float, "f", "cos.approx.f32 %0, %1;")
OPERATION(div_f32, float, "f", "div.full.f32 %0, %0, %1;")
OPERATION(rsqrt_f32, float, "f", "rsqrt.approx.ftz.f32 %0, %1;")
OPERATION(add_f64, double, "d", "add.f64 %0, %0, %1;")
OPERATION(mul_f64, double, "d", "mul.f64 %0, %0, %1;")
OPERATION(div_f64, double, "d", "div.rn.f64 %0, %0, %1;")
OPERATION(fma_f64, double, "d", "fma.rn.f64 %0, %0, %1, %1;")
OPERATION(fma_f16x2, uint32_t, "r", "fma.rn.f16x2 %0, %0, %1, %1;")
OPERATION(shfl_b32, uint32_t, "r", "shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;")

template <class Op, int Chains, int Steps>
__device__ __forceinline__ void run(typename Op::value* out, typename Op::value seed, uint32_t trips) {
  typename Op::value even[Chains], odd[Chains];
  for (int c = 0; c < Chains; ++c) {
    even[c] = seed + static_cast<typename Op::value>(threadIdx.x + c);
    odd[c] = even[c] + seed;
  }
#pragma unroll 1
  for (uint32_t trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int s = 0; s < Steps; s += 2) {
      for (int c = 0; c < Chains; ++c)
        Op::step(even[c], odd[c]);
      for (int c = 0; c < Chains; ++c)
        Op::step(odd[c], even[c]);
    }
  }
  typename Op::value sum = odd[0];
  for (int c = 1; c < Chains; ++c)
    sum += odd[c];
  out[threadIdx.x] = sum;
}

#define KERNEL(op, chains, steps)                                                                            \
  extern "C" __global__ void op##_c##chains##_##steps(op::value* out, op::value seed, uint32_t trips) {      \
    run<op, chains, steps>(out, seed, trips);                                                                \
  }
#define KERNELS(op)                                                                                          \
  KERNEL(op, 1, 8) KERNEL(op, 1, 40) KERNEL(op, 2, 8) KERNEL(op, 2, 40) KERNEL(op, 4, 8) KERNEL(op, 4, 40)

KERNELS(add_s32)
KERNELS(mad_lo_s32)
KERNELS(shl_b32)
KERNELS(popc_b32)
KERNELS(add_f32)
KERNELS(mul_f32)
KERNELS(fma_f32)
KERNELS(ex2_f32)
KERNELS(rsqrt_f32)
KERNELS(add_f64)
KERNELS(fma_f64)
KERNELS(fma_f16x2)
KERNELS(shfl_b32)
KERNELS(mul_lo_s32)
KERNELS(div_s32)
KERNELS(cos_f32)
KERNELS(div_f32)
KERNELS(mul_f64)
KERNELS(div_f64)
