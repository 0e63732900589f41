// Histograms of angles between pairs of points on a sphere (two-point angular correlation): the algorithm of
// Parboil's tpacf.
//
// One CTA of 256 threads per pair of catalogues: CTA 0 takes the observed points with themselves, CTAs 1 to
// `sets` a random catalogue with itself, the others the observed points with a random catalogue. Points are
// staged through shared memory 256 at a time; each thread keeps one point and meets all staged ones. A
// binary search finds the bin of a pair's cosine; 128 histograms in shared memory, each shared by two threads
// of different warps, count it with atomics. At the end a tree
// adds them up.

constexpr int threads = 256;
constexpr int bins = 20;
constexpr int histograms = 128;

// Cosines of the bins' limits: 0.01 degrees times 10^(k / 5), lowest angle first; filled by the host.
__constant__ float dev_binb[bins + 1];

struct Points {
  float x[threads], y[threads], z[threads];
};

__device__ int bin_of(float cosine) {
  int low = 0, high = bins;
  while (high > low + 1) {
    const int middle = (low + high) / 2;
    if (cosine >= dev_binb[middle])
      high = middle;
    else
      low = middle;
  }
  if (cosine >= dev_binb[low])
    return low - 1;
  if (cosine < dev_binb[high])
    return high;
  return low;
}

extern "C" __global__ void gen_hists(unsigned long long* counts, const float* all_x, const float* all_y,
                                     const float* all_z, int sets, int elements) {
  __shared__ Points staged;
  __shared__ unsigned histogram[bins][histograms];
  const int thread = static_cast<int>(threadIdx.x);
  const int cta = static_cast<int>(blockIdx.x);
  for (int at = thread; at < bins * histograms; at += threads)
    histogram[at / histograms][at % histograms] = 0;

  const bool with_itself = cta <= sets;
  const int kept_set = with_itself ? cta : 0;
  const int staged_set = with_itself ? cta : cta - sets;
  const float *kept_x = all_x + kept_set * elements, *kept_y = all_y + kept_set * elements,
              *kept_z = all_z + kept_set * elements;
  const float *staged_x = all_x + staged_set * elements, *staged_y = all_y + staged_set * elements,
              *staged_z = all_z + staged_set * elements;

  for (int first = 0; first < elements; first += threads) {
    const int end = min(elements - first, threads);
    __syncthreads();
    if (thread < end) {
      staged.x[thread] = staged_x[first + thread];
      staged.y[thread] = staged_y[first + thread];
      staged.z[thread] = staged_z[first + thread];
    }
    __syncthreads();
    // Of a catalogue with itself each pair is taken once: the kept point comes after the staged one.
    for (int base = with_itself ? first : 0; base < elements; base += threads) {
      const int point = base + thread;
      if (point >= elements)
        continue;
      const float x = kept_x[point], y = kept_y[point], z = kept_z[point];
      for (int k = 0; k < end; ++k) {
        const float cosine = x * staged.x[k] + y * staged.y[k] + z * staged.z[k];
        const int bin = bin_of(cosine);
        if (bin >= 0 && bin < bins && (!with_itself || first + k < point))
          atomicAdd(&histogram[bin][thread % histograms], 1u);
      }
    }
  }
  __syncthreads();

  // A tree over the 128 histograms of each bin: their upper half is added to the lower.
  for (int shift = 6; shift >= 0; --shift) {
    const int half = 1 << shift;
    for (int at = thread; at < bins << shift; at += threads)
      histogram[at >> shift][at & (half - 1)] += histogram[at >> shift][(at & (half - 1)) + half];
    __syncthreads();
  }
  if (thread < bins)
    counts[cta * bins + thread] = histogram[thread][0];
}
