#include "sweep/variants.h"

#include <utility>

namespace kerncast::app {
namespace {

constexpr std::size_t most_kept = 4096; // some 100 MB

} // namespace

Variants::Variants(const sweep::Plan& plan)
    : plan_(plan), known_(plan.points.size() <= most_kept ? plan.points.size() : 0) {}

std::shared_ptr<const Variant> Variants::at(std::uint32_t point) {
  if (known_.empty())
    return make(point);
  {
    const std::lock_guard lock(mutex_);
    if (known_[point])
      return known_[point];
  }
  auto made = make(point);
  const std::lock_guard lock(mutex_);
  return known_[point] = std::move(made);
}

std::shared_ptr<const Variant> Variants::make(std::uint32_t point) const {
  Expected<configs::Gpu> gpu = plan_.gpu_of(plan_.points[point]);
  std::string hash = gpu ? sweep::hash_of(*gpu).text() : "";
  return std::make_shared<const Variant>(Variant{std::move(gpu), std::move(hash)});
}

} // namespace kerncast::app
