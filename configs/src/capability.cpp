#include "capability.h"

#include <array>

#include <fmt/format.h>

namespace kerncast::configs {
namespace {

constexpr std::array limit_keys = {
    "limits.ctas_per_sm",          "limits.warps_per_sm",        "limits.threads_per_sm",
    "limits.threads_per_cta",      "limits.registers_per_sm",    "limits.registers_per_cta",
    "limits.registers_per_thread", "limits.shared_bytes_per_sm", "limits.shared_bytes_per_cta"};

} // namespace

void check_capability(const Gpu& gpu, const Statements& statements, const Statements& rules,
                      Diagnostics& errors) {
  for (const char* key : limit_keys) {
    const Entry* stated = statements.find(key);
    const Entry* rule = rules.find(key);
    if (stated == nullptr || rule == nullptr || statements.is_set(key))
      continue;
    const double value = std::get<double>(stated->value);
    const double bound = std::get<double>(rule->value);
    if (value > bound)
      errors.push_back(
          error_at_value(stated->origin,
                         fmt::format("{} is {}, more than compute capability {}.{} allows ({})", key, value,
                                     gpu.compute_capability_major, gpu.compute_capability_minor, bound),
                         {fmt::format("{} = {} is stated at {}", key, bound, describe(rule->origin)),
                          "change it with --set, or state the compute capability of a hypothetical GPU"}));
  }
}

} // namespace kerncast::configs
