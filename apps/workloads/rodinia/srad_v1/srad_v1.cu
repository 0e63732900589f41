// Speckle-reducing anisotropic diffusion of an image: the algorithm of Rodinia's srad_v1.
//
// One thread per pixel, stored by columns. extract takes the image out of its logarithmic form and compress
// puts it back. In each iteration prepare copies the pixels and their squares, reduce (twice: 512 to one,
// then all that are left) adds both up, the host makes the speckle scale of the sums, srad computes
// derivatives and diffusion coefficients, srad2 takes the step. Neighbours come from four tables that end at
// the image's edge. Leaves out: resizing and writing images.

constexpr int cta = 512; // threads, of all kernels

__device__ int pixel_of_thread() { return static_cast<int>(blockIdx.x * cta + threadIdx.x); }

extern "C" __global__ void extract(long long pixels, float* image) {
  const int pixel = pixel_of_thread();
  if (pixel < pixels)
    image[pixel] = expf(image[pixel] / 255);
}

extern "C" __global__ void compress(long long pixels, float* image) {
  const int pixel = pixel_of_thread();
  if (pixel < pixels)
    image[pixel] = logf(image[pixel]) * 255;
}

extern "C" __global__ void prepare(long long pixels, const float* image, float* sums, float* squares) {
  const int pixel = pixel_of_thread();
  if (pixel < pixels) {
    sums[pixel] = image[pixel];
    squares[pixel] = image[pixel] * image[pixel];
  }
}

// Adds up `count` elements that lie `stride` apart, 512 per CTA, to the place of the CTA's first one.
extern "C" __global__ void reduce(long long pixels, int count, int stride, float* sums, float* squares) {
  __shared__ float sum[cta];
  __shared__ float square[cta];
  const int thread = static_cast<int>(threadIdx.x);
  const int element = pixel_of_thread();
  const int in_cta = min(count - static_cast<int>(blockIdx.x) * cta, cta);
  if (element < count) {
    sum[thread] = sums[element * stride];
    square[thread] = squares[element * stride];
  }
  __syncthreads();

  // A tree over the largest power of two; thread 0 of a shorter CTA adds the rest one by one.
  int whole = cta;
  while (whole > in_cta)
    whole /= 2;
  for (int apart = 1; apart < whole; apart *= 2) {
    if (thread < whole && (thread + 1) % (2 * apart) == 0) {
      sum[thread] += sum[thread - apart];
      square[thread] += square[thread - apart];
    }
    __syncthreads();
  }
  if (thread == whole - 1) {
    float total = sum[thread], total_square = square[thread];
    for (int rest = whole; rest < in_cta; ++rest) {
      total += sum[rest];
      total_square += square[rest];
    }
    const long long place = static_cast<long long>(blockIdx.x) * stride * cta;
    sums[place] = total;
    squares[place] = total_square;
  }
}

// Derivatives to the four neighbours and the diffusion coefficient, kept between 0 and 1.
extern "C" __global__ void srad(float, int rows, int, long long pixels, const int* north_of,
                                const int* south_of, const int* east_of, const int* west_of, float* north,
                                float* south, float* east, float* west, float speckle_scale,
                                float* coefficient, const float* image) {
  const int pixel = pixel_of_thread();
  if (pixel >= pixels)
    return;
  const int row = pixel % rows, col = pixel / rows;
  const float here = image[pixel];
  const float to_north = image[north_of[row] + rows * col] - here;
  const float to_south = image[south_of[row] + rows * col] - here;
  const float to_west = image[row + rows * west_of[col]] - here;
  const float to_east = image[row + rows * east_of[col]] - here;

  const float gradient =
      (to_north * to_north + to_south * to_south + to_west * to_west + to_east * to_east) / (here * here);
  const float laplacian = (to_north + to_south + to_west + to_east) / here;
  const float numerator = 0.5f * gradient - (1.0f / 16) * (laplacian * laplacian);
  const float denominator = 1 + 0.25f * laplacian;
  const float variation = numerator / (denominator * denominator);
  const float excess = (variation - speckle_scale) / (speckle_scale * (1 + speckle_scale));

  north[pixel] = to_north;
  south[pixel] = to_south;
  west[pixel] = to_west;
  east[pixel] = to_east;
  coefficient[pixel] = fminf(fmaxf(1 / (1 + excess), 0.0f), 1.0f);
}

// The step, of rate lambda.
extern "C" __global__ void srad2(float lambda, int rows, int, long long pixels, const int*,
                                 const int* south_of, const int* east_of, const int*, const float* north,
                                 const float* south, const float* east, const float* west,
                                 const float* coefficient, float* image) {
  const int pixel = pixel_of_thread();
  if (pixel >= pixels)
    return;
  const int row = pixel % rows, col = pixel / rows;
  const float here = coefficient[pixel];
  const float at_south = coefficient[south_of[row] + rows * col];
  const float at_east = coefficient[row + rows * east_of[col]];
  const float divergence =
      here * north[pixel] + at_south * south[pixel] + here * west[pixel] + at_east * east[pixel];
  image[pixel] += 0.25f * lambda * divergence;
}
