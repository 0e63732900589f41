// Loads mixed with multiply-adds of several types: every thread reads four times eight elements and computes
// `steps` dependent multiply-adds on each, `unroll` of which an iteration has; where it has all, loads can
// come before the arithmetic of the element before.
//
// Its PTX is as nvcc writes it without line information: measured rows name branches by its lines.
#include <cstdint>

#include <cuda_fp16.h>

__device__ float multiply_add(float a, float b, float c) { return a * b + c; }
__device__ double multiply_add(double a, double b, double c) { return a * b + c; }
__device__ int32_t multiply_add(int32_t a, int32_t b, int32_t c) { return a * b + c; }
__device__ __half2 multiply_add(__half2 a, __half2 b, __half2 c) { return __hfma2(a, b, c); }

template <class T> __device__ T zero() { return T(0); }
template <> __device__ __half2 zero<__half2>() { return __floats2half2_rn(0, 0); }

template <class T> __device__ bool is_minus_one(T value) { return value == T(-1); }
template <> __device__ bool is_minus_one<__half2>(__half2 value) {
  return __hbeq2(value, __floats2half2_rn(-1, -1));
}

// The grid covers a quarter of the elements; `seed` keeps the compiler from computing anything itself.
template <class T, int steps, int unroll> __device__ void mix(T seed, T* data) {
  constexpr int elements = 8, quarters = 4;
  const uint32_t first = blockIdx.x * blockDim.x * elements + threadIdx.x;
  const uint32_t quarter = gridDim.x * blockDim.x * elements;
  for (int q = 0; q < quarters; ++q) {
    T values[elements];
#pragma unroll
    for (int e = 0; e < elements; ++e) {
      values[e] = data[first + e * blockDim.x + q * quarter];
#pragma unroll unroll
      for (int i = 0; i < steps; ++i)
        values[e] = multiply_add(values[e], values[e], seed);
    }
    T sum = zero<T>();
#pragma unroll
    for (int e = 0; e < elements; e += 2)
      sum = multiply_add(values[e], values[e + 1], sum);
    if (is_minus_one(sum)) // none is
      data[first + q * quarter] = sum;
  }
}

#define MIX(name, T, steps, unroll)                                                                          \
  extern "C" __global__ void name##_##steps(T seed, T* data) { mix<T, steps, unroll>(seed, data); }
#define MIXES(name, T, unroll)                                                                               \
  MIX(name, T, 0, unroll)                                                                                    \
  MIX(name, T, 2, unroll)                                                                                    \
  MIX(name, T, 8, unroll)                                                                                    \
  MIX(name, T, 32, unroll)                                                                                   \
  MIX(name, T, 48, unroll)                                                                                   \
  MIX(name, T, 96, unroll)

MIXES(mix_float, float, 128)
MIXES(mix_double, double, 128)
MIXES(mix_half2, __half2, 128)
MIXES(mix_int, int32_t, 4)
