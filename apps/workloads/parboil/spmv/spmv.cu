// y = A x with A sparse in transposed jagged diagonals: the algorithm of Parboil's spmv.
//
// Rows are sorted by their length and stored element by element: first all rows' first elements, then their
// second ones, and so on, so that a warp reads side by side. The 32 rows of a warp are padded to the same
// length. Lengths and the begin of each diagonal lie in constant memory; `perm` leads back to the rows'
// order. Leaves out: sorting, which the suite's host does.

constexpr int max_diagonals = 64;
constexpr int max_warps = 5000;
constexpr int warp_rows = 32;

// The host of the suite fills these; here they describe the matrix of app.json.
constexpr int rows_of_matrix = 146689; // as many as Parboil's large data set has
constexpr int longest_row = 49;

struct Lengths {
  int of_warp[max_warps];
};
struct Diagonals {
  int begin[max_diagonals];
};

constexpr int warps_of_matrix = (rows_of_matrix + warp_rows - 1) / warp_rows;

// From 49 elements in the first warp's rows falling evenly to 1: about 25 on average.
constexpr Lengths make_lengths() {
  Lengths lengths{};
  for (int w = 0; w < warps_of_matrix; ++w)
    lengths.of_warp[w] = longest_row - longest_row * w / warps_of_matrix;
  return lengths;
}

constexpr Diagonals make_diagonals() {
  const Lengths lengths = make_lengths();
  Diagonals diagonals{};
  int elements = 0, longer = warps_of_matrix; // warps whose rows have more than k elements
  for (int k = 0; k < max_diagonals; ++k) {
    while (longer > 0 && lengths.of_warp[longer - 1] <= k)
      --longer;
    diagonals.begin[k] = elements;
    elements += longer * warp_rows;
  }
  return diagonals;
}

__constant__ Diagonals jds_ptr_int = make_diagonals();
__constant__ Lengths sh_zcnt_int = make_lengths();

extern "C" __global__ void spmv_jds(float* y, const float* values, const int* columns, const int* perm,
                                    const float* x, int rows) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows)
    return;
  const int length = sh_zcnt_int.of_warp[row / warp_rows];
  float sum = 0;
  for (int k = 0; k < length; ++k) {
    const int element = jds_ptr_int.begin[k] + row;
    sum += values[element] * x[columns[element]];
  }
  y[perm[row]] = sum;
}
