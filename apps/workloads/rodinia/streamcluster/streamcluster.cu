// What opening one more centre would save: the kernel of Rodinia's streamcluster.
//
// One thread per point: if the candidate is nearer than the point's centre, the point would switch and the
// candidate's entry takes the difference; else the entry of its centre does. Coordinates lie dimension by
// dimension. Leaves out: choosing candidates and centres, which the suite's host does after each launch.

struct Point {
  float weight;
  const float* coordinates; // the host's
  long long centre;
  float cost;
};

// Rows of `savings` have one entry per centre and one for the candidate, the last.
extern "C" __global__ void kernel_compute_cost(int points, int dimensions, long long candidate,
                                               const Point* point, int centres, int row,
                                               const float* coordinates, float* savings,
                                               const int* centre_table, bool* would_switch) {
  const int at = static_cast<int>(blockDim.x * blockIdx.x + threadIdx.x);
  if (at >= points)
    return;
  float distance = 0;
  for (int d = 0; d < dimensions; ++d) {
    const float apart = coordinates[d * points + at] - coordinates[d * points + candidate];
    distance += apart * apart;
  }
  const float cost = distance * point[at].weight;
  const float current = point[at].cost;
  float* entries = savings + at * row;
  if (cost < current) {
    would_switch[at] = true;
    entries[centres] += cost - current;
  } else {
    entries[centre_table[point[at].centre]] += current - cost;
  }
}
