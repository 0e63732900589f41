// Breadth-first search with queues: the algorithm of Parboil's bfs.
//
// One launch per level, one thread for each node of the queue. It lowers the costs of its neighbours; whoever
// first colours a node puts it into the CTA's queue in shared memory, which then goes behind the other CTAs'
// into the next level's queue. Leaves out: the suite's kernels for small queues, which go on to the next
// level by themselves, and textures, by which it reads the graph.

constexpr int queue_room = 8 * 400;
constexpr int last_taken =
    16677216; // colours up to it are those of paths; those above are white, greys and black
constexpr int black = last_taken + 5;

// `nodes`: first edge and number of edges; `edges`: neighbour and cost; `tail`: size of the next queue. The
// grey shade alternates from level to level.
extern "C" __global__ void BFS_kernel(const int* queue, int* next_queue, const int2* __restrict__ nodes,
                                      const int2* __restrict__ edges, int* colours, int* costs, int size,
                                      int* tail, int grey_shade, int) {
  __shared__ int found, begin;
  __shared__ int local_queue[queue_room];
  if (threadIdx.x == 0)
    found = 0;
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) {
    const int node = queue[i], cost = costs[node];
    colours[node] = black;
    const int2 range = nodes[node];
    for (int e = range.x; e < range.x + range.y; ++e) {
      const int neighbour = edges[e].x, cost_by_this = cost + edges[e].y;
      if (atomicMin(&costs[neighbour], cost_by_this) <= cost_by_this || colours[neighbour] <= last_taken)
        continue;
      if (atomicExch(&colours[neighbour], grey_shade) != grey_shade)
        local_queue[atomicAdd(&found, 1)] = neighbour;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0)
    begin = atomicAdd(tail, found);
  __syncthreads();
  for (int q = static_cast<int>(threadIdx.x); q < found; q += static_cast<int>(blockDim.x))
    next_queue[begin + q] = local_queue[q];
}
