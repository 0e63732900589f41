// Heat spreading over a chip's floor plan, explicit time steps: the algorithm of Rodinia's hotspot.
//
// One CTA owns a square of cells with a halo as wide as the number of steps, reads it once and takes all the
// steps in shared memory; after each step the ring of cells whose neighbours are still right is one narrower
// (a pyramid in time). Second differences are taken in double precision, as in the suite, which makes the
// FP64 units part of the story. Leaves out: the suite's file reading; temperatures and power are any values.

constexpr int tile = 16;                // cells on a side, one thread each
constexpr float ambient_kelvin = 80.0f; // the suite's value, offset included

struct Span {
  int first, last; // inclusive
};

// Cells of the tile that lie inside the grid, in the tile's own coordinates.
__device__ Span inside_grid(int origin, int cells) {
  return {origin < 0 ? -origin : 0, origin + tile > cells ? cells - 1 - origin : tile - 1};
}

__device__ bool within(int at, int first, int last) { return first <= at && at <= last; }

extern "C" __global__ void calculate_temp(int iteration, const float* power, const float* temp_src,
                                          float* temp_dst, int grid_cols, int grid_rows, int border_cols,
                                          int border_rows, float cap, float rx, float ry, float rz,
                                          float step, float time_elapsed) {
  __shared__ float kelvin[tile][tile];
  __shared__ float watts[tile][tile];
  __shared__ float kelvin_next[tile][tile];

  const float gain = step / cap;
  const float conductance_x = 1 / rx;
  const float conductance_y = 1 / ry;
  const float conductance_z = 1 / rz;

  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int written = tile - 2 * iteration; // cells on a side that survive all steps
  const int origin_row = written * static_cast<int>(blockIdx.y) - border_rows;
  const int origin_col = written * static_cast<int>(blockIdx.x) - border_cols;
  const int row = origin_row + y;
  const int col = origin_col + x;
  const int cell = grid_cols * row + col;
  const bool in_grid = within(row, 0, grid_rows - 1) && within(col, 0, grid_cols - 1);

  if (in_grid) {
    kelvin[y][x] = temp_src[cell];
    watts[y][x] = power[cell];
  }
  __syncthreads();

  // At the edge of the grid the missing neighbour is the cell itself: no heat flows out.
  const Span rows = inside_grid(origin_row, grid_rows);
  const Span cols = inside_grid(origin_col, grid_cols);
  const int north = max(y - 1, rows.first);
  const int south = min(y + 1, rows.last);
  const int west = max(x - 1, cols.first);
  const int east = min(x + 1, cols.last);
  const bool in_tile_rows_and_cols = within(x, cols.first, cols.last) && within(y, rows.first, rows.last);

  bool stepped = false;
  for (int done = 0; done < iteration; ++done) {
    const int ring = done + 1; // cells at each side of the tile whose neighbours are no longer right
    stepped = within(x, ring, tile - 1 - ring) && within(y, ring, tile - 1 - ring) && in_tile_rows_and_cols;
    if (stepped) {
      const float here = kelvin[y][x];
      const double along_y = kelvin[south][x] + kelvin[north][x] - 2.0 * here;
      const double along_x = kelvin[y][east] + kelvin[y][west] - 2.0 * here;
      kelvin_next[y][x] = here + gain * (watts[y][x] + along_y * conductance_y + along_x * conductance_x +
                                         (ambient_kelvin - here) * conductance_z);
    }
    __syncthreads();
    if (done == iteration - 1)
      break;
    if (stepped)
      kelvin[y][x] = kelvin_next[y][x];
    __syncthreads();
  }
  if (stepped)
    temp_dst[cell] = kelvin_next[y][x];
}
