#include "functional/grid_trace.h"

#include <utility>

namespace kerncast::functional {
namespace {

class TracedGrid final : public tasklist::AccessSource {
public:
  explicit TracedGrid(std::shared_ptr<const GridTrace> trace) : trace_(std::move(trace)) {}

  tasklist::PlacedTrace cta(std::uint64_t number) override {
    auto cta = std::make_shared<tasklist::CtaTrace>();
    const std::uint64_t place = trace_->places.empty() ? number : trace_->places[number];
    const std::uint64_t first_warp = place * trace_->warps_per_cta;
    const std::uint64_t first = trace_->warp_begin[first_warp];
    cta->warp_begin.reserve(trace_->warps_per_cta + 1);
    for (std::uint64_t w = first_warp; w <= first_warp + trace_->warps_per_cta; ++w)
      cta->warp_begin.push_back(static_cast<std::uint32_t>(trace_->warp_begin[w] - first));
    cta->accesses.reserve(cta->warp_begin.back());
    for (std::uint64_t a = first; a < first + cta->warp_begin.back(); ++a) {
      const GridTrace::Access& access = trace_->accesses[a];
      cta->accesses.push_back({access.address, {}, access.task, access.pattern});
    }
    return {std::move(cta), {}};
  }

  const std::vector<tasklist::AccessPattern>& patterns() const override { return trace_->patterns; }
  std::uint64_t executed() const override { return 0; }

private:
  std::shared_ptr<const GridTrace> trace_;
};

} // namespace

std::unique_ptr<tasklist::AccessSource> source_of(std::shared_ptr<const GridTrace> trace) {
  return std::make_unique<TracedGrid>(std::move(trace));
}

} // namespace kerncast::functional
