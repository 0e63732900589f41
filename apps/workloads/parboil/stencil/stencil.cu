// One Jacobi step of a 7-point stencil on a three-dimensional grid: the algorithm of Parboil's stencil.
//
// A CTA of 32x4 threads walks up the planes over a column of 64x4 cells, two cells of a plane per thread,
// a CTA's width apart. The plane in work lies in shared memory for the neighbours beside it; the planes
// below and above stay in registers and move down by one at each step. Neighbours that another CTA owns come
// from global memory. The grid's outermost cells are not written. Leaves out: sizes that CTAs do not divide.

struct Column { // the cells of one (x, y), lowest plane first
  float below, here, above;
};

// The neighbour of a plane that is `at` in the CTA's tile if it lies there, else from global memory.
__device__ float neighbour(const float* tile, int at, bool in_tile, const float* plane, int index) {
  return in_tile ? tile[at] : plane[index];
}

extern "C" __global__ void block2D_hybrid_coarsen_x(float c0, float c1, const float* in, float* out, int nx,
                                                    int ny, int nz) {
  extern __shared__ float tile[]; // blockDim.y rows of 2 blockDim.x cells
  const int width = static_cast<int>(blockDim.x), tile_width = 2 * width;
  const int x[2] = {static_cast<int>(blockIdx.x) * tile_width + static_cast<int>(threadIdx.x),
                    static_cast<int>(blockIdx.x) * tile_width + static_cast<int>(threadIdx.x) + width};
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int row = static_cast<int>(threadIdx.y) * tile_width;
  const int own[2] = {row + static_cast<int>(threadIdx.x), row + static_cast<int>(threadIdx.x) + width};
  const bool first_row = threadIdx.y == 0, last_row = threadIdx.y == blockDim.y - 1;
  const bool inner_row = y > 0 && y < ny - 1;
  const bool inner[2] = {inner_row && x[0] > 0, inner_row && x[1] < nx - 1};
  const int plane_cells = nx * ny;
  const int at[2] = {nx * y + x[0], nx * y + x[1]};

  Column column[2];
#pragma unroll
  for (int c = 0; c < 2; ++c) {
    column[c] = {in[at[c]], in[plane_cells + at[c]], 0};
    tile[own[c]] = column[c].here;
  }
  __syncthreads();

  for (int z = 1; z < nz - 1; ++z) {
    const float* plane = in + plane_cells * z;
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      column[c].above = plane[plane_cells + at[c]];
      if (inner[c]) {
        const bool at_left = c == 0 && threadIdx.x == 0;
        const bool at_right = c == 1 && threadIdx.x == blockDim.x - 1;
        const float around = neighbour(tile, own[c] - 1, !at_left, plane, at[c] - 1) +
                             neighbour(tile, own[c] + 1, !at_right, plane, at[c] + 1) +
                             neighbour(tile, own[c] - tile_width, !first_row, plane, at[c] - nx) +
                             neighbour(tile, own[c] + tile_width, !last_row, plane, at[c] + nx) +
                             column[c].below + column[c].above;
        out[plane_cells * z + at[c]] = c1 * around - c0 * column[c].here;
      }
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      column[c].below = column[c].here;
      column[c].here = column[c].above;
      tile[own[c]] = column[c].here;
    }
    __syncthreads();
  }
}
