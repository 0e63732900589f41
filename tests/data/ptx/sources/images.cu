// Texture and surface objects of every dimension, layered, cube, gather, level of detail and gradients.
extern "C" __global__ void sample(cudaTextureObject_t t1, cudaTextureObject_t t2, cudaTextureObject_t t3,
                                  cudaTextureObject_t layers, cudaTextureObject_t cube, float4* out, float x,
                                  float y, float z) {
  float4 a = tex1D<float4>(t1, x);
  const float4 b = tex2D<float4>(t2, x, y);
  const float4 c = tex3D<float4>(t3, x, y, z);
  const float4 d = tex2DLayered<float4>(layers, x, y, 3);
  const float4 e = texCubemap<float4>(cube, x, y, z);
  const float4 f = tex2DLod<float4>(t2, x, y, z);
  const float4 g = tex2DGrad<float4>(t2, x, y, make_float2(x, 0.0f), make_float2(0.0f, y));
  const float4 h = tex2Dgather<float4>(t2, x, y, 2);
  const int4 i = tex1Dfetch<int4>(t1, threadIdx.x);
  a.x += b.y + c.z + d.w + e.x + f.y + g.z + h.w + static_cast<float>(i.x);
  out[threadIdx.x] = a;
}

extern "C" __global__ void blur(cudaSurfaceObject_t in, cudaSurfaceObject_t out, cudaSurfaceObject_t layers) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  uchar4 p;
  surf2Dread(&p, in, x * 4, y, cudaBoundaryModeClamp);
  const uchar4 q = surf2Dread<uchar4>(in, (x + 1) * 4, y, cudaBoundaryModeZero);
  p.x = (p.x + q.x) / 2;
  surf2Dwrite(p, out, x * 4, y, cudaBoundaryModeTrap);
  surf2DLayeredwrite(make_float2(1.0f, 2.0f), layers, x * 8, y, 1);
  surf1Dwrite(static_cast<unsigned short>(x), in, x * 2);
}
