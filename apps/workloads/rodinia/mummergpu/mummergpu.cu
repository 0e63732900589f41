// Where each suffix of each query matches a reference, found by walking down the reference's suffix tree, one
// thread a query. After a mismatch the walk goes on from the node whose string lacks the first base (a suffix
// link), and skips what is known to match. Bases are 0 to 3. Node 0 is none, node 1 the root; of a node one
// texture has the children, the other {first and last base of its edge in the reference, suffix link, depth}.

constexpr int root = 1;
constexpr int none = -1;

__device__ int child_of(uint4 children, int base) {
  switch (base) {
  case 0:
    return static_cast<int>(children.x);
  case 1:
    return static_cast<int>(children.y);
  case 2:
    return static_cast<int>(children.z);
  default:
    return static_cast<int>(children.w);
  }
}

__device__ int base_at(const char* query, int length, int position) {
  return position < length ? query[position] : none;
}

extern "C" __global__ void mummergpuKernel(int2* matches, const char* queries, cudaTextureObject_t nodes,
                                           cudaTextureObject_t children, const char* reference,
                                           const int* begins, const int* lengths, int count, int least) {
  const int number = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (number >= count)
    return;
  const int length = lengths[number], begin = begins[number];
  const char* query = queries + begin;
  int2* match = matches + begin - number * (least - 1);
  int at = 0, matched = 0, skipped = 0; // bases known to match without looking
  for (int start = 0; start <= length - least; ++start, ++match) {
    if (at == 0) {
      at = root;
      matched = skipped = 0;
    }
    int parent = at, on_edge = 0;
    bool goes_on = true;
    int base = base_at(query, length, start + matched);
    while (goes_on && base != none) {
      const int next = child_of(tex1Dfetch<uint4>(children, at), base);
      parent = at;
      on_edge = 0;
      if (next == 0)
        break;
      at = next;
      const uint4 node = tex1Dfetch<uint4>(nodes, at);
      const int first = static_cast<int>(node.x), edge = static_cast<int>(node.y) - first + 1;
      on_edge = skipped > 0 ? min(skipped, edge) : 1; // the first base chose the edge
      skipped = max(skipped - edge, 0);
      matched += on_edge;
      base = base_at(query, length, start + matched);
      while (on_edge < edge && base != none) {
        if (reference[first + on_edge] != base) {
          goes_on = false;
          break;
        }
        ++on_edge;
        ++matched;
        base = base_at(query, length, start + matched);
      }
    }
    if (matched >= least)
      *match = make_int2(at, on_edge);
    skipped = on_edge;
    matched -= on_edge + 1;
    at = static_cast<int>(tex1Dfetch<uint4>(nodes, parent).z);
  }
}
