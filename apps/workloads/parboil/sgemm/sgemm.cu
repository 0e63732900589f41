// C = beta C + alpha A B', single precision, column-major: the register-blocked product of Parboil's sgemm.
//
// A CTA of 16x8 threads makes a 128x16 tile of C. Each thread keeps one row of it, 16 sums in registers. B is
// staged through shared memory eight columns of B' at a time; A needs no staging, as each of its elements is
// used by one thread only. Sizes must be multiples of the tile. Leaves out: other transpositions.

constexpr int tile_cols = 16;                     // columns of C per CTA, sums per thread
constexpr int tile_depth = 8;                     // inner products between two barriers
constexpr int tile_rows = tile_cols * tile_depth; // rows of C per CTA, one per thread

extern "C" __global__ void mysgemmNT(const float* a, int lda, const float* b, int ldb, float* c, int ldc,
                                     int depth, float alpha, float beta) {
  __shared__ float b_tile[tile_depth][tile_cols];

  const int thread = static_cast<int>(threadIdx.y * tile_cols + threadIdx.x);
  const int row = static_cast<int>(blockIdx.x) * tile_rows + thread;
  const int first_col = static_cast<int>(blockIdx.y) * tile_cols;
  const int staged_col = first_col + static_cast<int>(threadIdx.x);

  float sums[tile_cols] = {};
  for (int from = 0; from < depth; from += tile_depth) {
    b_tile[threadIdx.y][threadIdx.x] = b[ldb * (from + static_cast<int>(threadIdx.y)) + staged_col];
    __syncthreads();
    for (int inner = 0; inner < tile_depth; ++inner) {
      const float factor = a[lda * (from + inner) + row];
#pragma unroll
      for (int col = 0; col < tile_cols; ++col)
        sums[col] += factor * b_tile[inner][col];
    }
    __syncthreads();
  }

#pragma unroll
  for (int col = 0; col < tile_cols; ++col) {
    float& out = c[ldc * (first_col + col) + row];
    out = beta * out + alpha * sums[col];
  }
}
