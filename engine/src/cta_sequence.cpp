#include "cta_sequence.h"

#include <algorithm>
#include <utility>

namespace kerncast::engine {

std::uint64_t ctas_of(const std::vector<CtaRun>& ctas) {
  std::uint64_t count = 0;
  for (const CtaRun& run : ctas)
    count += run.count;
  return count;
}

std::uint64_t ctas_of(const SmWorkload& workload) { return ctas_of(workload.ctas); }

std::uint64_t common_ctas(const std::vector<CtaRun>& a, const std::vector<CtaRun>& b) {
  std::uint64_t count = 0;
  std::uint64_t a_done = 0, b_done = 0; // of their current runs
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end() && x->kind == y->kind;) {
    const std::uint64_t both = std::min(x->count - a_done, y->count - b_done);
    count += both;
    a_done = a_done + both == x->count ? (++x, 0) : a_done + both;
    b_done = b_done + both == y->count ? (++y, 0) : b_done + both;
  }
  return count;
}

SmWorkload with_ctas(const SmWorkload& workload, std::vector<CtaRun> ctas) {
  SmWorkload out = workload;
  out.other_ctas.clear();
  out.ctas = std::move(ctas);
  return out;
}

std::vector<CtaRun> first_ctas(const std::vector<CtaRun>& all, std::uint64_t ctas) {
  std::vector<CtaRun> first;
  for (const CtaRun& run : all) {
    const std::uint64_t taken = std::min(run.count, ctas);
    if (taken == 0)
      break;
    first.push_back({run.kind, taken});
    ctas -= taken;
  }
  return first;
}

SmWorkload with_first_ctas(const SmWorkload& workload, std::uint64_t ctas) {
  return with_ctas(workload, first_ctas(workload.ctas, ctas));
}

} // namespace kerncast::engine
