// Sums of absolute differences between blocks of two images, for motion estimation: the algorithm of
// Parboil's sad.
//
// In mb_sad_calc a CTA compares one block of 4 x 4 pixels with the reference image, fetched as a texture, at
// 33 x 33 places, 18 of them a thread and three neighbours at once, and copies the sums out in 8 bytes.
// larger_sad_calc_8 adds sums of neighbouring blocks to those of 4 x 8, 8 x 4 and 8 x 8 pixels,
// larger_sad_calc_16 to those of 8 x 16, 16 x 8 and 16 x 16, two places in a word.

constexpr int reach = 16; // pixels, in each direction
constexpr int side = 2 * reach + 1;
constexpr int places = side * side;
constexpr int padded_places = 1096; // a row of sums
constexpr int places_per_thread = 18;
constexpr int at_once = 3;
constexpr int block_side = 4;

// Where the rows of each shape (width x height) begin, in rows per macroblock of 16 x 16 pixels.
constexpr int of_16x16 = 0, of_16x8 = 1, of_8x16 = 3, of_8x8 = 5, of_8x4 = 9, of_4x8 = 17, of_4x4 = 25;

// Dynamic shared memory: one row of sums.
extern "C" __global__ void mb_sad_calc(unsigned short* sums, const unsigned short* frame, int mb_width,
                                       int mb_height, cudaTextureObject_t reference) {
  extern __shared__ unsigned short row[];
  __shared__ unsigned short block[block_side][block_side];
  const int thread = static_cast<int>(threadIdx.x);
  const int left = static_cast<int>(blockIdx.x) * block_side, top = static_cast<int>(blockIdx.y) * block_side;
  if (thread < block_side * block_side) {
    const int x = thread % block_side, y = thread / block_side;
    block[y][x] = frame[(top + y) * mb_width * 16 + left + x];
  }
  if (thread < padded_places - places)
    row[places + thread] = 0;
  __syncthreads();

  const int first = thread * places_per_thread;
  for (int place = first; place < min(first + places_per_thread, places); place += at_once) {
    const int x = left - reach + place % side, y = top - reach + place / side;
    unsigned short sum[at_once] = {};
    for (int dy = 0; dy < block_side; ++dy)
#pragma unroll
      for (int dx = 0; dx < block_side + at_once - 1; ++dx) {
        const int texel = tex2D<unsigned short>(reference, x + dx, y + dy);
#pragma unroll
        for (int p = 0; p < at_once; ++p)
          if (dx >= p && dx < p + block_side)
            sum[p] += abs(texel - block[dy][dx - p]);
      }
#pragma unroll
    for (int p = 0; p < at_once; ++p)
      row[place + p] = sum[p];
  }
  __syncthreads();

  const int macroblock = static_cast<int>(blockIdx.y / 4) * mb_width + static_cast<int>(blockIdx.x / 4);
  const int of_block =
      of_4x4 * mb_width * mb_height + macroblock * 16 + static_cast<int>(blockIdx.y % 4 * 4 + blockIdx.x % 4);
  auto* out = reinterpret_cast<int2*>(sums + of_block * padded_places);
  for (int i = thread; i < padded_places / 4 && thread < 32; i += 32)
    out[i] = reinterpret_cast<const int2*>(row)[i];
}

// Row `index` of a macroblock's rows of one shape, as words of two sums.
__device__ unsigned* rows(unsigned short* sums, int shape, int rows_per_macroblock, int index, int mb_width,
                          int mb_height) {
  const int macroblock = static_cast<int>(blockIdx.y) * mb_width + static_cast<int>(blockIdx.x);
  const int number = shape * mb_width * mb_height + macroblock * rows_per_macroblock + index;
  return reinterpret_cast<unsigned*>(sums + number * padded_places);
}

constexpr int row_words = padded_places / 2;

// Of four blocks, the second one to the right and the third one `below` rows further: the two pairs one above
// the other, the two side by side, `pair_step` rows apart, and all four.
__device__ void add_blocks(const unsigned* in, int below, unsigned* columns, unsigned* pairs, int pair_step,
                           unsigned* all) {
  for (int w = static_cast<int>(threadIdx.x); w < (places + 1) / 2; w += 32) {
    const unsigned a = in[w], b = in[w + row_words];
    const unsigned c = in[w + below * row_words], d = in[w + (below + 1) * row_words];
    columns[w] = a + c;
    columns[w + row_words] = b + d;
    pairs[w] = a + b;
    pairs[w + pair_step * row_words] = c + d;
    all[w] = a + b + (c + d);
  }
}

// threadIdx.y: which quarter of the macroblock.
extern "C" __global__ void larger_sad_calc_8(unsigned short* sums, int mb_width, int mb_height) {
  const int x = static_cast<int>(threadIdx.y) % 2, y = static_cast<int>(threadIdx.y) / 2;
  add_blocks(rows(sums, of_4x4, 16, 8 * y + 2 * x, mb_width, mb_height), 4,
             rows(sums, of_4x8, 8, 4 * y + 2 * x, mb_width, mb_height),
             rows(sums, of_8x4, 8, 4 * y + x, mb_width, mb_height), 2,
             rows(sums, of_8x8, 4, 2 * y + x, mb_width, mb_height));
}

extern "C" __global__ void larger_sad_calc_16(unsigned short* sums, int mb_width, int mb_height) {
  add_blocks(rows(sums, of_8x8, 4, 0, mb_width, mb_height), 2, rows(sums, of_8x16, 2, 0, mb_width, mb_height),
             rows(sums, of_16x8, 2, 0, mb_width, mb_height), 1,
             rows(sums, of_16x16, 1, 0, mb_width, mb_height));
}
