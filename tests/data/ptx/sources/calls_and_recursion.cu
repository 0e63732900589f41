// Recursion, virtual calls, function pointers, printf, assert, device-side new and variables of every space.
#include <cassert>
#include <cstdio>

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Disc : Shape {
  float radius;
  __device__ explicit Disc(float r) : radius(r) {}
  __device__ float area() const override { return 3.14159f * radius * radius; }
};

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

using Step = int (*)(int);
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int squared(int x) { return x * x; }
__device__ Step steps[2] = {twice, squared};
__constant__ float scale[4] = {1.0f, 2.0f, 4.0f, 8.0f};
__managed__ int total = 3;

struct Big {
  double values[9];
};
__device__ __noinline__ Big filled(double x) {
  Big b;
  for (int i = 0; i < 9; ++i)
    b.values[i] = x + i;
  return b;
}

__global__ void everything(int* out, int n) {
  extern __shared__ int scratch[];
  Shape* shape = n > 3 ? static_cast<Shape*>(new Square(2.0f)) : static_cast<Shape*>(new Disc(1.0f));
  out[0] = fibonacci(n) + static_cast<int>(shape->area() * scale[n & 3]);
  delete shape;
  out[1] = steps[n & 1](n) + total;
  const Big b = filled(n);
  int local[32];
  for (int i = 0; i < 32; ++i)
    local[i] = out[i];
  scratch[threadIdx.x] = local[n & 31] + static_cast<int>(b.values[n % 9]);
  __syncthreads();
  assert(scratch[0] != 7);
  switch (n) {
  case 1: out[2] = 10; break;
  case 2: out[2] = 27; break;
  case 3: out[2] = scratch[1]; break;
  case 5: out[2] = scratch[2] * 3; break;
  case 8: __trap();
  default: printf("n %d of %f\n", n, 2.5); break;
  }
}
