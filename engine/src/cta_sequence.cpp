#include "cta_sequence.h"

#include <algorithm>

namespace kerncast::engine {

std::uint64_t ctas_of(const SmWorkload& workload) {
  std::uint64_t ctas = 0;
  for (const CtaRun& run : workload.ctas)
    ctas += run.count;
  return ctas;
}

SmWorkload with_first_ctas(const SmWorkload& workload, std::uint64_t ctas) {
  SmWorkload out = workload;
  out.ctas.clear();
  for (const CtaRun& run : workload.ctas) {
    const std::uint64_t taken = std::min(run.count, ctas);
    if (taken == 0)
      break;
    out.ctas.push_back({run.kind, taken});
    ctas -= taken;
  }
  return out;
}

} // namespace kerncast::engine
