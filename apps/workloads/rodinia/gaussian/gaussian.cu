// Forward elimination of a dense linear system without pivoting: the algorithm of Rodinia's gaussian.
//
// For every pivot t the host launches Fan1, which writes the multipliers of column t, and Fan2, which takes
// the pivot's row times the multiplier from each row below it. Both launch the whole grid every time and
// leave early where nothing is left to do. In Fan2 threadIdx.x runs along rows, as in the suite, so that
// the accesses of a warp do not coalesce. Leaves out: back substitution, which the suite does on the host.

extern "C" __global__ void Fan1(float* multipliers, const float* matrix, int size, int pivot) {
  const int below = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (below >= size - 1 - pivot)
    return;
  const int row = pivot + 1 + below;
  multipliers[size * row + pivot] = matrix[size * row + pivot] / matrix[size * pivot + pivot];
}

extern "C" __global__ void Fan2(const float* multipliers, float* matrix, float* right_side, int size,
                                int columns_left, int pivot) {
  const int below = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int right = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (below >= size - 1 - pivot || right >= columns_left)
    return;
  const int row = pivot + 1 + below;
  const int col = pivot + right;
  const float multiplier = multipliers[size * row + pivot];
  matrix[size * row + col] -= multiplier * matrix[size * pivot + col];
  if (right == 0)
    right_side[row] -= multiplier * right_side[pivot];
}
