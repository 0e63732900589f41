// Gridding of samples of k-space: the algorithm of Parboil's mri-gridding.
//
// Each sample belongs to the bin of the grid point below it, which has limited room. binning_kernel finds
// bins, one sample a thread. splitSort and splitRearrange sort the samples' numbers by bin, 4 bits a pass:
// CTAs of 256 threads sort 1024 pairs, and the scanned histograms say where each goes. reorder_kernel fetches
// samples in that order; a scan of the bins' counts says where each bin begins. In gridding_GPU a CTA of 8 x
// 4 x 2 threads computes 8 x 4 x 8 points, four of them a thread, 2 apart in z: it brings the samples of rows
// of bins to shared memory, 64 at a time, and every thread adds up those within the cutoff, weighted by a
// Kaiser-Bessel window. Leaves out: samples that found no room, which the suite's host adds.

struct Sample {
  float x, y, z; // in grid points
  float real, imaginary;
  float compensation; // of the density
};

struct Grid {
  int size[3];
  int plane; // points of one z
  float cutoff, cutoff2, inverse_cutoff2;
};
__constant__ Grid grid;

constexpr int digit_bits = 4, digits = 1 << digit_bits;
constexpr int sort_threads = 256, per_thread = 4, sorted = sort_threads * per_thread;
constexpr int scan_threads = 512;
constexpr int tile = 64; // samples, one a thread
constexpr int points_per_thread = 4;

// Keeps strided accesses of a scan out of each other's banks.
__host__ __device__ constexpr int padded(int index) { return index + index / 32; }

// The sums of a binary tree over two values a thread; the last value becomes the sum of all.
__device__ void sum_up(unsigned* values, int threads) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int active = threads, stride = 1; active > 0; active /= 2, stride *= 2) {
    __syncthreads();
    if (thread < active)
      values[padded(stride * (2 * thread + 2) - 1)] += values[padded(stride * (2 * thread + 1) - 1)];
  }
  __syncthreads();
}

// Down that tree; the last value is what comes before all.
__device__ void hand_down(unsigned* values, int threads) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int active = 1, stride = threads; active <= threads; active *= 2, stride /= 2) {
    __syncthreads();
    if (thread < active) {
      unsigned& left = values[padded(stride * (2 * thread + 1) - 1)];
      unsigned& right = values[padded(stride * (2 * thread + 2) - 1)];
      const unsigned of_left = left;
      left = right;
      right += of_left;
    }
  }
  __syncthreads();
}

// Replaces each value by the sum of those before it; returns the sum of all.
__device__ unsigned scan(unsigned* values, int threads) {
  sum_up(values, threads);
  const unsigned sum = values[padded(2 * threads - 1)];
  __syncthreads();
  if (threadIdx.x == 0)
    values[padded(2 * threads - 1)] = 0;
  hand_down(values, threads);
  return sum;
}

extern "C" __global__ void binning_kernel(unsigned count, const Sample* samples, unsigned* keys,
                                          unsigned* numbers, unsigned* counts, unsigned room, unsigned bins) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= count)
    return;
  const Sample sample = samples[number];
  const unsigned bin = static_cast<unsigned>(sample.z) * grid.plane +
                       static_cast<unsigned>(sample.y) * grid.size[0] + static_cast<unsigned>(sample.x);
  const bool fits = atomicAdd(&counts[bin], 1U) < room;
  if (!fits)
    atomicSub(&counts[bin], 1U);
  keys[number] = fits ? bin : bins; // sorted behind all bins
  numbers[number] = number;
}

__device__ unsigned digit_of(unsigned key, int pass) { return key >> (digit_bits * pass) & (digits - 1); }

// Sorts a CTA's pairs by one digit, bit by bit: those with a 0 keep their order before those with a 1.
extern "C" __global__ void splitSort(int count, int pass, unsigned* keys, unsigned* values,
                                     unsigned* histogram) {
  __shared__ __align__(16) unsigned ones[sorted];
  __shared__ unsigned sums[padded(sort_threads)];
  __shared__ unsigned counts[digits];
  const unsigned thread = threadIdx.x, begin = blockIdx.x * sorted, first = begin + per_thread * thread;
  const bool present = first < count;
  unsigned key[per_thread] = {~0U, ~0U, ~0U, ~0U}, value[per_thread] = {}, place[per_thread];
  if (present) {
    *reinterpret_cast<uint4*>(key) = *reinterpret_cast<const uint4*>(&keys[first]);
    *reinterpret_cast<uint4*>(value) = *reinterpret_cast<const uint4*>(&values[first]);
  }
  if (thread < digits)
    counts[thread] = 0;
  __syncthreads();
#pragma unroll
  for (int e = 0; e < per_thread; ++e) {
    place[e] = per_thread * thread + e;
    atomicAdd(&counts[digit_of(key[e], pass)], 1U);
  }

  for (int bit = digit_bits * pass; bit < digit_bits * (pass + 1); ++bit) {
#pragma unroll
    for (int e = 0; e < per_thread; ++e)
      ones[place[e]] = key[e] >> bit & 1;
    __syncthreads();
    uint4& mine = reinterpret_cast<uint4*>(ones)[thread];
    const uint4 one = mine;
    sums[padded(thread)] = one.x + one.y + one.z + one.w;
    const unsigned zeros = sorted - scan(sums, sort_threads / 2);
    const unsigned before = sums[padded(thread)];
    mine = make_uint4(before, before + one.x, before + one.x + one.y, before + one.x + one.y + one.z);
    __syncthreads();
#pragma unroll
    for (int e = 0; e < per_thread; ++e) {
      const unsigned ones_before = ones[place[e]];
      place[e] = (key[e] >> bit & 1) != 0 ? zeros + ones_before : place[e] - ones_before;
    }
    __syncthreads();
  }

  if (present)
#pragma unroll
    for (int e = 0; e < per_thread; ++e) {
      keys[begin + place[e]] = key[e];
      values[begin + place[e]] = value[e];
    }
  if (thread < digits)
    histogram[thread * gridDim.x + blockIdx.x] = counts[thread];
}

