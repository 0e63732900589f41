// Kernels whose addresses and branches follow from tables in memory.

// Sums of channels, each shifted by a table's delay for the trial at hand.
extern "C" __global__ void dedisperse(const float* in, const int* delays, float* out, int channels, int samples,
                                      int times) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, trial = blockIdx.y;
  if (t >= times)
    return;
  float sum = 0;
  for (int c = 0; c < channels; ++c)
    sum += in[c * samples + t + delays[trial * channels + c]];
  out[trial * times + t] = sum;
}

// A row a thread; how long rows are and which columns they have, tables say.
extern "C" __global__ void spmv(const int* begins, const int* columns, const float* values, const float* x,
                                float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int k = begins[row]; k < begins[row + 1]; ++k)
    sum += values[k] * x[columns[k]];
  y[row] = sum;
}

// Marks the neighbours of what lies in the frontier.
extern "C" __global__ void expand(const unsigned char* frontier, const int* begins, const int* neighbours,
                                  int* marks, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || frontier[node] > 50)
    return;
  for (int k = begins[node]; k < begins[node + 1]; ++k)
    marks[neighbours[k]] = node;
}

// Gathers through a table.
extern "C" __global__ void gather(const float* in, const int* table, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[table[i]];
}

// The same, and writes what the next launch finds in it.
extern "C" __global__ void gather_and_turn(const float* in, int* table, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[table[i]];
  table[i] = count - 1 - table[i];
}

// Writes wherever a table of addresses says.
extern "C" __global__ void write_anywhere(int** places, int value) { *places[threadIdx.x] = value; }
