// Speckle-reducing anisotropic diffusion in tiles: the algorithm of Rodinia's srad_v2.
//
// A CTA of 16x16 threads stages its tile and the four edges around it in shared memory, computes and writes
// derivatives and coefficients (first kernel), then takes the step with the coefficients of the tiles to its
// south and east (second kernel). Sizes are multiples of 16. Leaves out: the speckle scale, which the suite's
// host computes from a region of the image.

constexpr int side = 16;

struct Place {
  int row, col, cell;
};

__device__ Place place_of_thread(int columns) {
  const int row = static_cast<int>(blockIdx.y) * side + static_cast<int>(threadIdx.y);
  const int col = static_cast<int>(blockIdx.x) * side + static_cast<int>(threadIdx.x);
  return {row, col, columns * row + col};
}

extern "C" __global__ void srad_cuda_1(float* east, float* west, float* north, float* south,
                                       const float* image, float* coefficient, int columns, int rows,
                                       float speckle_scale) {
  __shared__ float tile[side][side];
  __shared__ float result[side][side];
  __shared__ float above[side][side], below[side][side], left[side][side], right[side][side];
  const Place at = place_of_thread(columns);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int tile_row = at.row - y, tile_col = at.col - x;

  // Beyond the image its outermost cells go on.
  above[y][x] = image[columns * max(tile_row - 1, 0) + at.col];
  below[y][x] = image[columns * min(tile_row + side, rows - 1) + at.col];
  __syncthreads();
  left[y][x] = image[columns * at.row + max(tile_col - 1, 0)];
  right[y][x] = image[columns * at.row + min(tile_col + side, columns - 1)];
  __syncthreads();
  tile[y][x] = image[at.cell];
  __syncthreads();

  const float here = tile[y][x];
  const float to_north = (y == 0 ? above[y][x] : tile[y - 1][x]) - here;
  const float to_south = (y == side - 1 ? below[y][x] : tile[y + 1][x]) - here;
  const float to_west = (x == 0 ? left[y][x] : tile[y][x - 1]) - here;
  const float to_east = (x == side - 1 ? right[y][x] : tile[y][x + 1]) - here;
  const float gradient =
      (to_north * to_north + to_south * to_south + to_west * to_west + to_east * to_east) / (here * here);
  const float laplacian = (to_north + to_south + to_west + to_east) / here;
  const float numerator = 0.5f * gradient - (1.0f / 16) * (laplacian * laplacian);
  const float denominator = 1 + 0.25f * laplacian;
  const float variation = numerator / (denominator * denominator);
  const float excess = (variation - speckle_scale) / (speckle_scale * (1 + speckle_scale));
  result[y][x] = fminf(fmaxf(1 / (1 + excess), 0.0f), 1.0f);
  __syncthreads();

  coefficient[at.cell] = result[y][x];
  east[at.cell] = to_east;
  west[at.cell] = to_west;
  north[at.cell] = to_north;
  south[at.cell] = to_south;
}

extern "C" __global__ void srad_cuda_2(const float* east, const float* west, const float* north,
                                       const float* south, float* image, const float* coefficient,
                                       int columns, int rows, float lambda, float) {
  __shared__ float below[side][side], right[side][side], tile[side][side], result[side][side];
  __shared__ float pixels[side][side];
  const Place at = place_of_thread(columns);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);

  pixels[y][x] = image[at.cell];
  __syncthreads();
  below[y][x] = coefficient[columns * min(at.row - y + side, rows - 1) + at.col];
  right[y][x] = coefficient[columns * at.row + min(at.col - x + side, columns - 1)];
  __syncthreads();
  tile[y][x] = coefficient[at.cell];
  __syncthreads();

  const float here = tile[y][x];
  const float at_south = y == side - 1 ? below[y][x] : tile[y + 1][x];
  const float at_east = x == side - 1 ? right[y][x] : tile[y][x + 1];
  const float divergence =
      here * north[at.cell] + at_south * south[at.cell] + here * west[at.cell] + at_east * east[at.cell];
  result[y][x] = pixels[y][x] + 0.25f * lambda * divergence;
  __syncthreads();
  image[at.cell] = result[y][x];
}
