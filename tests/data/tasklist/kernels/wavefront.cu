// A row-by-row dynamic program in shared memory with a shrinking valid region (the structure of Rodinia's
// pathfinder, written anew): loop with barriers, divergent interior, loop-carried shared data.
extern "C" __global__ void wavefront(const int* cost, const int* first, int* out, int columns, int rows) {
  __shared__ int best[256];
  __shared__ int next[256];
  const int lane = threadIdx.x;
  const int column = blockIdx.x * (256 - 2 * rows) + lane - rows;
  const bool inside = column >= 0 && column < columns;
  best[lane] = inside ? first[column] : 0;
  __syncthreads();
  for (int row = 0; row < rows; ++row) {
    const bool computes = lane > row && lane < 255 - row && inside;
    if (computes) {
      const int shortest = min(best[lane], min(best[lane - 1], best[lane + 1]));
      next[lane] = shortest + cost[row * columns + column];
    }
    __syncthreads();
    if (computes)
      best[lane] = next[lane];
    __syncthreads();
  }
  if (lane >= rows && lane < 256 - rows && inside)
    out[column] = best[lane];
}
