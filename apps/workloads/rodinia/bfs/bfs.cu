// Breadth-first search, level by level: the algorithm of Rodinia's bfs.
//
// One thread per node and two kernels per level, so that no node is seen in the level that reaches it.
// Kernel lets the nodes of the frontier write the cost of their neighbours that are not yet visited; Kernel2
// makes those the next frontier and says that there is one. Leaves out: reading graphs.

struct Node {
  int first_edge, edges;
};

extern "C" __global__ void Kernel(const Node* nodes, const int* neighbours, bool* frontier, bool* reached,
                                  const bool* visited, int* cost, int count) {
  const int node = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= count || !frontier[node])
    return;
  frontier[node] = false;
  for (int e = nodes[node].first_edge; e < nodes[node].first_edge + nodes[node].edges; ++e) {
    const int neighbour = neighbours[e];
    if (!visited[neighbour]) {
      cost[neighbour] = cost[node] + 1;
      reached[neighbour] = true;
    }
  }
}

extern "C" __global__ void Kernel2(bool* frontier, bool* reached, bool* visited, bool* any, int count) {
  const int node = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= count || !reached[node])
    return;
  frontier[node] = true;
  visited[node] = true;
  *any = true;
  reached[node] = false;
}
