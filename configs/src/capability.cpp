#include "capability.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "architectures.h"

namespace kerncast::configs {
namespace {

constexpr std::array limit_keys = {
    "limits.ctas_per_sm",          "limits.warps_per_sm",        "limits.threads_per_sm",
    "limits.threads_per_cta",      "limits.registers_per_sm",    "limits.registers_per_cta",
    "limits.registers_per_thread", "limits.shared_bytes_per_sm", "limits.shared_bytes_per_cta"};

constexpr std::array rounding_keys = {
    "limits.register_allocation",         "limits.register_allocation_unit",
    "limits.warp_allocation_granularity", "limits.warp_check_granularity",
    "limits.shared_allocation_unit",      "limits.shared_reserved_bytes_per_cta"};

constexpr std::string_view more = "more than";
constexpr std::string_view other = "other than";

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

// Whether the layer is the file of these rules itself.
bool is_of(const Document& layer, const std::vector<Document>& rules) {
  return layer.source && !rules.empty() && layer.source->name() == rules.front().source->name();
}

// The rules as layers below one that states their capability.
std::vector<Document> brought(std::vector<Document> rules) {
  for (Document& rule : rules)
    rule.is_rule = true;
  if (!rules.empty())
    rules.back().limits_anew = true;
  return rules;
}

// Limits are at most the capability's; the rules by which what a CTA takes is rounded are the capability's.
Diagnostic contradiction(const Gpu& gpu, const Entry& stated, const Entry& rule, std::string_view relation) {
  return error_at_value(
      stated.origin,
      fmt::format("{} is {}, {} compute capability {}.{} {} ({})", stated.key, to_text(stated.value),
                  relation, gpu.compute_capability_major, gpu.compute_capability_minor,
                  relation == more ? "allows" : "has", to_text(rule.value)),
      {fmt::format("{} = {} is stated at {}", rule.key, to_text(rule.value), describe(rule.origin)),
       "change it with --set, or state the compute capability of a hypothetical GPU"});
}

} // namespace

std::string capability_file(double major, double minor) { return fmt::format("cc-{}.{}", major, minor); }

std::vector<Document> bring_limits(std::vector<Document> layers, const RulesOf& rules_of) {
  std::vector<Document> all; // farthest first
  Named known;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    const Named now = after(known, *layer);
    if (known.is_whole() && now != known) {
      std::vector<Document> rules = rules_of(capability_file(*now.major, *now.minor));
      rules = is_of(*layer, rules) ? std::vector<Document>{} : brought(std::move(rules));
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
    if (stated != nullptr && rule != nullptr && !statements.is_set(key) &&
        std::get<double>(stated->value) > std::get<double>(rule->value))
      errors.push_back(contradiction(gpu, *stated, *rule, more));
  }
  if (!is_real(gpu.architecture))
    return;
  for (const char* key : rounding_keys) {
    const Entry* stated = statements.find(key);
    const Entry* rule = rules.find(key);
    if (stated != nullptr && rule != nullptr && !statements.is_set(key) &&
        to_text(stated->value) != to_text(rule->value))
      errors.push_back(contradiction(gpu, *stated, *rule, other));
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
