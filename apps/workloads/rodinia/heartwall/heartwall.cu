// Points of a heart's walls followed from frame to frame of an ultrasound video, one CTA a point. The first
// frame gives each point its template; in each further one the template is compared with all places of the
// area around the point (normalised cross-correlation, whose sums over windows are differences of cumulative
// sums), and the best place near the last one is where the point is now. Every tenth frame the point's area
// moves there, and the template becomes part of what is there. Matrices lie in global memory, column by
// column.

constexpr int threads = 256;
constexpr int max_template = 51, max_places = 131;

// Sides of square matrices.
struct Sizes {
  int frame_rows;
  int around;   // of the template, from its centre
  int searched; // of the area, from its centre
  int move;     // of the window of places, twice as far as a point moves from frame to frame
  float kept;   // of the template, when it is renewed
};

// What a CTA works in: its point's parts of the buffers.
struct Work {
  float *area, *products, *sums, *differences, *window, *window_of_squares, *near;
};

__device__ int template_side(const Sizes& s) { return 2 * s.around + 1; }
__device__ int area_side(const Sizes& s) { return 2 * s.searched + 1; }
__device__ int places_side(const Sizes& s) { return template_side(s) + area_side(s) - 1; } // that overlap

template <class F> __device__ void for_each(int count, F&& element) {
  for (int k = static_cast<int>(threadIdx.x); k < count; k += threads)
    element(k);
  __syncthreads();
}

__device__ void cut(const float* frame, int rows, int row, int column, int side, float* part) {
  for_each(side * side, [=](int k) { part[k] = frame[(column + k / side) * rows + row + k % side]; });
}

// Sums of products of the rotated template with what it overlaps, in all places.
__device__ void convolve(const Sizes& s, const float* rotated, const float* area, float* products) {
  const int side = template_side(s), of_area = area_side(s), places = places_side(s);
  for_each(places * places, [=](int k) {
    const int row = k % places, column = k / places;
    const int first_row = max(0, row - of_area + 1), last_row = min(row, side - 1);
    const int first_column = max(0, column - of_area + 1), last_column = min(column, side - 1);
    float sum = 0;
    for (int j = first_column; j <= last_column; ++j)
      for (int i = first_row; i <= last_row; ++i)
        sum += rotated[j * side + i] * area[(column - j) * of_area + row - i];
    products[k] = sum;
  });
}

// Of each place the sum over the template's window of the area or its squares, with zeros around the area:
// cumulative sums down each column, differences, cumulative sums along each row, differences.
__device__ void sum_windows(const Sizes& s, bool squares, const Work& work, float* window) {
  const int side = template_side(s), of_area = area_side(s), places = places_side(s);
  const int padded = of_area + 2 * side;
  float *sums = work.sums, *differences = work.differences;
  const float* area = work.area;
  for_each(padded * padded, [=](int k) {
    const int row = k % padded - side, column = k / padded - side;
    const bool inside = row >= 0 && row < of_area && column >= 0 && column < of_area;
    const float value = inside ? area[column * of_area + row] : 0;
    sums[k] = squares ? value * value : value;
  });
  for_each(padded, [=](int column) {
    float sum = 0;
    for (int row = 0; row < padded; ++row) {
      sum += sums[column * padded + row];
      sums[column * padded + row] = sum;
    }
  });
  for_each(places * padded, [=](int k) {
    const float* column = sums + k / places * padded + k % places;
    differences[k] = column[side] - column[0];
  });
  for_each(places, [=](int row) {
    float sum = 0;
    for (int column = 0; column < padded; ++column) {
      sum += differences[column * places + row];
      differences[column * places + row] = sum;
    }
  });
  for_each(places * places, [=](int k) { window[k] = differences[k + side * places] - differences[k]; });
}

struct Moments {
  float sum, deviation; // of the template; the deviation times the root of the number less one
};

// Column by column, then one thread.
__device__ void moments(const float* pattern, int side, float* partial, Moments* result) {
  for_each(side, [=](int column) {
    float sum = 0, squares = 0;
    for (int row = 0; row < side; ++row) {
      const float value = pattern[column * side + row];
      sum += value;
      squares += value * value;
    }
    partial[column] = sum;
    partial[max_template + column] = squares;
  });
  if (threadIdx.x == 0) {
    float sum = 0, squares = 0;
    for (int column = 0; column < side; ++column) {
      sum += partial[column];
      squares += partial[max_template + column];
    }
    const float count = static_cast<float>(side * side), mean = sum / count;
    *result = {sum, sqrtf(count - 1) * sqrtf(squares / count - mean * mean)};
  }
  __syncthreads();
}

