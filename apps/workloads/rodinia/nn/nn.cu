// Distances of all records from one place: the kernel of Rodinia's nn (nearest neighbours).
//
// One thread per record. Leaves out: choosing the nearest ones, which the suite's host does.

struct LatLong {
  float latitude, longitude;
};

extern "C" __global__ void euclid(const LatLong* locations, float* distances, int records, float latitude,
                                  float longitude) {
  const int record = static_cast<int>(blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x);
  if (record >= records)
    return;
  const float north = latitude - locations[record].latitude;
  const float east = longitude - locations[record].longitude;
  distances[record] = sqrtf(north * north + east * east);
}
