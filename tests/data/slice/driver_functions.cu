// nvcc -arch=sm_80
// Kernels that call what the driver has: printf, assert, malloc and free.
#include <cassert>
#include <cstdio>

__device__ const char* names[2] = {"even", "odd"};

__global__ void tells(const int* in, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n && in[i] % 3 == 0)
    printf("%3d is %s, half is %.1f\n", in[i], names[in[i] & 1], in[i] * 0.5f);
}

__global__ void asserts(const int* in, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  assert(i >= n || in[i] < 100);
}

// Each thread keeps its squares in a block of its own.
__global__ void allocates(int* out, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  int* squares = new int[n];
  if (squares == nullptr)
    return;
  for (int k = 0; k < n; ++k)
    squares[k] = (i + k) * (i + k);
  int sum = 0;
  for (int k = 0; k < n; ++k)
    sum += squares[k];
  out[i] = sum;
  delete[] squares;
}
