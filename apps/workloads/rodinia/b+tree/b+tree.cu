// Queries of a B+ tree, one CTA each: the algorithm of Rodinia's b+tree.
//
// A CTA has a thread for every key of a node. At each level the one thread whose key and next key enclose the
// query names the child; thread 0 makes it the current node. In the leaf the thread with the query's key
// finds the record. findK looks one key up, findRangeK both ends of a range. Current node and child lie in
// global memory. Leaves out: building the tree, which the suite's host does.

constexpr int order = 256;

struct Node {
  int location;
  int indices[order + 1]; // of children, in leaves of records
  int keys[order + 1];
  bool is_leaf;
  int key_count;
};

// One level: the thread whose keys enclose the query names the child. `current` and `child` are the CTA's
// own.
__device__ void find_child(const Node* nodes, long node_count, int key, const long* current, long* child) {
  const int slot = static_cast<int>(threadIdx.x);
  const Node& node = nodes[*current];
  if (node.keys[slot] <= key && node.keys[slot + 1] > key && node.indices[slot] < node_count)
    *child = node.indices[slot];
}

extern "C" __global__ void findK(long height, const Node* nodes, long node_count, const int* records,
                                 long* current, long* child, const int* keys, int* answers) {
  const unsigned query = blockIdx.x;
  for (long level = 0; level < height; ++level) {
    find_child(nodes, node_count, keys[query], &current[query], &child[query]);
    __syncthreads();
    if (threadIdx.x == 0)
      current[query] = child[query];
    __syncthreads();
  }
  const Node& leaf = nodes[current[query]];
  if (leaf.keys[threadIdx.x] == keys[query])
    answers[query] = records[leaf.indices[threadIdx.x]];
}

extern "C" __global__ void findRangeK(long height, const Node* nodes, long node_count, long* current,
                                      long* child, long* last, long* last_child, const int* starts,
                                      const int* ends, int* first_record, int* record_count) {
  const unsigned query = blockIdx.x, slot = threadIdx.x;
  for (long level = 0; level < height; ++level) {
    find_child(nodes, node_count, starts[query], &current[query], &child[query]);
    find_child(nodes, node_count, ends[query], &last[query], &last_child[query]);
    __syncthreads();
    if (slot == 0) {
      current[query] = child[query];
      last[query] = last_child[query];
    }
    __syncthreads();
  }
  const Node& leaf = nodes[current[query]];
  if (leaf.keys[slot] == starts[query])
    first_record[query] = leaf.indices[slot];
  __syncthreads();
  const Node& last_leaf = nodes[last[query]];
  if (last_leaf.keys[slot] == ends[query])
    record_count[query] = last_leaf.indices[slot] - first_record[query] + 1;
}
