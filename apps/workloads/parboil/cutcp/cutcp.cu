// Electrostatic potential of point charges within a cutoff, on a lattice: the algorithm of Parboil's cutcp.
//
// Charges are sorted into cubes of 4 A, up to eight in each. A CTA of 8 x 2 x 8 threads computes 8 x 8 x 8
// points of the lattice, four of them a thread, 2 apart in y. It brings 32 neighbouring cubes at a time to
// shared memory, those of a list in constant memory, and every thread adds up their charges. Leaves out:
// sorting and the charges that found no room in their cube, which the suite's host does.

constexpr int cube_charges = 8;
constexpr int cube_floats = 4 * cube_charges;
constexpr float cubes_per_angstrom = 0.25f;
constexpr int cached_cubes = 32;
constexpr int loading_threads = 16; // of one cube
constexpr int loaders = 128 / loading_threads;
constexpr int points_per_side = 8;
constexpr int points_per_thread = 4;

struct Neighbours {
  int count;
  int3 cube[11 * 11 * 11]; // relative to the middle one
};

// The host of the suite fills the list; here it is that of its cutoff of 12 A, for regions as large as a
// cube: all cubes of which a corner can be that near to one in the middle cube.
constexpr Neighbours make_neighbours() {
  constexpr int margin = 3;
  constexpr double reach = 3 + 1.7320508; // in cubes; a cube's diagonal is the square root of 3
  Neighbours list{};
  for (int z = -margin; z <= margin; ++z)
    for (int y = -margin; y <= margin; ++y)
      for (int x = -margin; x <= margin; ++x)
        if (x * x + y * y + z * z < reach * reach)
          list.cube[list.count++] = {x, y, z};
  return list;
}
__constant__ Neighbours NbrList = make_neighbours();

// Brings cubes `first` and following to the cache; each 16 threads take every eighth of them.
__device__ void load_cubes(float* cache, const float* cubes, int first, int3 middle, int size_x, int size_y) {
  const int thread = static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
  const int lane = thread % loading_threads;
  for (int slot = thread / loading_threads; slot < cached_cubes && first + slot < NbrList.count;
       slot += loaders) {
    const int3 offset = NbrList.cube[first + slot];
    const float* cube =
        cubes +
        (((middle.z + offset.z) * size_y + middle.y + offset.y) * size_x + middle.x + offset.x) * cube_floats;
    cache[slot * cube_floats + lane] = cube[lane];
    cache[slot * cube_floats + lane + loading_threads] = cube[lane + loading_threads];
  }
}

__device__ int middle_of(int region, float spacing) {
  return static_cast<int>(
      floorf((points_per_side * region + points_per_side / 2) * spacing * cubes_per_angstrom));
}

// `cubes`: the one at the origin; there are others before it. A charge of 0 ends its cube's.
extern "C" __global__ void cuda_cutoff_potential_lattice6overlap(int size_x, int size_y, const float* cubes,
                                                                 float spacing, float cutoff2,
                                                                 float inv_cutoff2, float* regions,
                                                                 int region_z) {
  __shared__ float cache[cached_cubes * cube_floats];
  const int region_x = static_cast<int>(blockIdx.x), region_y = static_cast<int>(blockIdx.y);
  const int3 middle =
      make_int3(middle_of(region_x, spacing), middle_of(region_y, spacing), middle_of(region_z, spacing));
  const float x = (points_per_side * region_x + threadIdx.x) * spacing;
  const float y = (points_per_side * region_y + threadIdx.y) * spacing;
  const float z = (points_per_side * region_z + threadIdx.z) * spacing;
  float potential[points_per_thread] = {};

  for (int first = 0; first < NbrList.count; first += cached_cubes) {
    load_cubes(cache, cubes, first, middle, size_x, size_y);
    __syncthreads();
    const int cached = min(cached_cubes, NbrList.count - first);
    for (int slot = 0; slot < cached; ++slot)
      for (int c = 0; c < cube_charges; ++c) {
        const float* atom = &cache[slot * cube_floats + 4 * c];
        const float charge = atom[3];
        if (charge == 0)
          break;
        const float dx = atom[0] - x, dz = atom[2] - z, dxz2 = dx * dx + dz * dz;
        float dy = atom[1] - y;
#pragma unroll
        for (float& at_point : potential) {
          const float distance2 = dy * dy + dxz2;
          if (distance2 < cutoff2) {
            const float smooth = 1 - distance2 * inv_cutoff2;
            at_point += charge * rsqrtf(distance2) * smooth * smooth;
          }
          dy -= blockDim.y * spacing;
        }
      }
    __syncthreads();
  }

  const unsigned region = (region_z * gridDim.y + region_y) * gridDim.x + region_x;
  float* out = regions + region * points_per_side * points_per_side * points_per_side;
#pragma unroll
  for (int p = 0; p < points_per_thread; ++p)
    out[(threadIdx.z * points_per_side + threadIdx.y + 2 * p) * points_per_side + threadIdx.x] = potential[p];
}