// Moves each pair to where those of its CTA and digit begin, behind the equal ones before it.
extern "C" __global__ void splitRearrange(int count, int pass, const unsigned* keys, unsigned* new_keys,
                                          const unsigned* values, unsigned* new_values,
                                          const unsigned* histogram) {
  __shared__ unsigned begins[digits];
  __shared__ __align__(16) unsigned digit_at[sorted];
  const unsigned thread = threadIdx.x, first = blockIdx.x * sorted + per_thread * thread;
  const bool present = first < count;
  if (thread < digits)
    begins[thread] = histogram[thread * gridDim.x + blockIdx.x];
  unsigned key[per_thread] = {~0U, ~0U, ~0U, ~0U}, value[per_thread] = {}, digit[per_thread];
  if (present) {
    *reinterpret_cast<uint4*>(key) = *reinterpret_cast<const uint4*>(&keys[first]);
    *reinterpret_cast<uint4*>(value) = *reinterpret_cast<const uint4*>(&values[first]);
  }
#pragma unroll
  for (int e = 0; e < per_thread; ++e)
    digit[e] = digit_of(key[e], pass);
  reinterpret_cast<uint4*>(digit_at)[thread] = make_uint4(digit[0], digit[1], digit[2], digit[3]);
  __syncthreads();

  unsigned place = begins[digit[0]];
  for (int before = static_cast<int>(per_thread * thread) - 1; before >= 0 && digit_at[before] == digit[0];
       --before)
    ++place;
  if (!present)
    return;
#pragma unroll
  for (int e = 0; e < per_thread; ++e) {
    if (e > 0)
      place = digit[e] == digit[e - 1] ? place + 1 : begins[digit[e]];
    new_keys[place] = key[e];
    new_values[place] = value[e];
  }
}

extern "C" __global__ void reorder_kernel(int count, const unsigned* numbers, const Sample* samples,
                                          float2* signals, float4* places) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= count)
    return;
  const Sample sample = samples[numbers[at]];
  signals[at] = make_float2(sample.real, sample.imaginary);
  places[at] = make_float4(sample.x, sample.y, sample.z, sample.compensation);
}

// 1024 values a CTA.
extern "C" __global__ void scan_L1_kernel(unsigned count, unsigned* data, unsigned* sums) {
  __shared__ unsigned values[padded(2 * scan_threads)];
  const unsigned thread = threadIdx.x, first = blockIdx.x * 2 * scan_threads + thread,
                 second = first + scan_threads;
  values[padded(thread)] = first < count ? data[first] : 0;
  values[padded(thread + scan_threads)] = second < count ? data[second] : 0;
  const unsigned sum = scan(values, scan_threads);
  if (first < count)
    data[first] = values[padded(thread)];
  if (second < count)
    data[second] = values[padded(thread + scan_threads)];
  if (thread == 0)
    sums[blockIdx.x] = sum;
}

// The sums of the CTAs, two a thread and every `stride` of them: up the tree and, in another launch, down.
extern "C" __global__ void scan_inter1_kernel(unsigned* data, unsigned stride) {
  extern __shared__ unsigned tree[];
  const unsigned first = threadIdx.x, second = first + blockDim.x, begin = blockIdx.x * 2 * blockDim.x;
  tree[padded(first)] = data[(begin + first + 1) * stride - 1];
  tree[padded(second)] = data[(begin + second + 1) * stride - 1];
  sum_up(tree, static_cast<int>(blockDim.x));
  data[(begin + first + 1) * stride - 1] = tree[padded(first)];
  data[(begin + second + 1) * stride - 1] = tree[padded(second)];
}

extern "C" __global__ void scan_inter2_kernel(unsigned* data, unsigned stride) {
  extern __shared__ unsigned tree[];
  const unsigned first = threadIdx.x, second = first + blockDim.x, begin = blockIdx.x * 2 * blockDim.x;
  tree[padded(first)] = data[(begin + first + 1) * stride - 1];
  tree[padded(second)] = data[(begin + second + 1) * stride - 1];
  hand_down(tree, static_cast<int>(blockDim.x));
  data[(begin + first + 1) * stride - 1] = tree[padded(first)];
  data[(begin + second + 1) * stride - 1] = tree[padded(second)];
}