// Correlation in each place, and zero in those too far from the last one: as many as a window of `move`
// around it leaves, which a second convolution, of the last place with ones, says.
__device__ void correlate(const Sizes& s, const Moments& of_template, int last_row, int last_column,
                          const Work& work) {
  const int side = template_side(s), places = places_side(s), move = s.move, shift = s.move / 2;
  const float count = static_cast<float>(side * side);
  const float sum = of_template.sum, deviation = of_template.deviation;
  const Work w = work;
  for_each(places * places, [=](int k) {
    const float spread = w.window_of_squares[k] - w.window[k] * w.window[k] / count;
    w.window_of_squares[k] = sqrtf(fmaxf(spread, 0)) * deviation;
    w.products[k] -= w.window[k] * sum / count;
  });
  const int last = last_column * places + last_row;
  for_each(places * places, [=](int k) { w.window[k] = k == last ? 1 : 0; });
  for_each(places * places, [=](int k) {
    const int row = k % places + shift, column = k / places + shift;
    float mask = 0;
    for (int j = max(0, column - move + 1); j <= min(column, places - 1); ++j)
      for (int i = max(0, row - move + 1); i <= min(row, places - 1); ++i)
        mask += w.window[j * places + i];
    w.near[k] = mask * (w.products[k] / w.window_of_squares[k]);
  });
}

struct Best {
  float value;
  int place;
};

// The greatest magnitude, column by column, then one thread.
__device__ Best greatest(const float* values, int side, Best* partial) {
  for_each(side, [=](int column) {
    Best best{0, 0};
    for (int row = 0; row < side; ++row) {
      const float value = fabsf(values[column * side + row]);
      if (value > best.value)
        best = {value, column * side + row};
    }
    partial[column] = best;
  });
  Best best{0, 0};
  if (threadIdx.x == 0)
    for (int column = 0; column < side; ++column)
      if (partial[column].value > best.value)
        best = partial[column];
  return best;
}

// Copied before each launch.
__constant__ int frame_number;

// Rows and columns of points are those of their centres; history has each frame's, point by point.
extern "C" __global__ void kernel(Sizes s, const float* frame, int frames, int2* points, int2* history,
                                  float* templates, Work work) {
  __shared__ float rotated[max_template * max_template], partial[2 * max_template];
  __shared__ Best best_of_column[max_places];
  __shared__ Moments of_template;
  const int point = static_cast<int>(blockIdx.x), number = frame_number;
  const int side = template_side(s), of_area = area_side(s), places = places_side(s),
            padded = of_area + 2 * side;
  float* pattern = templates + point * side * side;
  int2* mine = history + point * frames;
  const int2 centre = points[point];
  if (number == 0) {
    if (threadIdx.x == 0)
      mine[0] = centre;
    cut(frame, s.frame_rows, centre.x - s.around, centre.y - s.around, side, pattern);
    return;
  }
  work.area += point * of_area * of_area;
  work.products += point * places * places;
  work.sums += point * padded * padded;
  work.differences += point * places * padded;
  work.window += point * places * places;
  work.window_of_squares += point * places * places;
  work.near += point * places * places;

  cut(frame, s.frame_rows, centre.x - s.searched, centre.y - s.searched, of_area, work.area);
  float* turned = rotated;
  for_each(side * side, [=](int k) { turned[k] = pattern[side * side - 1 - k]; });
  convolve(s, rotated, work.area, work.products);
  sum_windows(s, false, work, work.window);
  sum_windows(s, true, work, work.window_of_squares);
  moments(pattern, side, partial, &of_template);
  const int middle = s.searched + s.around; // the place where template and area have one centre
  const int2 last = mine[number - 1];
  correlate(s, of_template, middle + last.x - centre.x, middle + last.y - centre.y, work);
  const Best best = greatest(work.near, places, best_of_column);
  if (threadIdx.x == 0)
    mine[number] =
        make_int2(centre.x + best.place % places - middle, centre.y + best.place / places - middle);
  __syncthreads();
  if (number % 10 != 0)
    return;
  const int2 now = mine[number];
  if (threadIdx.x == 0)
    points[point] = now;
  const float kept = s.kept;
  const int rows = s.frame_rows, row = now.x - s.around, column = now.y - s.around;
  for_each(side * side, [=](int k) {
    pattern[k] = kept * pattern[k] + (1 - kept) * frame[(column + k / side) * rows + row + k % side];
  });
}
