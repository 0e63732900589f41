// Wavelet transform of an image, the reversible 5/3 of JPEG 2000: the algorithm of Rodinia's dwt2d.
//
// c_CopySrcToComponents separates the colours of pixels. In fdwt53Kernel a CTA slides a window of 8 rows down
// a stripe as wide as it has threads. A thread lifts its column, three of them one more beyond the stripe's
// edges; then the CTA lifts the window's rows and writes the four bands one after the other. Edges are
// mirrored. Leaves out: the 9/7 transform, the inverse ones, and images whose sizes are odd.

constexpr int window_rows = 8;
constexpr int carried_rows = 3; // two above the window, which lifting needs, and the one below
constexpr int buffered_rows = window_rows + carried_rows;
constexpr int copying_threads = 256;

extern "C" __global__ void c_CopySrcToComponents(int* red, int* green, int* blue, const unsigned* pixels,
                                                 int count) {
  __shared__ unsigned words[copying_threads * 3 / 4];
  const int thread = static_cast<int>(threadIdx.x), first = static_cast<int>(blockIdx.x) * copying_threads;
  if (thread < copying_threads * 3 / 4)
    words[thread] = pixels[first * 3 / 4 + thread];
  __syncthreads();
  const auto* colours = reinterpret_cast<const unsigned char*>(words) + 3 * thread;
  if (first + thread >= count)
    return;
  red[first + thread] = colours[0] - 128;
  green[first + thread] = colours[1] - 128;
  blue[first + thread] = colours[2] - 128;
}

// Columns -2 to `width` of the stripe; even and odd ones lie apart, so that neither conflict in their banks.
template <int width> struct Window {
  int values[2][buffered_rows][width / 2 + 2];

  __device__ int& at(int row, int column) { return values[column & 1][row][(column + 2) / 2]; }
};

struct Column {
  int column; // of the window
  int x;      // of the image
  int carried[carried_rows];
};

__device__ int mirrored(int at, int size) { return at < 0 ? -at : at < size ? at : 2 * size - 2 - at; }

__device__ void predict(int before, int& odd, int after) { odd -= (before + after) >> 1; }
__device__ void update(int before, int& even, int after) { even += (before + after + 2) >> 2; }

__device__ Column first_rows(const int* in, int column, int x, int row, int size_x, int size_y) {
  Column result{column, mirrored(x, size_x), {}};
  for (int r = 0; r < carried_rows; ++r)
    result.carried[r] = in[mirrored(row - 2 + r, size_y) * size_x + result.x];
  return result;
}

// Buffered row 2 is the window's first, `row` of the image.
template <int width>
__device__ void lift_column(Window<width>& window, Column& c, const int* in, int row, int size_x,
                            int size_y) {
  for (int r = 0; r < buffered_rows; ++r)
    window.at(r, c.column) =
        r < carried_rows ? c.carried[r] : in[mirrored(row - 2 + r, size_y) * size_x + c.x];
  for (int r = 0; r < carried_rows; ++r)
    c.carried[r] = window.at(window_rows + r, c.column);
  for (int r = 1; r < buffered_rows - 1; r += 2)
    predict(window.at(r - 1, c.column), window.at(r, c.column), window.at(r + 1, c.column));
  for (int r = 2; r < buffered_rows - 1; r += 2)
    update(window.at(r - 1, c.column), window.at(r, c.column), window.at(r + 1, c.column));
}

template <int width> __device__ void lift_rows(Window<width>& window) {
  constexpr int odd_columns = width / 2 + 1; // from -1 on
  for (int i = static_cast<int>(threadIdx.x); i < window_rows * odd_columns; i += width) {
    const int row = 2 + i / odd_columns, column = 2 * (i % odd_columns) - 1;
    predict(window.at(row, column - 1), window.at(row, column), window.at(row, column + 1));
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < window_rows * width / 2; i += width) {
    const int row = 2 + i / (width / 2), column = 2 * (i % (width / 2));
    update(window.at(row, column - 1), window.at(row, column), window.at(row, column + 1));
  }
}

// Bands: low, high in x, high in y, high in both. The first half of the threads write even columns.
template <int width>
__device__ void write_bands(Window<width>& window, int* out, int row, int size_x, int size_y) {
  const int thread = static_cast<int>(threadIdx.x), odd = thread < width / 2 ? 0 : 1;
  const int column = 2 * (thread - odd * (width / 2)) + odd;
  const int x = static_cast<int>(blockIdx.x) * width + column;
  if (x >= size_x)
    return;
  const int band = size_x / 2 * (size_y / 2);
  for (int r = 0; r < window_rows && row + r < size_y; ++r)
    out[(2 * (r & 1) + odd) * band + (row + r) / 2 * (size_x / 2) + x / 2] = window.at(2 + r, column);
}

template <int width> __device__ void transform(const int* in, int* out, int size_x, int size_y, int windows) {
  __shared__ Window<width> window;
  const int thread = static_cast<int>(threadIdx.x), left = static_cast<int>(blockIdx.x) * width;
  int row = static_cast<int>(blockIdx.y) * window_rows * windows;
  Column mine = first_rows(in, thread, left + thread, row, size_x, size_y);
  const bool has_edge = thread < carried_rows;
  const int edge_column = thread == 0 ? width : thread - carried_rows;
  Column edge{};
  if (has_edge)
    edge = first_rows(in, edge_column, left + edge_column, row, size_x, size_y);

  for (int w = 0; w < windows && row < size_y; ++w, row += window_rows) {
    lift_column(window, mine, in, row, size_x, size_y);
    if (has_edge)
      lift_column(window, edge, in, row, size_x, size_y);
    __syncthreads();
    lift_rows(window);
    __syncthreads();
    write_bands(window, out, row, size_x, size_y);
    __syncthreads();
  }
}

// The suite's fdwt53Kernel<WIN_SX, 8>, one for each width of an image.
extern "C" __global__ void fdwt53Kernel_192(const int* in, int* out, int size_x, int size_y, int windows) {
  transform<192>(in, out, size_x, size_y, windows);
}
extern "C" __global__ void fdwt53Kernel_128(const int* in, int* out, int size_x, int size_y, int windows) {
  transform<128>(in, out, size_x, size_y, windows);
}
extern "C" __global__ void fdwt53Kernel_64(const int* in, int* out, int size_x, int size_y, int windows) {
  transform<64>(in, out, size_x, size_y, windows);
}