extern "C" __global__ void uniformAdd(unsigned count, unsigned* data, const unsigned* sums) {
  __shared__ unsigned before;
  if (threadIdx.x == 0)
    before = sums[blockIdx.x];
  __syncthreads();
  const unsigned first = blockIdx.x * 2 * scan_threads + threadIdx.x, second = first + scan_threads;
  if (first < count)
    data[first] += before;
  if (second < count)
    data[second] += before;
}

// The modified Bessel function of order 0: the rational approximation of Blair and Edwards (AECL-4928, 1974),
// made for up to 15; at the window's peak, 23.4, it is 8e-5 too large.
__device__ float bessel_i0(float x) {
  constexpr float up[] = {0.210580722890567e-22F, 0.380715242345326e-19F, 0.479440257548300e-16F,
                          0.435125971262668e-13F, 0.300931127112960e-10F, 0.160224679395361e-7F,
                          0.654858370096785e-5F,  0.202591084143397e-2F,  0.463076284721000F,
                          0.754337328948189e2F,   0.830792541809429e4F,   0.571661130563785e6F,
                          0.216415572361227e8F,   0.356644482244025e9F,   0.144048298227235e10F};
  const float z = x * x;
  float numerator = up[0];
#pragma unroll
  for (int k = 1; k < 15; ++k)
    numerator = numerator * z + up[k];
  const float denominator =
      ((z - 0.307646912682801e4F) * z + 0.347626332405882e7F) * z - 0.144048298227235e10F;
  return __fdividef(-numerator, denominator);
}

__device__ float square(float x) { return x * x; }

struct Point {
  float real, imaginary, density;
};

__device__ void add_sample(Point (&points)[points_per_thread], float4 at, float2 signal, int3 first,
                           float beta) {
  const float distance2_xy = square(at.x - first.x) + square(at.y - first.y);
#pragma unroll
  for (int p = 0; p < points_per_thread; ++p) {
    const float distance2 = distance2_xy + square(at.z - (first.z + p * static_cast<int>(blockDim.z)));
    if (distance2 < grid.cutoff2) {
      const float weight = bessel_i0(beta * sqrtf(1 - distance2 * grid.inverse_cutoff2)) * at.w;
      points[p].real += weight * signal.x;
      points[p].imaginary += weight * signal.y;
      points[p].density += 1;
    }
  }
}

// The first and the last bin, in one direction, of samples near `points` points from `first` on.
__device__ int2 bins_near(int first, int points, int axis) {
  return make_int2(max(first - static_cast<int>(ceilf(grid.cutoff)), 0),
                   min(first + points - 1 + static_cast<int>(grid.cutoff), grid.size[axis] - 1));
}

extern "C" __global__ void gridding_GPU(const float2* signals, const float4* places, const unsigned* begins,
                                        float2* values, float* densities, float beta) {
  __shared__ float2 signal_s[tile];
  __shared__ float4 place_s[tile];
  const int bx = static_cast<int>(blockDim.x), by = static_cast<int>(blockDim.y),
            bz = static_cast<int>(blockDim.z);
  const int thread = static_cast<int>((threadIdx.z * by + threadIdx.y) * bx + threadIdx.x);
  const int tiles_y = grid.size[1] / by, row = static_cast<int>(blockIdx.y);
  const int3 corner = make_int3(static_cast<int>(blockIdx.x) * bx, row % tiles_y * by,
                                row / tiles_y * bz * points_per_thread);
  const int3 first =
      make_int3(corner.x + static_cast<int>(threadIdx.x), corner.y + static_cast<int>(threadIdx.y),
                corner.z + static_cast<int>(threadIdx.z));
  const int2 near_x = bins_near(corner.x, bx, 0), near_y = bins_near(corner.y, by, 1),
             near_z = bins_near(corner.z, bz * points_per_thread, 2);
  Point points[points_per_thread] = {};

  for (int z = near_z.x; z <= near_z.y; ++z)
    for (int y = near_y.x; y <= near_y.y; ++y) {
      const unsigned* bins = begins + z * grid.plane + y * grid.size[0];
      const unsigned end = bins[near_x.y + 1];
      for (unsigned begin = bins[near_x.x]; begin < end; begin += tile) {
        const int samples = static_cast<int>(min(end - begin, static_cast<unsigned>(tile)));
        __syncthreads();
        if (thread < samples) {
          signal_s[thread] = signals[begin + thread];
          place_s[thread] = places[begin + thread];
        }
        __syncthreads();
        for (int s = 0; s < samples; ++s) {
          const float2 signal = signal_s[s];
          if ((signal.x != 0 || signal.y != 0) && place_s[s].w != 0)
            add_sample(points, place_s[s], signal, first, beta);
        }
      }
    }

#pragma unroll
  for (int p = 0; p < points_per_thread; ++p) {
    const int at = (first.z + p * bz) * grid.plane + first.y * grid.size[0] + first.x;
    values[at] = make_float2(points[p].real, points[p].imaginary);
    densities[at] = points[p].density;
  }
}
