// Inclusive prefix sums of 512 elements per CTA (Hillis and Steele), and each CTA's total.
extern "C" __global__ void scan(const int* in, int* out, int* totals, int n) {
  __shared__ int sums[2][512];
  int i = blockIdx.x * 512 + threadIdx.x;
  int from = 0;
  sums[0][threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < 512; distance *= 2) {
    int own = sums[from][threadIdx.x];
    if (threadIdx.x >= distance)
      own += sums[from][threadIdx.x - distance];
    sums[1 - from][threadIdx.x] = own;
    from = 1 - from;
    __syncthreads();
  }
  if (i < n)
    out[i] = sums[from][threadIdx.x];
  if (threadIdx.x == 511)
    totals[blockIdx.x] = sums[from][511];
}
