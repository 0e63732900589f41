// An image is turned and fetched with filtering, and its grey levels become colours of a palette. The
// first kernel fetches where the thread says, the second one where data say.

extern "C" __global__ void rotate(cudaTextureObject_t image, float* grey, int width, int height, float cosine,
                                  float sine) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height)
    return;
  const float u = (x + 0.5f) / width - 0.5f, v = (y + 0.5f) / height - 0.5f;
  const float4 texel = tex2D<float4>(image, u * cosine - v * sine + 0.5f, u * sine + v * cosine + 0.5f);
  grey[y * width + x] = 0.25f * texel.x + 0.5f * texel.y + 0.25f * texel.z;
}

extern "C" __global__ void colour(cudaTextureObject_t palette, const float* grey, unsigned* colours, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n)
    return;
  const int level = static_cast<int>(grey[i] * 255.0f + 0.5f);
  const uchar4 of_level = tex1Dfetch<uchar4>(palette, level);
  colours[i] = of_level.x | of_level.y << 8 | of_level.z << 16 | of_level.w << 24;
}
