// Kernels of apps/microbench that are measured.
#pragma once

#include <cstdint>

#define KERNELS_OF(op, type)                                                                                 \
  extern "C" __global__ void op##_c1_8(type* out, type seed, uint32_t trips);                                \
  extern "C" __global__ void op##_c1_40(type* out, type seed, uint32_t trips);                               \
  extern "C" __global__ void op##_c4_8(type* out, type seed, uint32_t trips);                                \
  extern "C" __global__ void op##_c4_40(type* out, type seed, uint32_t trips);

KERNELS_OF(add_s32, uint32_t)
KERNELS_OF(add_f32, float)
KERNELS_OF(ex2_f32, float)
KERNELS_OF(add_f64, double)

extern "C" __global__ void chase(const uint64_t* cells, uint64_t* out, uint32_t loads);
extern "C" __global__ void chase_l2(const uint64_t* cells, uint64_t* out, uint32_t loads);
extern "C" __global__ void chase_shared(uint32_t* out, uint32_t stride, uint32_t loads);
extern "C" __global__ void chase_constants(uint64_t* out, uint32_t mask, uint32_t trips);
extern "C" __global__ void chase_texture(cudaTextureObject_t texture, uint32_t* out, uint32_t trips);
extern "C" __global__ void read(double* a, const double* b, uint32_t n);
extern "C" __global__ void scale(double* a, const double* b, uint32_t n);
extern "C" __global__ void read_l2(const uint4* words, uint32_t count, uint32_t* out, uint32_t passes);
extern "C" __global__ void write_l2(uint4* words, uint32_t count, uint32_t passes);
extern "C" __global__ void copy_l2(const uint4* words, uint4* copies, uint32_t count, uint32_t passes);
extern "C" __global__ void nothing();
