// Five-point stencil with a border that is only copied.
extern "C" __global__ void stencil(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int i = y * width + x;
  float v = in[i];
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
    v += in[i - 1] + in[i + 1] + in[i - width] + in[i + width];
  out[i] = v;
}
