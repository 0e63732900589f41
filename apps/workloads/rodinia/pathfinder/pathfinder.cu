// Cheapest way down a grid of costs, moving straight or diagonally: the dynamic programme of Rodinia's
// pathfinder.
//
// A CTA owns a stretch of columns with a halo as wide as the number of rows it advances and keeps the row of
// best sums in shared memory; after each row one column at each end is no longer right. One launch advances
// `iteration` rows, the next launch starts from its sums. Leaves out: the way itself, only its cost is kept.

constexpr int columns_per_cta = 256; // halo included, one thread each

__device__ bool within(int at, int first, int last) { return first <= at && at <= last; }

extern "C" __global__ void dynproc_kernel(int iteration, const int* wall, const int* sums_in, int* sums_out,
                                          int cols, int rows, int start_row, int border) {
  __shared__ int best[columns_per_cta];
  __shared__ int best_next[columns_per_cta];

  const int x = threadIdx.x;
  const int written = columns_per_cta - 2 * iteration; // columns that survive all rows
  const int origin = written * static_cast<int>(blockIdx.x) - border;
  const int last = origin + columns_per_cta - 1;
  const int column = origin + x;

  // The columns of this CTA that exist, in its own coordinates; a missing neighbour is the column itself.
  const int first_valid = origin < 0 ? -origin : 0;
  const int last_valid = last > cols - 1 ? columns_per_cta - 1 - (last - cols + 1) : columns_per_cta - 1;
  const int left = max(x - 1, first_valid);
  const int right = min(x + 1, last_valid);
  const bool valid = within(x, first_valid, last_valid);

  if (within(column, 0, cols - 1))
    best[x] = sums_in[column];
  __syncthreads();

  bool advanced = false;
  for (int done = 0; done < iteration; ++done) {
    advanced = within(x, done + 1, columns_per_cta - 2 - done) && valid;
    if (advanced) {
      const int cheapest = min(min(best[left], best[x]), best[right]);
      best_next[x] = cheapest + wall[cols * (start_row + done) + column];
    }
    __syncthreads();
    if (done == iteration - 1)
      break;
    if (advanced)
      best[x] = best_next[x];
    __syncthreads();
  }
  if (advanced)
    sums_out[column] = best_next[x];
}
