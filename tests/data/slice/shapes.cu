// Access patterns: unit stride, a stride, a 2-D tile, shared memory, local memory, a gather.
extern "C" __global__ void coalesced(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

extern "C" __global__ void strided(const float* in, float* out, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * stride];
}

extern "C" __global__ void transpose(const float* in, float* out, int width) {
  __shared__ float pad[5];
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  pad[threadIdx.x % 5] = 0.0f;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  out[x * width + y] = tile[threadIdx.x][threadIdx.y] + pad[threadIdx.y % 5];
}

extern "C" __global__ void gather(const int* index, const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[index[i]];
}

extern "C" __global__ void local_array(float* out, int turn) {
  float values[32];
  int i = threadIdx.x;
  for (int k = 0; k < 32; ++k)
    values[(k + turn) & 31] = out[k * 32 + i];
  out[i] = values[(i + turn) & 31];
}

extern "C" __global__ void dynamic_shared(float* out) {
  extern __shared__ float buffer[];
  __shared__ float fixed[3];
  fixed[threadIdx.x % 3] = 0.0f;
  buffer[threadIdx.x * 2] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = buffer[threadIdx.x] + fixed[threadIdx.x % 3];
}
