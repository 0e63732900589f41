// A structure that is passed by value, with pointers of its own.
struct Job {
  const float *in;
  float *out;
  int n;
};

extern "C" __global__ void scale(Job job, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < job.n)
    job.out[i] = job.in[i] * by;
}
