#include "configs/l1_size.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "dram_keys.h"
#include "round_up.h"

namespace kerncast::configs {

std::optional<std::vector<std::uint64_t>> shared_carve_outs(const ResidencyLimits& limits) {
  std::vector<std::uint64_t> sizes;
  std::string_view rest = limits.shared_carve_outs_kib;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    std::uint32_t kib = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), kib);
    if (error != std::errc() || end != word.data() + word.size())
      return std::nullopt;
    if (!sizes.empty() && kib * bytes_per_kib <= sizes.back())
      return std::nullopt;
    sizes.push_back(kib * bytes_per_kib);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return sizes;
}

std::uint64_t l1_bytes(const Gpu& gpu, std::uint32_t ctas_per_sm, std::uint32_t shared_bytes_per_cta) {
  const ResidencyLimits& limits = gpu.limits;
  const std::vector<std::uint64_t> sizes = shared_carve_outs(limits).value_or(std::vector<std::uint64_t>{});
  const std::uint64_t of_cta =
      round_up(std::uint64_t{shared_bytes_per_cta} + limits.shared_reserved_bytes_per_cta,
               std::max(1U, limits.shared_allocation_unit));
  const auto chosen = std::lower_bound(sizes.begin(), sizes.end(), ctas_per_sm * of_cta);
  return gpu.l1.bytes + (chosen == sizes.end() ? 0 : sizes.back() - *chosen);
}

} // namespace kerncast::configs
