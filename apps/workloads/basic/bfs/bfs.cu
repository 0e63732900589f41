// One level of a breadth-first search: every node of the current level marks its neighbours that have no
// level yet. All that meet at a node store the same value.
extern "C" __global__ void bfs(const int* edge_begin, const int* neighbour, int* level, int* changed, int now,
                               int nodes) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || level[node] != now)
    return;
  for (int e = edge_begin[node]; e < edge_begin[node + 1]; ++e) {
    int other = neighbour[e];
    if (level[other] < 0) {
      level[other] = now + 1;
      *changed = 1;
    }
  }
}
