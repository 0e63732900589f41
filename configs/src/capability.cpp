#include "capability.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace kerncast::configs {
namespace {

constexpr std::array limit_keys = {
    "limits.ctas_per_sm",          "limits.warps_per_sm",        "limits.threads_per_sm",
    "limits.threads_per_cta",      "limits.registers_per_sm",    "limits.registers_per_cta",
    "limits.registers_per_thread", "limits.shared_bytes_per_sm", "limits.shared_bytes_per_cta"};

struct Named {
  std::optional<double> major;
  std::optional<double> minor;
  bool is_whole() const { return major && minor; }
  bool operator==(const Named&) const = default;
};

// What a capability is after one more layer.
Named after(Named named, const Document& layer) {
  for (const Entry& entry : layer.entries)
    if (const double* number = std::get_if<double>(&entry.value)) {
      if (entry.key == "compute_capability.major")
        named.major = *number;
      else if (entry.key == "compute_capability.minor")
        named.minor = *number;
    }
  return named;
}

bool is_file(const Document& layer, const std::string& name) {
  return layer.source && std::filesystem::path(layer.source->name()).stem() == name;
}

} // namespace

std::string capability_file(double major, double minor) { return fmt::format("cc-{}.{}", major, minor); }

std::vector<Document> bring_limits(std::vector<Document> layers, const RulesOf& rules_of) {
  std::vector<Document> all; // farthest first
  Named known;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const Named now = after(known, *layer);
    if (known.is_whole() && now != known) {
      const std::string name = capability_file(*now.major, *now.minor);
      std::vector<Document> rules = is_file(*layer, name) ? std::vector<Document>{} : rules_of(name);
      if (!rules.empty())
        rules.back().limits_anew = true;
      all.insert(all.end(), rules.rbegin(), rules.rend());
    }
    known = now;
    all.push_back(std::move(*layer));
  }
  std::reverse(all.begin(), all.end());
  return all;
}

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

void check_unknown_capability(Gpu& gpu, const Statements& statements, Diagnostics& errors) {
  const Entry* near = statements.find("compute_capability.major");
  const Entry* far = statements.find("compute_capability.minor");
  if (near == nullptr || far == nullptr)
    return;
  if (near->layer < far->layer)
    std::swap(near, far);
  if (near->layer != far->layer)
    errors.push_back(error_at_value(
        near->origin,
        fmt::format("there is no compute capability {}.{} in the database", gpu.compute_capability_major,
                    gpu.compute_capability_minor),
        {fmt::format("{} = {} is stated at {}", far->key, to_text(far->value), describe(far->origin)),
         fmt::format("state {}, too", far->key)}));
  gpu.assumptions.push_back(fmt::format(
      "{}: residency limits are as stated: there are none of compute capability {}.{} to check them against",
      gpu.name, gpu.compute_capability_major, gpu.compute_capability_minor));
}

} // namespace kerncast::configs
