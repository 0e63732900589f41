// Assigning points to the nearest of some cluster centres: the device part of Rodinia's kmeans.
//
// invert_mapping turns the features from one point after the other to one feature after the other, so that
// the threads of a warp read side by side. kmeansPoint, one thread per point, finds the nearest centre.
// Centres lie in constant memory. Leaves out: new centres, which the suite's host computes, and textures, by
// which the suite reads features (here loads through the read-only path).

constexpr int max_centres_times_features = 34 * 32;
__constant__ float c_clusters[max_centres_times_features];

extern "C" __global__ void invert_mapping(const float* input, float* output, int points, int features) {
  const int point = static_cast<int>(blockDim.x * blockIdx.x + threadIdx.x);
  if (point >= points)
    return;
  for (int f = 0; f < features; ++f)
    output[point + points * f] = input[point * features + f];
}

// The last three parameters serve the suite's reductions on the device, which are off by default.
extern "C" __global__ void kmeansPoint(const float* __restrict__ features_by_feature, int features,
                                       int points, int clusters, int* membership, float*, float*, int*) {
  const unsigned cta = gridDim.x * blockIdx.y + blockIdx.x;
  const int point = static_cast<int>(cta * blockDim.x * blockDim.y + threadIdx.x);
  if (point >= points)
    return;
  int nearest = -1;
  float least = 3.402823466e+38f;
  for (int c = 0; c < clusters; ++c) {
    float distance = 0;
    for (int f = 0; f < features; ++f) {
      const float off = features_by_feature[point + f * points] - c_clusters[c * features + f];
      distance += off * off;
    }
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  membership[point] = nearest;
}
