// Global alignment of two sequences by Needleman and Wunsch: the algorithm of Rodinia's nw.
//
// The matrix of scores is filled by tiles of 16x16 along its anti-diagonals: one launch per anti-diagonal of
// tiles, one CTA of 16 threads per tile, and within the tile one anti-diagonal of cells after the other in
// shared memory. The first kernel goes through the upper left triangle, the second through the rest.
// Leaves out: tracing the alignment back, which the suite's host does.

constexpr int side = 16; // cells of a tile on a side, threads per CTA

__device__ int best_of(int a, int b, int c) { return max(max(a, b), c); }

// Tile (tile_x, tile_y); row and column 0 of the matrix are the given edge.
__device__ void score_tile(const int* reference, int* scores, int columns, int penalty, int tile_x,
                           int tile_y) {
  __shared__ int score[side + 1][side + 1]; // the tile with the row above and the column to its left
  __shared__ int likeness[side][side];
  const int lane = static_cast<int>(threadIdx.x);
  const int corner = columns * side * tile_y + side * tile_x; // above and left of the tile

  if (lane == 0)
    score[0][0] = scores[corner];
#pragma unroll
  for (int y = 0; y < side; ++y)
    likeness[y][lane] = reference[corner + columns * (y + 1) + lane + 1];
  __syncthreads();
  score[lane + 1][0] = scores[corner + columns * (lane + 1)];
  __syncthreads();
  score[0][lane + 1] = scores[corner + lane + 1];
  __syncthreads();

  // Each cell after those above it and to its left.
#pragma unroll
  for (int diagonal = 0; diagonal < 2 * side - 1; ++diagonal) {
    const int x = lane + max(0, diagonal - side + 1) + 1;
    const int y = diagonal - x + 2;
    if (x <= side && y >= 1)
      score[y][x] = best_of(score[y - 1][x - 1] + likeness[y - 1][x - 1], score[y][x - 1] - penalty,
                            score[y - 1][x] - penalty);
    __syncthreads();
  }

#pragma unroll
  for (int y = 0; y < side; ++y)
    scores[corner + columns * (y + 1) + lane + 1] = score[y + 1][lane + 1];
}

// Anti-diagonal `diagonal` (1 has one tile) of the upper left triangle.
extern "C" __global__ void needle_cuda_shared_1(const int* reference, int* scores, int columns, int penalty,
                                                int diagonal, int) {
  const int x = static_cast<int>(blockIdx.x);
  score_tile(reference, scores, columns, penalty, x, diagonal - 1 - x);
}

// Anti-diagonal with `diagonal` tiles of the lower right triangle, which is `width` tiles wide.
extern "C" __global__ void needle_cuda_shared_2(const int* reference, int* scores, int columns, int penalty,
                                                int diagonal, int width) {
  const int x = static_cast<int>(blockIdx.x) + width - diagonal;
  score_tile(reference, scores, columns, penalty, x, 2 * width - diagonal - 1 - x);
}
