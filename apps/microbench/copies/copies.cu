// Reads with elements of 1 to 16 bytes: each thread adds up `reads` elements that lie a grid apart, and
// stores the sum only if `flag` says so (the copy kernel of Lemeire et al., Microbenchmarks for GPU
// characteristics, 2016, whose reads are unrolled too).
#include <cstdint>

constexpr int reads = 16;

template <class T> __device__ T load(const T* from);
#define LOAD(T, text, constraint)                                                                            \
  template <> __device__ T load<T>(const T* from) {                                                          \
    T value;                                                                                                 \
    asm volatile(text : "=" constraint(value) : "l"(from));                                                  \
    return value;                                                                                            \
  }
LOAD(uint16_t, "ld.global.u16 %0, [%1];", "h")
LOAD(uint32_t, "ld.global.u32 %0, [%1];", "r")
LOAD(uint64_t, "ld.global.u64 %0, [%1];", "l")
template <> __device__ uint8_t load<uint8_t>(const uint8_t* from) {
  uint32_t value;
  asm volatile("ld.global.u8 %0, [%1];" : "=r"(value) : "l"(from));
  return static_cast<uint8_t>(value);
}
template <> __device__ uint4 load<uint4>(const uint4* from) {
  uint4 value;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(from));
  return value;
}

template <class T> __device__ uint64_t number(T value) { return value; }
template <> __device__ uint64_t number<uint4>(uint4 value) { return value.x + value.y + value.z + value.w; }

template <class T> __device__ void copy(const T* from, uint64_t* to, uint32_t flag) {
  const uint32_t threads = gridDim.x * blockDim.x;
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  T values[reads];
#pragma unroll
  for (int i = 0; i < reads; ++i)
    values[i] = load(from + thread + static_cast<uint64_t>(i) * threads);
  uint64_t sum = 0;
#pragma unroll
  for (int i = 0; i < reads; ++i)
    sum += number(values[i]);
  if (flag != 0)
    to[thread] = sum;
}

#define COPY(bytes, T)                                                                                       \
  extern "C" __global__ void copy_##bytes(const T* from, uint64_t* to, uint32_t flag) {                      \
    copy<T>(from, to, flag);                                                                                 \
  }
COPY(1, uint8_t)
COPY(2, uint16_t)
COPY(4, uint32_t)
COPY(8, uint64_t)
COPY(16, uint4)
