// Sorting floats by buckets, then by merging quadruples: the algorithm of Rodinia's hybridsort.
//
// histogram1024Kernel counts values; the host makes pivots of it. bucketcount finds each value's bucket by
// binary search among 1023 pivots and its place among those that the CTA found; bucketprefixoffset sums the
// CTAs' counts; bucketsort moves values into their buckets. There mergeSortFirst sorts quadruples,
// mergeSortPass merges sorted lists, one pair a thread, and mergepack removes the padding. Leaves out:
// textures, by which the suite reads (here the read-only path), and its counting without atomics.

constexpr int buckets = 1024;
constexpr int bucket_bits = 10;
constexpr int histogram_warps = 3;

__constant__ int constStartAddr[buckets + 1]; // of the buckets, in quadruples
__constant__ int finalStartAddr[buckets + 1]; // without padding, in values
__constant__ int nullElems[buckets];          // padding in front of a bucket's values

extern "C" __global__ void histogram1024Kernel(unsigned* counts, const float* values, float minimum,
                                               float maximum, int size) {
  __shared__ unsigned of_warp[histogram_warps][buckets];
  for (int b = static_cast<int>(threadIdx.x); b < histogram_warps * buckets;
       b += static_cast<int>(blockDim.x))
    of_warp[0][b] = 0;
  __syncthreads();
  const int threads = static_cast<int>(blockDim.x * gridDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < size; i += threads) {
    const auto bucket = static_cast<unsigned>((values[i] - minimum) / (maximum - minimum) * buckets);
    atomicAdd(&of_warp[threadIdx.x / 32][bucket % buckets], 1u);
  }
  __syncthreads();
  for (int b = static_cast<int>(threadIdx.x); b < buckets; b += static_cast<int>(blockDim.x)) {
    unsigned sum = 0;
    for (int w = 0; w < histogram_warps; ++w)
      sum += of_warp[w][b];
    atomicAdd(&counts[b], sum);
  }
}

// `place` is a value's number among those of its bucket in this CTA, then its bucket.
extern "C" __global__ void bucketcount(const float* values, int* place, unsigned* counts_of_cta, int size,
                                       const float* __restrict__ pivots) {
  __shared__ unsigned counts[buckets];
  const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(blockDim.x);
  for (int b = thread; b < buckets; b += step)
    counts[b] = 0;
  __syncthreads();
  const int threads = static_cast<int>(blockDim.x * gridDim.x);
  for (int i = static_cast<int>(blockIdx.x) * step + thread; i < size; i += threads) {
    const float value = values[i];
    int bucket = buckets / 2 - 1;
    for (int jump = buckets / 4; jump >= 1; jump /= 2)
      bucket += value < pivots[bucket] ? -jump : jump;
    bucket += value < pivots[bucket] ? 0 : 1;
    place[i] = static_cast<int>(atomicAdd(&counts[bucket], 1u) << bucket_bits) + bucket;
  }
  __syncthreads();
  for (int b = thread; b < buckets; b += step)
    counts_of_cta[blockIdx.x * buckets + b] = counts[b];
}

// One thread per bucket: its counts become the sums of those before, in the order of the CTAs.
extern "C" __global__ void bucketprefixoffset(unsigned* counts_of_cta, unsigned* counts, int ctas) {
  const int bucket = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned sum = 0;
  for (int i = bucket; i < ctas * buckets; i += buckets) {
    const unsigned count = counts_of_cta[i];
    counts_of_cta[i] = sum;
    sum += count;
  }
  counts[bucket] = sum;
}

extern "C" __global__ void bucketsort(const float* values, const int* place, float* sorted, int size,
                                      const unsigned* before_cta, const unsigned* begin_of_bucket) {
  __shared__ unsigned begin[buckets];
  const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(blockDim.x);
  for (int b = thread; b < buckets; b += step)
    begin[b] = begin_of_bucket[b] + before_cta[blockIdx.x * buckets + b];
  __syncthreads();
  const int threads = static_cast<int>(blockDim.x * gridDim.x);
  for (int i = static_cast<int>(blockIdx.x) * step + thread; i < size; i += threads)
    sorted[begin[place[i] % buckets] + (place[i] >> bucket_bits)] = values[i];
}

__device__ void order(float& low, float& high) {
  const float least = fminf(low, high);
  high = fmaxf(low, high);
  low = least;
}

__device__ float4 sorted(float4 q) {
  order(q.x, q.y);
  order(q.z, q.w);
  order(q.x, q.z);
  order(q.y, q.w);
  order(q.y, q.z);
  return q;
}

extern "C" __global__ void mergeSortFirst(const float4* __restrict__ in, float4* out, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size / 4)
    out[i] = sorted(in[i]);
}

// Of two sorted quadruples the four lowest stay in `low` and the others in `high`, both sorted.
__device__ void split(float4& low, float4& high) {
  order(low.x, high.w);
  order(low.y, high.z);
  order(low.z, high.y);
  order(low.w, high.x);
  low = sorted(low);
  high = sorted(high);
}

// Merges two lists of `length` / 2 quadruples each.
extern "C" __global__ void mergeSortPass(const float4* __restrict__ in, float4* out, int length,
                                         int threads_per_bucket) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int bucket = thread / threads_per_bucket;
  if (bucket >= buckets)
    return;
  const int begin = constStartAddr[bucket] + (thread - bucket * threads_per_bucket) * length;
  const int middle = begin + length / 2, bucket_end = constStartAddr[bucket + 1];
  if (begin >= bucket_end)
    return;
  if (middle >= bucket_end) {
    for (int i = begin; i < bucket_end; ++i)
      out[i] = in[i];
    return;
  }
  const int end = min(begin + length, bucket_end);
  int left = begin, right = middle, to = begin;
  float4 low = in[left], high = in[right];
  while (true) {
    split(low, high);
    out[to++] = low;
    const bool more_left = left + 1 < middle, more_right = right + 1 < end;
    if (!more_left && !more_right)
      break;
    // The list whose next quadruple begins lower goes on.
    if (more_left && (!more_right || in[left + 1].x < in[right + 1].x))
      low = in[++left];
    else
      low = in[++right];
  }
  out[to] = high;
}

extern "C" __global__ void mergepack(const float* padded, float* packed) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int bucket = static_cast<int>(blockIdx.y);
  if (finalStartAddr[bucket] + i < finalStartAddr[bucket + 1])
    packed[finalStartAddr[bucket] + i] = padded[constStartAddr[bucket] * 4 + nullElems[bucket] + i];
}
