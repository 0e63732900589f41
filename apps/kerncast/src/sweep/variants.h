// GPUs of the points of a sweep, kept where they are not too many: every application needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sweep/plan.h"

namespace kerncast::app {

// A GPU at one point.
struct Variant {
  Expected<configs::Gpu> gpu;
  std::string hash;
};

class Variants {
public:
  // The plan must outlive the object.
  explicit Variants(const sweep::Plan& plan);

  // By any thread.
  std::shared_ptr<const Variant> at(std::uint32_t point);

private:
  std::shared_ptr<const Variant> make(std::uint32_t point) const;

  const sweep::Plan& plan_;
  std::mutex mutex_; // guards what follows
  std::vector<std::shared_ptr<const Variant>> known_;
};

} // namespace kerncast::app
