// Variable-length encoding of bytes: the algorithm of Rodinia's huffman (PAVLE).
//
// histo_kernel counts bytes in shared memory. In vlc_encode_kernel_sm64huff a thread encodes four bytes into
// up to 64 bits; a prefix sum of the lengths over the CTA says where they go, and atomic ors put them
// together in shared memory. prescan and uniformAdd scan the CTAs' lengths, pack2 moves the CTAs' bits
// together, a thread for each. Leaves out: the tree of codes, which the suite's host makes, and the padding
// by which its scan avoids bank conflicts.

using uint = unsigned int;

constexpr uint symbols = 256;
constexpr uint word_bits = 32;

extern "C" __global__ void histo_kernel(const unsigned char* bytes, long size, uint* counts) {
  __shared__ uint of_cta[symbols];
  of_cta[threadIdx.x] = 0;
  __syncthreads();
  for (long i = threadIdx.x + blockIdx.x * blockDim.x; i < size; i += blockDim.x * gridDim.x)
    atomicAdd(&of_cta[bytes[i]], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], of_cta[threadIdx.x]);
}

// In place over `count` values, a power of two, by count / 2 threads or more: value k becomes the sum of
// those before it. Returns the sum of all.
__device__ uint exclusive_scan(uint* values, uint count) {
  const uint thread = threadIdx.x;
  uint stride = 1;
  for (uint pairs = count / 2; pairs > 0; pairs /= 2, stride *= 2) {
    __syncthreads();
    if (thread < pairs)
      values[stride * (2 * thread + 2) - 1] += values[stride * (2 * thread + 1) - 1];
  }
  __syncthreads();
  const uint total = values[count - 1];
  __syncthreads();
  if (thread == 0)
    values[count - 1] = 0;
  for (uint pairs = 1; pairs < count; pairs *= 2) {
    stride /= 2;
    __syncthreads();
    if (thread < pairs) {
      uint& left = values[stride * (2 * thread + 1) - 1];
      uint& right = values[stride * (2 * thread + 2) - 1];
      const uint sum = left + right;
      left = right;
      right = sum;
    }
  }
  __syncthreads();
  return total;
}

// Ors the lowest `length` bits of `code` into the words, from bit `at` on (bit 0 is a word's highest).
__device__ void put_bits(uint* words, uint at, unsigned long long code, uint length) {
  while (length > 0) {
    const uint room = word_bits - at % word_bits, bits = min(room, length);
    const uint part = static_cast<uint>(code >> (length - bits)) & (0xffffffffu >> (word_bits - bits));
    atomicOr(&words[at / word_bits], part << (room - bits));
    at += bits;
    length -= bits;
  }
}

// The three unused parameters are the suite's, for tests. Dynamic shared memory: a word per symbol for codes,
// one for lengths, one per thread.
extern "C" __global__ void vlc_encode_kernel_sm64huff(const uint* data, const uint* all_codes,
                                                      const uint* all_lengths, uint*, uint*, uint*, uint* out,
                                                      uint* bits_of_cta) {
  extern __shared__ uint shared[];
  uint *codes = shared, *lengths = codes + symbols, *words = lengths + symbols;
  const uint thread = threadIdx.x, at = blockIdx.x * blockDim.x + thread;
  codes[thread] = all_codes[thread];
  lengths[thread] = all_lengths[thread];
  const uint four = data[at];
  __syncthreads();

  unsigned long long code = 0;
  uint length = 0;
  for (int shift = 24; shift >= 0; shift -= 8) {
    const uint symbol = four >> shift & 0xff;
    code = code << lengths[symbol] | codes[symbol];
    length += lengths[symbol];
  }
  words[thread] = length;
  const uint total = exclusive_scan(words, blockDim.x);
  if (thread == 0)
    bits_of_cta[blockIdx.x] = total;
  const uint begin = words[thread];
  __syncthreads();
  words[thread] = 0;
  __syncthreads();
  put_bits(words, begin, code, length);
  __syncthreads();
  if (thread <= total / word_bits)
    out[at] = words[thread];
}

// Two values per thread; the sums of the CTAs where there are several of them.
extern "C" __global__ void prescan(uint* out, const uint* in, uint* sums) {
  extern __shared__ uint shared[];
  const uint count = 2 * blockDim.x, first = blockIdx.x * count + threadIdx.x;
  shared[threadIdx.x] = in[first];
  shared[threadIdx.x + blockDim.x] = in[first + blockDim.x];
  const uint total = exclusive_scan(shared, count);
  if (sums != nullptr && threadIdx.x == 0)
    sums[blockIdx.x] = total;
  out[first] = shared[threadIdx.x];
  out[first + blockDim.x] = shared[threadIdx.x + blockDim.x];
}

extern "C" __global__ void uniformAdd(uint* values, const uint* sums) {
  __shared__ uint sum;
  if (threadIdx.x == 0)
    sum = sums[blockIdx.x];
  __syncthreads();
  const uint first = blockIdx.x * 2 * blockDim.x + threadIdx.x;
  values[first] += sum;
  values[first + blockDim.x] += sum;
}

// The words that one thread alone writes need no atomics: all but its first and last.
extern "C" __global__ void pack2(const uint* words, const uint* bits_of_cta, const uint* begin_of_cta,
                                 uint* packed, uint words_of_cta) {
  const uint cta = blockIdx.x * blockDim.x + threadIdx.x;
  const uint* source = words + cta * words_of_cta;
  const uint bits = bits_of_cta[cta], shift = begin_of_cta[cta] % word_bits;
  uint* target = packed + begin_of_cta[cta] / word_bits;
  uint left_over = 0; // of the word before, in the highest bits
  const uint count = (shift + bits + word_bits - 1) / word_bits;
  for (uint i = 0; i < count; ++i) {
    const uint word = i * word_bits < bits ? source[i] : 0;
    const uint merged = left_over | word >> shift;
    left_over = shift == 0 ? 0 : word << (word_bits - shift);
    if (i == 0 || i + 1 == count)
      atomicOr(&target[i], merged);
    else
      target[i] = merged;
  }
}
