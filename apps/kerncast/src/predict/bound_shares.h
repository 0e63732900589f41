// What bounds the launches of a kernel, by the time they take.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/kernel.h"
#include "result.h"

namespace kerncast::app {

class BoundShares {
public:
  // `launches` alike ones; `p` must outlive this.
  void add(const engine::KernelPrediction& p, double launches);

  // Of the launches with the bound that holds for most of the time, the one that takes the most of it; the
  // first of several. At least one launch must have been added.
  const engine::KernelPrediction& most() const;

  // Largest share first. Shares of launches that take no time are 0.
  std::vector<BoundShare> take() const;

private:
  struct Launches {
    const engine::KernelPrediction* largest = nullptr;
    double largest_us = 0;
    double time_us = 0;
  };

  std::vector<Launches> by_time() const;

  std::vector<Launches> bounds_; // as they first came
};

// Means over launches of how busy resources are, by the cycles that the launches take.
class MeanUtilisation {
public:
  void add(const std::vector<engine::Utilisation>& of_launch, double cycles);
  std::vector<engine::Utilisation> take() const; // most used first

private:
  std::vector<engine::Utilisation> busy_cycles_; // as they first came
  double cycles_ = 0;
};

} // namespace kerncast::app
