// One training step of a neural network's first layer: the device part of Rodinia's backprop.
//
// A CTA of 16x16 threads takes 16 inputs (y) to 16 hidden units (x). layerforward multiplies weights by
// inputs and adds them up over y in shared memory, a tree of four steps; sums of CTAs are added by the host.
// adjust_weights moves each weight along its gradient with momentum. Row 0 and column 0 of the weights belong
// to the constant inputs. Leaves out: the second layer, which the suite's host computes.

constexpr int height = 16; // inputs of a CTA
constexpr int width = 16;  // hidden units
constexpr float learning_rate = 0.3f;
constexpr float momentum = 0.3f;

// Of this thread's weight; row 0 is the constant input's.
__device__ int weight_index(int hidden) {
  const int input = height * static_cast<int>(blockIdx.y) + static_cast<int>(threadIdx.y) + 1;
  return (hidden + 1) * input + static_cast<int>(threadIdx.x) + 1;
}

extern "C" __global__ void bpnn_layerforward_CUDA(const float* input, const float*, float* weights,
                                                  float* partial_sums, int, int hidden) {
  __shared__ float node[height];
  __shared__ float product[height][width];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int weight = weight_index(hidden);

  if (x == 0)
    node[y] = input[height * blockIdx.y + y + 1];
  __syncthreads();
  product[y][x] = weights[weight];
  __syncthreads();
  product[y][x] *= node[y];
  __syncthreads();
#pragma unroll
  for (int apart = 1; apart < height; apart *= 2) {
    if (y % (2 * apart) == 0)
      product[y][x] += product[y + apart][x];
    __syncthreads();
  }
  weights[weight] = product[y][x]; // as the suite does; the host copies its own weights over
  __syncthreads();
  if (x == 0)
    partial_sums[blockIdx.y * hidden + y] = product[x][y];
}

extern "C" __global__ void bpnn_adjust_weights_cuda(const float* delta, int hidden, const float* layer, int,
                                                    float* weights, float* last_changes) {
  const int weight = weight_index(hidden);
  const int input = height * static_cast<int>(blockIdx.y) + static_cast<int>(threadIdx.y) + 1;
  const int unit = static_cast<int>(threadIdx.x) + 1;
  const float change = learning_rate * delta[unit] * layer[input] + momentum * last_changes[weight];
  weights[weight] += change;
  last_changes[weight] = change;
  __syncthreads();
  if (threadIdx.y == 0 && blockIdx.y == 0) { // the constant input
    const float of_constant = learning_rate * delta[unit] + momentum * last_changes[unit];
    weights[unit] += of_constant;
    last_changes[unit] = of_constant;
  }
}
