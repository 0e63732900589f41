// Whom a rank sends its results: the first of its group, the collector, which sends to rank 0 what came
// within a while. There are as many groups as ranks in one, so that nobody hears more than some 2 sqrt(ranks)
// others.
#pragma once

#include <algorithm>
#include <chrono>

namespace kerncast::cluster {

// How long a collector keeps results back.
inline constexpr std::chrono::milliseconds collector_pause{200};

inline int group_size(int ranks) {
  int size = 1;
  while (size * size < ranks)
    ++size;
  return size;
}

// Of rank 0: itself.
inline int collector_of(int rank, int ranks) {
  const int first = rank - rank % group_size(ranks);
  return first == rank ? 0 : first;
}

// Ranks that send to this one.
inline int senders_to(int rank, int ranks) {
  const int size = group_size(ranks);
  if (rank % size != 0)
    return 0;
  const int group = std::min(size, ranks - rank) - 1;
  const int collectors = (ranks - 1) / size;
  return rank == 0 ? group + collectors : group;
}

} // namespace kerncast::cluster
