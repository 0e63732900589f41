// LU decomposition of a dense matrix in place, without pivoting, by blocks of 16x16: the algorithm of
// Rodinia's lud.
//
// For each block on the diagonal the host launches lud_diagonal (one CTA of 16 threads decomposes the block),
// lud_perimeter (one CTA of 32 threads per block to its right and below: lanes 0-15 solve a block of the
// rows, lanes 16-31 one of the columns, in the same warp), and lud_internal (a CTA of 16x16 threads per block
// of the rest takes the product off). L and U share the matrix; the ones on the diagonal of L are not stored.

constexpr int side = 16; // of a block

extern "C" __global__ void lud_diagonal(float* matrix, int size, int offset) {
  __shared__ float block[side][side];
  const int lane = static_cast<int>(threadIdx.x);
  float* corner = matrix + offset * size + offset;
  for (int i = 0; i < side; ++i)
    block[i][lane] = corner[i * size + lane];
  __syncthreads();

  for (int i = 0; i < side - 1; ++i) {
    if (lane > i) { // column i of L, one row per lane
      for (int j = 0; j < i; ++j)
        block[lane][i] -= block[lane][j] * block[j][i];
      block[lane][i] /= block[i][i];
    }
    __syncthreads();
    if (lane > i) // row i + 1 of U, one column per lane
      for (int j = 0; j < i + 1; ++j)
        block[i + 1][lane] -= block[i + 1][j] * block[j][lane];
    __syncthreads();
  }
  for (int i = 1; i < side; ++i) // row 0 is as it was
    corner[i * size + lane] = block[i][lane];
}

extern "C" __global__ void lud_perimeter(float* matrix, int size, int offset) {
  __shared__ float diagonal[side][side];
  __shared__ float right[side][side]; // of the diagonal block, in its rows
  __shared__ float below[side][side];
  const int lane = static_cast<int>(threadIdx.x) % side;
  const bool upper_half = threadIdx.x < side;
  const int distance = (static_cast<int>(blockIdx.x) + 1) * side;
  float* corner = matrix + offset * size + offset;

  const int first_row = upper_half ? 0 : side / 2;
  for (int i = first_row; i < first_row + side / 2; ++i)
    diagonal[i][lane] = corner[i * size + lane];
  float(*mine)[side] = upper_half ? right : below;
  float* block = corner + (upper_half ? distance : distance * size);
  for (int i = 0; i < side; ++i)
    mine[i][lane] = block[i * size + lane];
  __syncthreads();

  if (upper_half) { // L X = right, one column per lane
    for (int i = 1; i < side; ++i)
      for (int j = 0; j < i; ++j)
        right[i][lane] -= diagonal[i][j] * right[j][lane];
  } else { // X U = below, one row per lane
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < i; ++j)
        below[lane][i] -= below[lane][j] * diagonal[j][i];
      below[lane][i] /= diagonal[i][i];
    }
  }
  __syncthreads();

  for (int i = upper_half ? 1 : 0; i < side; ++i)
    block[i * size + lane] = mine[i][lane];
}

extern "C" __global__ void lud_internal(float* matrix, int size, int offset) {
  __shared__ float right[side][side];
  __shared__ float below[side][side];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int row = offset + (static_cast<int>(blockIdx.y) + 1) * side;
  const int col = offset + (static_cast<int>(blockIdx.x) + 1) * side;
  right[y][x] = matrix[(offset + y) * size + col + x];
  below[y][x] = matrix[(row + y) * size + offset + x];
  __syncthreads();

  float sum = 0;
#pragma unroll
  for (int i = 0; i < side; ++i)
    sum += below[y][i] * right[i][x];
  matrix[(row + y) * size + col + x] -= sum;
}
