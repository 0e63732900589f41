// Branches that depend on loaded data.
extern "C" __global__ void threshold(const float* in, float* out, float limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > limit) {
    out[i] = 2.0f;
    atomicAdd(out + 1024, 1.0f);
    __threadfence();
  } else {
    out[i] = 1.0f;
    atomicAdd(out + 2048, 1.0f);
    __threadfence();
  }
}

extern "C" __global__ void walk(const int* next, int* out) {
  int i = threadIdx.x;
  int p = next[i];
  int steps = 0;
  while (p != 0) {
    out[1024 + steps * 32 + i] = 1;
    p = next[p];
    ++steps;
  }
  out[i] = steps;
}

extern "C" __global__ void search(const int* keys, int* out, int n, int key) {
  int i = threadIdx.x;
  int found = -1;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    if (keys[k * 32 + i] == key) {
      found = k;
      break;
    }
  }
  out[i] = found;
}
