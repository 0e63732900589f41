// Forces between particles in neighbouring boxes: the kernel of Rodinia's lavaMD.
//
// One CTA of 128 threads per box of 100 particles. For its own and each neighbouring box it stages that box's
// particles and charges in shared memory; each thread adds up potential and force on one of its box's
// particles, in double precision. Leaves out: making boxes.

constexpr int particles = 100; // of a box
constexpr int threads = 128;
constexpr int max_neighbours = 26;

struct Vector4 {
  double v, x, y, z; // potential, or |r|^2 / 2 of a position
};
struct Neighbour {
  int x, y, z, number;
  long long first_particle;
};
struct Box {
  int x, y, z, number;
  long long first_particle;
  int neighbours;
  Neighbour neighbour[max_neighbours];
};

__device__ double dot(const Vector4& a, const Vector4& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

extern "C" __global__ void kernel_gpu_cuda(double alpha, int boxes, const Box* box, const Vector4* position,
                                           const double* charge, Vector4* force) {
  __shared__ Vector4 own[particles];
  __shared__ Vector4 other[particles];
  __shared__ double other_charge[particles];
  const int at = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  if (at >= boxes)
    return;
  const double decay = 2 * alpha * alpha;
  const long long first = box[at].first_particle;
  for (int p = thread; p < particles; p += threads)
    own[p] = position[first + p];
  __syncthreads();

  const int partners = 1 + box[at].neighbours;
  for (int k = 0; k < partners; ++k) {
    const int partner = k == 0 ? at : box[at].neighbour[k - 1].number;
    const long long other_first = box[partner].first_particle;
    for (int p = thread; p < particles; p += threads) {
      other[p] = position[other_first + p];
      other_charge[p] = charge[other_first + p];
    }
    __syncthreads();
    for (int p = thread; p < particles; p += threads)
      for (int j = 0; j < particles; ++j) {
        const double distance = own[p].v + other[j].v - dot(own[p], other[j]);
        const double potential = exp(-decay * distance);
        const double strength = 2 * potential;
        Vector4& sum = force[first + p];
        sum.v += other_charge[j] * potential;
        sum.x += other_charge[j] * strength * (own[p].x - other[j].x);
        sum.y += other_charge[j] * strength * (own[p].y - other[j].y);
        sum.z += other_charge[j] * strength * (own[p].z - other[j].z);
      }
    __syncthreads();
  }
}
