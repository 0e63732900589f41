// One step of a lattice Boltzmann fluid simulation with 19 velocities (D3Q19): the algorithm of Parboil's
// lbm.
//
// A CTA is one row of cells. Each thread reads the 19 distributions of its cell, collides them and writes
// them to the neighbours that they move to, in the other grid. Distributions lie one after the other, rows
// padded to a multiple of 32. Obstacles send back what meets them; accelerated cells move with the lid. The
// margin around the grid takes what leaves it. Leaves out: reading obstacle files.

constexpr int size_y = 120, size_z = 150; // a CTA has the 120 cells of a row, the grid is size_y x size_z
constexpr int row = 128;                  // with padding
constexpr int layer = row * size_y;
constexpr int margin = 2 * layer; // on each side of each distribution's cells
constexpr int cells = layer * size_z + 2 * margin;
constexpr int velocities = 19;
constexpr float relaxation = 1.95f;
enum Flag : unsigned { obstacle = 1, accelerated = 2 };

// Opposite velocities are neighbours: 2 k - 1 and 2 k. The first is rest.
__device__ constexpr int velocity[velocities][3] = {
    {0, 0, 0},  {0, 1, 0},   {0, -1, 0},  {1, 0, 0},  {-1, 0, 0}, {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {-1, 1, 0},  {1, -1, 0}, {0, 1, 1},  {0, -1, -1}, {0, 1, -1},
    {0, -1, 1}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}};

__device__ constexpr float weight(int v) { return v == 0 ? 1 / 3.0f : v < 7 ? 1 / 18.0f : 1 / 36.0f; }
__device__ constexpr int opposite(int v) { return v == 0 ? 0 : v % 2 == 1 ? v + 1 : v - 1; }
__device__ constexpr int to_neighbour(int v) {
  return velocity[v][0] + row * velocity[v][1] + layer * velocity[v][2];
}

extern "C" __global__ void performStreamCollide_kernel(const float* source, float* destination) {
  const int cell = margin + static_cast<int>(threadIdx.x) + row * static_cast<int>(blockIdx.x) +
                   layer * static_cast<int>(blockIdx.y);
  float f[velocities];
#pragma unroll
  for (int v = 0; v < velocities; ++v)
    f[v] = source[cells * v + cell];
  const unsigned flags = __float_as_uint(source[cells * velocities + cell]);

  if (flags & obstacle) {
#pragma unroll
    for (int v = 0; v < velocities; ++v)
      destination[cells * v + cell + to_neighbour(v)] = f[opposite(v)];
    return;
  }
  float density = 0, flow_x = 0, flow_y = 0, flow_z = 0;
#pragma unroll
  for (int v = 0; v < velocities; ++v) {
    density += f[v];
    flow_x += velocity[v][0] * f[v];
    flow_y += velocity[v][1] * f[v];
    flow_z += velocity[v][2] * f[v];
  }
  float ux = flow_x / density, uy = flow_y / density, uz = flow_z / density;
  if (flags & accelerated) {
    ux = 0.005f;
    uy = 0.002f;
    uz = 0;
  }
  const float rest = 1 - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int v = 0; v < velocities; ++v) {
    const float along = velocity[v][0] * ux + velocity[v][1] * uy + velocity[v][2] * uz;
    const float balance = weight(v) * density * (rest + along * (3 + 4.5f * along));
    destination[cells * v + cell + to_neighbour(v)] = (1 - relaxation) * f[v] + relaxation * balance;
  }
}
