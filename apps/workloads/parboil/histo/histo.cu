// A large histogram whose counts stop at 255: the algorithm of Parboil's histo.
//
// Values lie mostly in the middle. histo_prescan_kernel estimates from samples which ranges of 24 Ki bins
// that is. histo_intermediates_kernel splits bin numbers into range, word and byte. In histo_main_kernel each
// CTA counts one range of its part of the values in shared memory, four bins of 8 bits a word, and notes
// overflows; CTAs of the first range also count in global memory what lies outside of all ranges.
// histo_final_kernel adds everything up and clears it for the next time.

using uint = unsigned int;

constexpr uint range_kib = 24;
constexpr uint range_bins = range_kib * 1024;
constexpr uint range_words = range_bins / 4;
constexpr uint parts = 14; // of the values: CTAs of a range
constexpr uint prescan_threads = 512;
constexpr uint rows_per_cta = 16;
constexpr uint most = 255;

extern "C" __global__ void histo_prescan_kernel(const uint* values, int size, uint* least_and_last_range) {
  __shared__ float means[prescan_threads], deviations[prescan_threads];
  const int part = size / static_cast<int>(gridDim.x), first = static_cast<int>(blockIdx.x) * part;
  const int end = first + part / 8; // an eighth is sampled
  const int thread = static_cast<int>(threadIdx.x);
  float mean = 0, squares = 0;
  int count = 0;
  for (int i = first + thread; i < end; i += prescan_threads, ++count)
    mean += values[i];
  mean /= count;
  for (int i = first + thread; i < end; i += prescan_threads)
    squares += (values[i] - mean) * (values[i] - mean);
  means[thread] = mean;
  deviations[thread] = sqrtf(squares / count);
  for (int half = prescan_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) {
      means[thread] += means[thread + half];
      deviations[thread] += deviations[thread + half];
    }
  }
  if (thread > 0)
    return;
  mean = means[0] / prescan_threads;
  const float reach = 10 * deviations[0] / prescan_threads;
  atomicMin(&least_and_last_range[0], static_cast<uint>(mean - reach) / range_bins);
  atomicMax(&least_and_last_range[1], static_cast<uint>(mean + reach) / range_bins);
}

__device__ uchar4 place_of(uint bin) {
  return make_uchar4(bin / range_bins, bin / 1024 % range_kib, bin / 4 % 256, bin % 4 * 8);
}

// A thread takes two neighbours of each of 16 rows; rows of odd width end in a single one.
extern "C" __global__ void histo_intermediates_kernel(const uint2* values, uint, uint width,
                                                      uint pairs_of_row, uchar4* places) {
  const uint first_row = rows_per_cta * blockIdx.x;
  const bool is_single = width % 2 == 1 && threadIdx.x == blockDim.x - 1;
#pragma unroll
  for (uint row = first_row; row < first_row + rows_per_cta; ++row) {
    const uint2 pair = values[row * pairs_of_row + threadIdx.x];
    uchar4* place = &places[row * width + threadIdx.x];
    place[0] = place_of(pair.x);
    if (!is_single)
      place[blockDim.x] = place_of(pair.y);
  }
}

__device__ uint bin_of(uchar4 place) {
  return place.x * range_bins + place.y * 1024 + place.z * 4 + place.w / 8;
}

// A byte that wraps carries into the next ones of its word; `overflow` takes that back.
__device__ void count_locally(uint* words, uint* overflow, uchar4 place) {
  const uint before = atomicAdd(&words[place.y * 256 + place.z], 1u << place.w);
  if ((before >> place.w & most) != most)
    return;
  uint* bin = overflow + bin_of(place);
  atomicAdd(bin, most + 1);
  for (uint shift = place.w + 8u; shift < 32; shift += 8) {
    const bool wraps = (before >> shift & most) == most;
    atomicAdd(++bin, wraps ? most : ~0u);
    if (!wraps)
      break;
  }
}

// Two counts of 16 bits a word; near enough to its limit, no more is added.
__device__ void count_globally(uint* counts, uchar4 place) {
  const uint bin = bin_of(place), shift = bin % 2 * 16;
  if ((counts[bin / 2] >> shift & 0xffff) < most)
    atomicAdd(&counts[bin / 2], 1u << shift);
}

extern "C" __global__ void histo_main_kernel(const uchar4* places, uint size, uint first_range,
                                             uint last_range, uint height, uint width, uint* counts_of_parts,
                                             uint* global_counts, uint* overflow) {
  __shared__ uint words[range_words];
  const uint range = first_range + blockIdx.y;
  for (uint w = threadIdx.x; w < range_words; w += blockDim.x)
    words[w] = 0;
  __syncthreads();
  for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += blockDim.x * gridDim.x) {
    const uchar4 place = places[i];
    if (place.x == range)
      count_locally(words, overflow, place);
    if (blockIdx.y == 0 && (place.x < first_range || place.x > last_range))
      count_globally(global_counts, place);
  }
  __syncthreads();
  uint* mine = counts_of_parts + blockIdx.x * (height * width / 4) + range * range_words;
  for (uint w = threadIdx.x; w < range_words; w += blockDim.x)
    mine[w] = words[w];
}

__device__ uchar4 limited(uint4 counts) {
  return make_uchar4(min(counts.x, most), min(counts.y, most), min(counts.z, most), min(counts.w, most));
}

// Four bins at a time, those outside of the ranges.
__device__ void finish_outside(uint begin, uint end, ushort4* global_counts, uchar4* counts) {
  for (uint i = begin + threadIdx.x + blockIdx.x * blockDim.x; i < end; i += gridDim.x * blockDim.x) {
    const ushort4 found = global_counts[i];
    global_counts[i] = make_ushort4(0, 0, 0, 0);
    counts[i] = limited(make_uint4(found.x, found.y, found.z, found.w));
  }
}

extern "C" __global__ void histo_final_kernel(uint first_range, uint last_range, uint height, uint width,
                                              const uint* counts_of_parts, ushort4* global_counts,
                                              uint4* overflow, uchar4* counts) {
  const uint words = height * width / 4;
  const uint begin = first_range * range_words, end = (last_range + 1) * range_words;
  finish_outside(0, begin, global_counts, counts);
  for (uint i = begin + threadIdx.x + blockIdx.x * blockDim.x; i < end; i += gridDim.x * blockDim.x) {
    uint4 sum = overflow[i];
    overflow[i] = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (uint part = 0; part < parts; ++part) {
      const uint four = counts_of_parts[i + part * words];
      sum.x += four & most;
      sum.y += four >> 8 & most;
      sum.z += four >> 16 & most;
      sum.w += four >> 24;
    }
    counts[i] = limited(sum);
  }
  finish_outside(end, words, global_counts, counts);
}
