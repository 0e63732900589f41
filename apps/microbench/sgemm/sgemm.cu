// Products of square matrices of f32, C = alpha A B + beta C, in the steps by which such kernels are made
// fast: lanes that read one line, tiles in shared memory, tiles of a thread in registers, vectors of four,
// tiles of a warp. A grid covers C exactly. How threads lie over data is that of the kernels whose rates
// tests/data/measured has.
//
// It is compiled for sm_86.
#include <cstdint>

struct Product {
  uint32_t size;
  float alpha, beta;
  const float* a;
  const float* b;
  float* c;
};

// One element a thread, from global memory alone.
template <class Index> __device__ void element(const Product& p, Index row, Index column) {
  const Index size = p.size;
  if (row >= size || column >= size)
    return;
  float sum = 0;
  for (Index k = 0; k < size; ++k)
    sum += p.a[row * size + k] * p.b[k * size + column];
  p.c[row * size + column] = p.alpha * sum + p.beta * p.c[row * size + column];
}

// sums += a column of A's tile times a row of B's, one part of tm x tn elements after the other.
template <int tm, int tn, int rows, int columns>
__device__ void add_outer_product(const float (&a)[rows], const float (&b)[columns],
                                  float (&sums)[rows][columns]) {
#pragma unroll
  for (int part_row = 0; part_row < rows; part_row += tm)
#pragma unroll
    for (int part_column = 0; part_column < columns; part_column += tn)
#pragma unroll
      for (int i = part_row; i < part_row + tm; ++i)
#pragma unroll
        for (int j = part_column; j < part_column + tn; ++j)
          sums[i][j] += a[i] * b[j];
}

