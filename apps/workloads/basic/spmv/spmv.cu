// y = A x with A in compressed sparse rows, one row per thread. Each row's products are added in its order.
extern "C" __global__ void spmv(const int* row_begin, const int* column, const float* value, const float* x,
                                float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int k = row_begin[row]; k < row_begin[row + 1]; ++k)
    sum = fmaf(value[k], x[column[k]], sum);
  y[row] = sum;
}
