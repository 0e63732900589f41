// Atomic operations of every kind, scope and memory order, and reductions whose result is not used.
#include <cuda/atomic>
#include <cuda_fp16.h>

__global__ void all_operations(int* i, unsigned* u, unsigned long long* w, float* f, double* d) {
  __shared__ int counter;
  if (threadIdx.x == 0)
    counter = 0;
  __syncthreads();
  const int t = atomicAdd(&counter, 1);
  u[t] = atomicInc(u, 7) + atomicDec(u + 1, 9);
  i[t] = atomicMin(i, t) + atomicMax(i + 1, t) + atomicAnd(i + 2, t) + atomicOr(i + 3, t) + atomicXor(i + 4, t);
  w[t] = atomicCAS(w, 1ULL, 2ULL) + atomicExch(w + 1, 3ULL) + atomicMax(w + 2, 5ULL);
  atomicAdd(f, 1.5f);
  atomicAdd(d, 2.5);
  atomicAdd_block(i + 5, 1);
  atomicAdd_system(i + 6, 1);
}

__global__ void half_sums(__half* h, __half2* h2, unsigned short* s) {
  atomicAdd(h, __float2half(1.0f));
  atomicAdd(h2, __float2half2_rn(1.0f));
  s[1] = atomicCAS(s, static_cast<unsigned short>(1), static_cast<unsigned short>(2));
}

__global__ void ordered(int* data, int* flag) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (threadIdx.x == 0) {
    *data = 42;
    ready.store(1, cuda::std::memory_order_release);
  } else {
    while (ready.load(cuda::std::memory_order_acquire) == 0)
      __nanosleep(20);
    data[threadIdx.x] = *data;
  }
  cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst, cuda::thread_scope_system);
  ready.fetch_add(1, cuda::std::memory_order_acq_rel);
}
