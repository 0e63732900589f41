#include "varied_launches.h"

#include <algorithm>

namespace kerncast::app {
namespace {

constexpr std::size_t most_varied = 8; // of a kernel

// The middle of the one of so many equal parts of `count` launches that number `i` lies in.
std::size_t middle_of_part(std::size_t i, std::size_t count) {
  const std::size_t parts = std::min(count, most_varied);
  const std::size_t part = i * parts / count;
  const std::size_t begin = (part * count + parts - 1) / parts;
  const std::size_t end = ((part + 1) * count + parts - 1) / parts;
  return begin + (end - begin) / 2;
}

} // namespace

std::vector<std::size_t> varied_launches(const PredictInput& input) {
  std::vector<std::vector<std::size_t>> of_kernel(input.kernels.size());
  for (std::size_t i = 0; i < input.launches.size(); ++i)
    of_kernel[input.launches[i].kernel].push_back(i);
  std::vector<std::size_t> varied(input.launches.size());
  for (const std::vector<std::size_t>& launches : of_kernel)
    for (std::size_t i = 0; i < launches.size(); ++i)
      varied[launches[i]] = launches[middle_of_part(i, launches.size())];
  return varied;
}

} // namespace kerncast::app