// A CTA computes bm x bn elements of C from tiles of bm x bk and bk x bn, a thread tm x tn neighbours of
// them; one element of a tile is loaded at a time.
template <int bm, int bn, int bk, int tm, int tn>
__device__ void thread_tiles(const Product& p, uint32_t cta_row, uint32_t cta_column) {
  constexpr uint32_t threads = bm * bn / (tm * tn);
  __shared__ float a_tile[bm * bk], b_tile[bk * bn];
  const uint32_t thread = threadIdx.x;
  const uint32_t row = thread / (bn / tn) * tm, column = thread % (bn / tn) * tn;
  const float* a = p.a + cta_row * bm * p.size;
  const float* b = p.b + cta_column * bn;
  float* c = p.c + cta_row * bm * p.size + cta_column * bn;

  float sums[tm][tn] = {};
  for (uint32_t first = 0; first < p.size; first += bk) {
#pragma unroll
    for (uint32_t down = 0; down < bm; down += threads / bk)
      a_tile[(thread / bk + down) * bk + thread % bk] = a[(thread / bk + down) * p.size + thread % bk];
#pragma unroll
    for (uint32_t down = 0; down < bk; down += threads / bn)
      b_tile[(thread / bn + down) * bn + thread % bn] = b[(thread / bn + down) * p.size + thread % bn];
    __syncthreads();
    a += bk;
    b += bk * p.size;
    for (uint32_t k = 0; k < bk; ++k) {
      float as[tm], bs[tn];
#pragma unroll
      for (int i = 0; i < tm; ++i)
        as[i] = a_tile[(row + i) * bk + k];
#pragma unroll
      for (int i = 0; i < tn; ++i)
        bs[i] = b_tile[k * bn + column + i];
      add_outer_product<tm, tn>(as, bs, sums);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < tm; ++i)
#pragma unroll
    for (int j = 0; j < tn; ++j) {
      float& element = c[(row + i) * p.size + column + j];
      element = p.alpha * sums[i][j] + p.beta * element;
    }
}

__device__ const float4& vector_at(const float* at) { return *reinterpret_cast<const float4*>(at); }
__device__ float4& vector_at(float* at) { return *reinterpret_cast<float4*>(at); }

template <int steps, bool unrolled, class Step> __device__ void for_each_step(const Step& step) {
  if constexpr (unrolled) {
#pragma unroll
    for (uint32_t k = 0; k < steps; ++k)
      step(k);
  } else {
    for (uint32_t k = 0; k < steps; ++k)
      step(k);
  }
}

// The same with tiles loaded four elements at a time, A's transposed on the way. A warp computes wm x wn
// elements in steps_m x steps_n parts, of each of which a lane has tm x tn neighbours. `unrolled`: all steps
// of k within a tile are written out; else the compiler decides.
template <int bm, int bn, int bk, int wm, int wn, int steps_n, int tm, int tn, bool unrolled>
__device__ void warp_tiles(const Product& p) {
  constexpr uint32_t threads = bm / wm * (bn / wn) * 32;
  constexpr int steps_m = wm * wn / (32 * tm * tn * steps_n);
  constexpr uint32_t part_m = wm / steps_m, part_n = wn / steps_n;
  __shared__ float a_tile[bk * bm], b_tile[bk * bn];
  const uint32_t thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const uint32_t warp_row = warp / (bn / wn) * wm, warp_column = warp % (bn / wn) * wn;
  const uint32_t row = lane / (part_n / tn) * tm, column = lane % (part_n / tn) * tn;
  const float* a = p.a + blockIdx.y * bm * p.size;
  const float* b = p.b + blockIdx.x * bn;
  float* c = p.c + (blockIdx.y * bm + warp_row) * p.size + blockIdx.x * bn + warp_column;

  constexpr uint32_t vectors_k = bk / 4, vectors_n = bn / 4;
  const uint32_t a_row = thread / vectors_k, a_column = thread % vectors_k * 4;
  const uint32_t b_row = thread / vectors_n, b_column = thread % vectors_n * 4;
  float sums[steps_m * tm][steps_n * tn] = {};
  for (uint32_t first = 0; first < p.size; first += bk) {
#pragma unroll
    for (uint32_t down = 0; down < bm; down += threads / vectors_k) {
      const float4 loaded = vector_at(&a[(a_row + down) * p.size + a_column]);
      a_tile[(a_column + 0) * bm + a_row + down] = loaded.x;
      a_tile[(a_column + 1) * bm + a_row + down] = loaded.y;
      a_tile[(a_column + 2) * bm + a_row + down] = loaded.z;
      a_tile[(a_column + 3) * bm + a_row + down] = loaded.w;
    }
#pragma unroll
    for (uint32_t down = 0; down < bk; down += threads / vectors_n)
      vector_at(&b_tile[(b_row + down) * bn + b_column]) = vector_at(&b[(b_row + down) * p.size + b_column]);
    __syncthreads();
    a += bk;
    b += bk * p.size;
    for_each_step<bk, unrolled>([&](uint32_t k) {
      float as[steps_m * tm], bs[steps_n * tn];
#pragma unroll
      for (int i = 0; i < steps_m * tm; ++i)
        as[i] = a_tile[k * bm + warp_row + i / tm * part_m + row + i % tm];
#pragma unroll
      for (int i = 0; i < steps_n * tn; ++i)
        bs[i] = b_tile[k * bn + warp_column + i / tn * part_n + column + i % tn];
      add_outer_product<tm, tn>(as, bs, sums);
    });
    __syncthreads();
  }
#pragma unroll
  for (int part = 0; part < steps_m * steps_n; ++part) {
    const int down = part / steps_n, right = part % steps_n;
#pragma unroll
    for (int i = 0; i < tm; ++i)
#pragma unroll
      for (int j = 0; j < tn; j += 4) {
        const float* sum = &sums[down * tm + i][right * tn + j];
        float4& vector = vector_at(&c[(down * part_m + row + i) * p.size + right * part_n + column + j]);
        float4 value = vector;
        value.x = p.alpha * sum[0] + p.beta * value.x;
        value.y = p.alpha * sum[1] + p.beta * value.y;
        value.z = p.alpha * sum[2] + p.beta * value.z;
        value.w = p.alpha * sum[3] + p.beta * value.w;
        vector = value;
      }
  }
}

#define SGEMM(name, bounds, ...)                                                                             \
  extern "C" __global__ void bounds name(uint32_t size, float alpha, const float* a, const float* b,         \
                                         float beta, float* c) {                                             \
    const Product p = {size, alpha, beta, a, b, c};                                                          \
    __VA_ARGS__;                                                                                             \
  }

// A warp has 32 rows of one column, then 32 columns of one row.
SGEMM(naive, , element<uint32_t>(p, blockIdx.x * 32 + threadIdx.x, blockIdx.y * 32 + threadIdx.y))
SGEMM(coalesced, , element<int>(p, blockIdx.x * 32 + threadIdx.x / 32, blockIdx.y * 32 + threadIdx.x % 32))
SGEMM(shared_tiles, , thread_tiles<32, 32, 32, 1, 1>(p, blockIdx.x, blockIdx.y))
SGEMM(thread_tiles_1d, , thread_tiles<64, 64, 8, 8, 1>(p, blockIdx.y, blockIdx.x))
SGEMM(thread_tiles_2d, __launch_bounds__(256, 1), thread_tiles<128, 128, 8, 8, 8>(p, blockIdx.y, blockIdx.x))
SGEMM(vectors, , warp_tiles<128, 128, 8, 16, 128, 1, 8, 8, false>(p))
SGEMM(warp_tiles_64x64, __launch_bounds__(128), warp_tiles<128, 128, 16, 64, 64, 4, 8, 4, false>(p))

// With every step of k written out.
SGEMM(vectors_unrolled, , warp_tiles<128, 128, 16, 16, 128, 1, 8, 8, true>(p))
SGEMM(warp_tiles_64x32, , warp_tiles<128, 128, 16, 64, 32, 1, 8, 8, true>(p))
