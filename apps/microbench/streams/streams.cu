// Streams over arrays of doubles, one element per thread: how fast memory is written, read, and both. The
// kernels whose name ends in `_over` wrap around after `length` elements, so that L2 can hold the arrays.
#include <cstdint>

// index % length for a length that the host knows: magic = ceil(2^(32 + shift) / length).
__device__ uint32_t wrapped(uint32_t index, uint32_t length, uint32_t magic, uint32_t shift) {
  return index - (__umulhi(index, magic) >> shift) * length;
}

__device__ uint32_t thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Uses a value without storing it, as no array holds this one.
__device__ void consume(double value, double* a) {
  if (value == 123.25)
    a[0] = value;
}

extern "C" __global__ void init(double* a, uint32_t n) {
  const uint32_t i = thread_index();
  if (i < n)
    a[i] = 0.5;
}

extern "C" __global__ void read(double* a, const double* __restrict__ b, uint32_t n) {
  const uint32_t i = thread_index();
  if (i < n)
    consume(b[i], a);
}

extern "C" __global__ void scale(double* a, const double* __restrict__ b, uint32_t n) {
  const uint32_t i = thread_index();
  if (i < n)
    a[i] = 1.5 * b[i];
}

extern "C" __global__ void triad(double* a, const double* __restrict__ b, const double* __restrict__ c,
                                 const double* __restrict__ d, uint32_t n) {
  const uint32_t i = thread_index();
  if (i < n)
    a[i] = b[i] * d[i] + c[i];
}

extern "C" __global__ void stencil_3(double* a, const double* __restrict__ b, uint32_t n) {
  const uint32_t i = thread_index();
  if (i >= 1 && i + 1 < n)
    a[i] = 0.5 * (b[i - 1] + b[i + 1]) - b[i];
}

extern "C" __global__ void stencil_5(double* a, const double* __restrict__ b, uint32_t n) {
  const uint32_t i = thread_index();
  if (i >= 2 && i + 2 < n)
    a[i] = 0.25 * (b[i - 2] + b[i - 1]) + 0.5 * (b[i + 1] + b[i + 2]) - b[i];
}

extern "C" __global__ void init_over(double* a, uint32_t length, uint32_t magic, uint32_t shift) {
  a[wrapped(thread_index(), length, magic, shift)] = 0.5;
}

extern "C" __global__ void read_over(double* a, const double* __restrict__ b, uint32_t length, uint32_t magic,
                                     uint32_t shift) {
  consume(b[wrapped(thread_index(), length, magic, shift)], a);
}

extern "C" __global__ void scale_over(double* a, const double* __restrict__ b, uint32_t length,
                                      uint32_t magic, uint32_t shift) {
  const uint32_t i = wrapped(thread_index(), length, magic, shift);
  a[i] = 1.5 * b[i];
}

extern "C" __global__ void triad_over(double* a, const double* __restrict__ b, const double* __restrict__ c,
                                      const double* __restrict__ d, uint32_t length, uint32_t magic,
                                      uint32_t shift) {
  const uint32_t i = wrapped(thread_index(), length, magic, shift);
  a[i] = b[i] * d[i] + c[i];
}
