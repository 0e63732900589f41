// The matrix Q of a non-Cartesian magnetic resonance reconstruction: the algorithm of Parboil's mri-q.
//
// ComputePhiMag_GPU takes the squared magnitudes of the samples. ComputeQ_GPU, one thread per voxel, adds the
// contributions of up to 1,024 samples of k-space, which lie in constant memory; the host launches it for
// each such portion. Sines and cosines are the special function unit's. Leaves out: reading data sets.

constexpr int samples_per_launch = 1024;

struct Sample {
  float kx, ky, kz, phi_mag;
};

__constant__ Sample ck[samples_per_launch];

extern "C" __global__ void ComputePhiMag_GPU(const float* real, const float* imaginary, float* magnitude,
                                             int samples) {
  const int sample = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (sample < samples)
    magnitude[sample] = real[sample] * real[sample] + imaginary[sample] * imaginary[sample];
}

extern "C" __global__ void ComputeQ_GPU(int samples, int first_sample, const float* x, const float* y,
                                        const float* z, float* q_real, float* q_imaginary) {
  constexpr float two_pi = 6.2831853071795864769f;
  const int voxel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float at_x = x[voxel], at_y = y[voxel], at_z = z[voxel];
  float sum_real = q_real[voxel], sum_imaginary = q_imaginary[voxel];
  const int count = min(samples_per_launch, samples - first_sample);
#pragma unroll 2
  for (int k = 0; k < count; ++k) {
    const Sample s = ck[k];
    const float angle = two_pi * (s.kx * at_x + s.ky * at_y + s.kz * at_z);
    sum_real += s.phi_mag * __cosf(angle);
    sum_imaginary += s.phi_mag * __sinf(angle);
  }
  q_real[voxel] = sum_real;
  q_imaginary[voxel] = sum_imaginary;
}
