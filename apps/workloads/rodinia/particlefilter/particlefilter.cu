// Tracking an object by sequential Monte Carlo: the algorithm of Rodinia's particlefilter_float.
//
// One thread per particle, in double precision. likelihood_kernel moves particles at random, compares the
// image below each with the object, and adds up weights per CTA in shared memory; sum_kernel adds up the
// CTAs' sums on one thread; normalize_weights_kernel makes the cumulative distribution on one thread;
// find_index_kernel resamples, each new particle a search through that distribution. Leaves out: making the
// video.

constexpr int cta = 512;

// A linear congruential generator, its state per particle, in [0, 1).
__device__ double uniform(int* seed, int particle) {
  constexpr int multiplier = 1103515245, increment = 12345;
  seed[particle] =
      static_cast<int>(static_cast<unsigned>(multiplier) * static_cast<unsigned>(seed[particle]) + increment);
  return fabs(seed[particle] / 2147483647.0);
}

// Box and Muller.
__device__ double normal(int* seed, int particle) {
  const double u = uniform(seed, particle), v = uniform(seed, particle);
  return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

// Adds a CTA's values up in shared memory; the sum is thread 0's.
__device__ double sum_of_cta(double value) {
  __shared__ double sums[cta];
  const int thread = static_cast<int>(threadIdx.x);
  sums[thread] = value;
  __syncthreads();
  for (int half = cta / 2; half > 0; half /= 2) {
    if (thread < half)
      sums[thread] += sums[thread + half];
    __syncthreads();
  }
  return sums[0];
}

extern "C" __global__ void likelihood_kernel(double* x, double* y, const double* old_x, const double* old_y,
                                             double*, int* index, const int* object, double* likelihood,
                                             const unsigned char* image, double*, double* weights,
                                             int particles, int object_cells, int image_cells, int frame,
                                             int height, int frames, int* seed, double* partial_sums) {
  const int at = static_cast<int>(blockDim.x * blockIdx.x + threadIdx.x);
  double weight = 0;
  if (at < particles) {
    const double moved_x = old_x[at] + 1 + 5 * normal(seed, at);
    const double moved_y = old_y[at] - 2 + 2 * normal(seed, at);
    x[at] = moved_x;
    y[at] = moved_y;
    const int cell_x = static_cast<int>(rint(moved_x)), cell_y = static_cast<int>(rint(moved_y));
    for (int o = 0; o < object_cells; ++o) {
      const int found =
          abs((cell_x + object[2 * o + 1]) * height * frames + (cell_y + object[2 * o]) * frames + frame);
      index[at * object_cells + o] = found >= image_cells ? 0 : found;
    }
    double sum = 0; // of the squared distance from the background less that from the object
    for (int o = 0; o < object_cells; ++o) {
      const int grey = image[index[at * object_cells + o]];
      sum += ((grey - 100) * (grey - 100) - (grey - 228) * (grey - 228)) / 50.0;
    }
    likelihood[at] = sum / object_cells;
    weight = exp(likelihood[at]) / particles;
    weights[at] = weight;
  }
  const double total = sum_of_cta(weight);
  if (threadIdx.x == 0)
    partial_sums[blockIdx.x] = total;
}

extern "C" __global__ void sum_kernel(double* partial_sums, int particles) {
  if (blockIdx.x != 0 || threadIdx.x != 0)
    return;
  const int ctas = (particles + cta - 1) / cta;
  double sum = 0;
  for (int c = 0; c < ctas; ++c)
    sum += partial_sums[c];
  partial_sums[0] = sum;
}

// The first CTA makes the distribution, of weights that it divides itself, as other CTAs may not have done
// so.
extern "C" __global__ void normalize_weights_kernel(double* weights, int particles,
                                                    const double* partial_sums, double* cumulative,
                                                    double* positions, const int* seed) {
  __shared__ double first_position, sum;
  const int at = static_cast<int>(blockDim.x * blockIdx.x + threadIdx.x);
  if (threadIdx.x == 0) {
    sum = partial_sums[0];
    int first_seed = seed[0];
    first_position = uniform(&first_seed, 0) / particles;
  }
  __syncthreads();
  if (at == 0) {
    double reached = 0;
    for (int p = 0; p < particles; ++p) {
      reached += weights[p] / sum;
      cumulative[p] = reached;
    }
  }
  __syncthreads();
  if (at < particles)
    positions[at] = first_position + at / static_cast<double>(particles);
}

// The first particle whose cumulative weight reaches this one's position, else the last.
__device__ int resampled(const double* cumulative, double position, int particles) {
  for (int p = 0; p < particles; ++p)
    if (cumulative[p] >= position)
      return p;
  return particles - 1;
}

extern "C" __global__ void find_index_kernel(const double* x, const double* y, const double* cumulative,
                                             const double* positions, double* new_x, double* new_y, double*,
                                             int particles) {
  const int at = static_cast<int>(blockDim.x * blockIdx.x + threadIdx.x);
  if (at >= particles)
    return;
  const int from = resampled(cumulative, positions[at], particles);
  new_x[at] = x[from];
  new_y[at] = y[from];
}
