// Texture and surface objects, read-only loads, local arrays, a __launch_bounds__ kernel.
extern "C" __global__ void __launch_bounds__(256, 4)
textures(cudaTextureObject_t image, cudaSurfaceObject_t target, const float* __restrict__ weights, float* out) {
  float window[9];
  const int x = threadIdx.x;
  for (int k = 0; k < 9; ++k)
    window[(k * x) % 9] = tex2D<float>(image, x + k % 3, k / 3) * __ldg(&weights[k]);
  surf2Dwrite(window[x % 9], target, x * 4, 0);
  out[x] = window[(x * 7) % 9] + tex1Dfetch<float>(image, x) + tex3D<float4>(image, 0.5f, 0.5f, 0.25f).y;
}
