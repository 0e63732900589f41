// Heat spreading through a stack of chip layers, one explicit time step: the algorithm of Rodinia's
// hotspot3D.
//
// One thread per (x, y) walks up the layers with the temperatures below, here and above in registers. At the
// outside of the grid the missing neighbour is the cell itself. Leaves out: the suite's file reading.

constexpr float ambient = 80.0f;

extern "C" __global__ void hotspotOpt1(const float* power, const float* in, float* out, float step_per_cap,
                                       int nx, int ny, int nz, float east, float west, float north,
                                       float south, float top, float bottom, float centre) {
  const int x = static_cast<int>(blockDim.x * blockIdx.x + threadIdx.x);
  const int y = static_cast<int>(blockDim.y * blockIdx.y + threadIdx.y);
  const int layer = nx * ny;
  int cell = x + nx * y;
  const int to_west = x == 0 ? 0 : -1, to_east = x == nx - 1 ? 0 : 1;
  const int to_north = y == 0 ? 0 : -nx, to_south = y == ny - 1 ? 0 : nx;

  const auto next = [&](float below, float here, float above) {
    return centre * here + west * in[cell + to_west] + east * in[cell + to_east] +
           south * in[cell + to_south] + north * in[cell + to_north] + bottom * below + top * above +
           step_per_cap * power[cell] + top * ambient;
  };

  float below = in[cell], here = in[cell], above = in[cell + layer];
  out[cell] = next(below, here, above);
  cell += layer;
  for (int z = 1; z < nz - 1; ++z) {
    below = here;
    here = above;
    above = in[cell + layer];
    out[cell] = next(below, here, above);
    cell += layer;
  }
  out[cell] = next(here, above, above);
}
