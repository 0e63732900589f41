// The algorithms of Thakur, Rabenseifner and Gropp (2005), sections 4.1 to 4.5, as lists of exchanges.
#include <algorithm>
#include <bit>
#include <cassert>

#include "ranks/collectives.h"

namespace kerncast::ranks {
namespace {

using Steps = std::vector<ExchangeStep>;

std::uint32_t log2_up(std::uint32_t ranks) { return static_cast<std::uint32_t>(std::bit_width(ranks - 1)); }

// Every rank to the one `distance` further, in a circle.
ExchangeStep shift(std::uint32_t ranks, std::uint32_t distance, double share, std::uint64_t times = 1) {
  ExchangeStep step{{}, share, times};
  for (std::uint32_t r = 0; r < ranks; ++r)
    step.messages.emplace_back(r, (r + distance) % ranks);
  return step;
}

Steps ring(std::uint32_t ranks, std::uint32_t rounds) {
  return {shift(ranks, 1, 1.0 / ranks, std::uint64_t{rounds} * (ranks - 1))};
}

// Of a power of two of ranks: ranks beyond it fold their data into a neighbour's before, and get the result
// after. `share` is that of the exchange between ranks whose numbers differ in bit k.
struct Folded {
  explicit Folded(std::uint32_t all) : core(std::bit_floor(all)), extra(all - core) {}

  // Of the rank with this number among those that exchange.
  std::uint32_t rank(std::uint32_t number) const { return number < extra ? 2 * number + 1 : number + extra; }

  void fold(bool back, Steps& steps) const {
    ExchangeStep step{{}, 1.0, 1};
    for (std::uint32_t i = 0; i < extra; ++i)
      step.messages.emplace_back(back ? 2 * i + 1 : 2 * i, back ? 2 * i : 2 * i + 1);
    if (extra > 0)
      steps.push_back(std::move(step));
  }

  void exchange(std::uint32_t bit, double share, Steps& steps) const {
    ExchangeStep step{{}, share, 1};
    for (std::uint32_t i = 0; i < core; ++i)
      step.messages.emplace_back(rank(i), rank(i ^ (1U << bit)));
    steps.push_back(std::move(step));
  }

  std::uint32_t bits() const { return static_cast<std::uint32_t>(std::bit_width(core)) - 1; }

  std::uint32_t core;
  std::uint32_t extra;
};

// The part of the data that is exchanged in bit k when the half farthest away goes first.
double halved(std::uint32_t bit, std::uint32_t core) { return static_cast<double>(1U << bit) / core; }

void halve(const Folded& folded, Steps& steps) {
  for (std::uint32_t bit = folded.bits(); bit-- > 0;)
    folded.exchange(bit, halved(bit, folded.core), steps);
}

void double_up(const Folded& folded, Steps& steps) {
  for (std::uint32_t bit = 0; bit < folded.bits(); ++bit)
    folded.exchange(bit, halved(bit, folded.core), steps);
}

Steps all_reduce(Algorithm algorithm, std::uint32_t ranks) {
  if (algorithm == Algorithm::ring)
    return ring(ranks, 2);
  const Folded folded(ranks);
  Steps steps;
  folded.fold(false, steps);
  if (algorithm == Algorithm::recursive_doubling)
    for (std::uint32_t bit = 0; bit < folded.bits(); ++bit)
      folded.exchange(bit, 1.0, steps);
  else {
    halve(folded, steps);
    double_up(folded, steps);
  }
  folded.fold(true, steps);
  return steps;
}

// Ranks count from the root. In a step those that have the data pass them on over `distance`.
Steps binomial_tree(std::uint32_t ranks, std::uint32_t root) {
  Steps steps;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
    ExchangeStep step{{}, 1.0, 1};
    for (std::uint32_t v = 0; v < distance && v + distance < ranks; ++v)
      step.messages.emplace_back((v + root) % ranks, (v + distance + root) % ranks);
    steps.push_back(std::move(step));
  }
  return steps;
}

// The root's data are halved from step to step; then each rank has a part, and the parts go round.
Steps scatter_all_gather(std::uint32_t ranks, std::uint32_t root) {
  Steps steps;
  for (std::uint32_t distance = std::bit_ceil(ranks) / 2; distance > 0; distance /= 2) {
    ExchangeStep step{{}, static_cast<double>(distance) / ranks, 1};
    for (std::uint32_t v = 0; v + distance < ranks; v += 2 * distance)
      step.messages.emplace_back((v + root) % ranks, (v + distance + root) % ranks);
    steps.push_back(std::move(step));
  }
  steps.push_back(shift(ranks, 1, 1.0 / ranks, ranks - 1));
  return steps;
}

Steps pairwise(std::uint32_t ranks) {
  Steps steps;
  for (std::uint32_t distance = 1; distance < ranks; ++distance)
    steps.push_back(shift(ranks, distance, 1.0 / ranks));
  return steps;
}

// In step k the blocks go on whose way, in binary, has bit k.
Steps bruck(std::uint32_t ranks) {
  Steps steps;
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
    std::uint32_t blocks = 0;
    for (std::uint32_t way = 0; way < ranks; ++way)
      blocks += (way & distance) != 0 ? 1 : 0;
    steps.push_back(shift(ranks, distance, static_cast<double>(blocks) / ranks));
  }
  return steps;
}

Steps dissemination(std::uint32_t ranks) {
  Steps steps;
  for (std::uint32_t k = 0; k < log2_up(ranks); ++k)
    steps.push_back(shift(ranks, 1U << k, 0));
  return steps;
}

} // namespace

std::vector<Algorithm> algorithms(CommunicationOp op, std::uint32_t ranks) {
  const bool power_of_two = std::has_single_bit(ranks);
  using enum Algorithm;
  switch (op) {
  case CommunicationOp::broadcast:
    return {binomial_tree, scatter_all_gather};
  case CommunicationOp::all_reduce:
    return {recursive_doubling, recursive_halving, ring};
  case CommunicationOp::reduce_scatter:
    return power_of_two ? std::vector{recursive_halving, ring} : std::vector{ring};
  case CommunicationOp::all_gather:
    return power_of_two ? std::vector{recursive_doubling, ring} : std::vector{ring};
  case CommunicationOp::all_to_all:
    return {bruck, pairwise};
  case CommunicationOp::barrier:
    return {dissemination};
  case CommunicationOp::send:
  case CommunicationOp::receive:
    break;
  }
  return {};
}

std::vector<ExchangeStep> steps_of(CommunicationOp op, Algorithm algorithm, std::uint32_t ranks,
                                   std::uint32_t root) {
  Steps steps;
  switch (op) {
  case CommunicationOp::broadcast:
    return algorithm == Algorithm::binomial_tree ? binomial_tree(ranks, root)
                                                 : scatter_all_gather(ranks, root);
  case CommunicationOp::all_reduce:
    return all_reduce(algorithm, ranks);
  case CommunicationOp::reduce_scatter:
    if (algorithm == Algorithm::ring)
      return ring(ranks, 1);
    halve(Folded(ranks), steps);
    return steps;
  case CommunicationOp::all_gather:
    if (algorithm == Algorithm::ring)
      return ring(ranks, 1);
    double_up(Folded(ranks), steps);
    return steps;
  case CommunicationOp::all_to_all:
    return algorithm == Algorithm::bruck ? bruck(ranks) : pairwise(ranks);
  case CommunicationOp::barrier:
    return dissemination(ranks);
  case CommunicationOp::send:
  case CommunicationOp::receive:
    break;
  }
  return steps;
}

} // namespace kerncast::ranks
