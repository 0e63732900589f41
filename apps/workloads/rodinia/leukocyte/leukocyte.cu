// White blood cells in a video are found and followed: the core of Rodinia's leukocyte.
//
// GICOV_kernel, a thread per pixel, compares gradients along seven circles with their normals. dilate_kernel
// takes the greatest value in a disk around each pixel. IMGVF_kernel, a CTA per cell, lets a vector flow
// field settle in shared memory, 320 points at a time, until it hardly changes. Leaves out: reading the
// video, choosing cells and evolving their outlines on the host, and textures (here loads through the
// read-only path).

constexpr int circle_points = 150;
constexpr int circles = 7;
constexpr int margin = 20 + 2; // the greatest radius, and the gradient's
constexpr int disk_side = 25;

__constant__ float c_sin_angle[circle_points];
__constant__ float c_cos_angle[circle_points];
__constant__ int c_tX[circles * circle_points];
__constant__ int c_tY[circles * circle_points];
__constant__ float c_strel[disk_side * disk_side]; // 1 within the disk

// The greatest ratio of squared mean and variance, as values come (Welford).
extern "C" __global__ void GICOV_kernel(int rows, float* gicov, const float* __restrict__ gradient_x,
                                        const float* __restrict__ gradient_y) {
  const int column = static_cast<int>(blockIdx.x) + margin, row = static_cast<int>(threadIdx.x) + margin;
  float greatest = 0;
  for (int circle = 0; circle < circles; ++circle) {
    float sum = 0, squares = 0, mean = 0;
    for (int n = 0; n < circle_points; ++n) {
      const int x = column + c_tX[circle * circle_points + n], y = row + c_tY[circle * circle_points + n];
      const float along =
          gradient_x[x * rows + y] * c_cos_angle[n] + gradient_y[x * rows + y] * c_sin_angle[n];
      const float off = along - mean;
      sum += along;
      mean += off / static_cast<float>(n + 1);
      squares += off * (along - mean);
    }
    mean = sum / circle_points;
    greatest = fmaxf(greatest, mean * mean / (squares / (circle_points - 1)));
  }
  gicov[column * rows + row] = greatest;
}

extern "C" __global__ void dilate_kernel(int rows, int columns, int disk_rows, int disk_columns,
                                         float* dilated, const float* __restrict__ image) {
  const int pixel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = pixel % rows, column = pixel / rows;
  float greatest = 0;
  for (int r = 0; r < disk_rows; ++r) {
    const int y = row - disk_rows / 2 + r;
    if (y < 0 || y >= rows)
      continue;
    for (int c = 0; c < disk_columns; ++c) {
      const int x = column - disk_columns / 2 + c;
      if (x >= 0 && x < columns && c_strel[r * disk_columns + c] != 0)
        greatest = fmaxf(greatest, image[x * rows + y]);
    }
  }
  if (column < columns)
    dilated[row * columns + column] = greatest;
}

constexpr int threads = 320;
constexpr int most_points = 41 * 81; // of a cell
constexpr float mu = 0.5f, lambda = 8 * mu + 1;

// A smooth step from 0 to 1.
__device__ float heaviside(float x) { return atanf(x) * 0.318309886f + 0.5f; }

// One point of the field, drawn towards its eight neighbours in the direction of (vx, vy), and to the image.
__device__ float settled(const float* field, int rows, int columns, int row, int column, float image,
                         float vx, float vy, float inv_e) {
  const float old = field[row * columns + column];
  float flow = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx == 0 && dy == 0)
        continue;
      const int y = min(max(row + dy, 0), rows - 1), x = min(max(column + dx, 0), columns - 1);
      const float difference = field[y * columns + x] - old;
      flow += heaviside(difference * (dx * vx + dy * vy) * inv_e) * difference;
    }
  const float value = old + mu / lambda * flow;
  return value - image * (value - image) / lambda;
}

// The sum over the CTA, in buffer[0]; 64 threads are beyond a power of two.
__device__ void add_up(float* buffer, float value) {
  const int thread = static_cast<int>(threadIdx.x);
  buffer[thread] = value;
  __syncthreads();
  if (thread >= 256)
    buffer[thread - 256] += buffer[thread];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half)
      buffer[thread] += buffer[thread + half];
  }
  __syncthreads();
}

// All cells are of one size and lie one after the other. Points settle in order, as new values wait in a
// buffer until all threads have read the old ones.
extern "C" __global__ void IMGVF_kernel(float* fields, const float* images, int rows, int columns, float vx,
                                        float vy, float e, int max_iterations, float cutoff) {
  __shared__ float field[most_points];
  __shared__ float buffer[threads];
  const int points = rows * columns, thread = static_cast<int>(threadIdx.x);
  const int rounds = (points + threads - 1) / threads;
  float* mine = fields + blockIdx.x * points;
  const float* image = images + blockIdx.x * points;
  for (int p = thread; p < points; p += threads)
    field[p] = mine[p];
  __syncthreads();

  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    float change = 0;
    for (int round = 0; round <= rounds; ++round) {
      const int point = round * threads + thread;
      float value = 0;
      if (point < points) {
        value = settled(field, rows, columns, point / columns, point % columns, image[point], vx, vy, 1 / e);
        change += fabsf(value - field[point]);
      }
      __syncthreads();
      if (round > 0 && point - threads < points)
        field[point - threads] = buffer[thread];
      buffer[thread] = value;
      __syncthreads();
    }
    add_up(buffer, change);
    const bool converged = buffer[0] / points < cutoff;
    __syncthreads();
    if (converged)
      break;
  }
  for (int p = thread; p < points; p += threads)
    mine[p] = field[p];
}
