#include "gpu_views.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "configs/unchecked.h"
#include "table.h"

namespace kerncast::app {
namespace {

std::string capability(const configs::Gpu& gpu) {
  return fmt::format("{}.{}", gpu.compute_capability_major, gpu.compute_capability_minor);
}

// Values are text in the table of keys; here they become what they are.
Json typed(const std::string& text) {
  if (text == "true" || text == "false")
    return text == "true";
  const char* const end = text.data() + text.size();
  std::int64_t integer = 0;
  if (const auto read = std::from_chars(text.data(), end, integer); read.ec == std::errc() && read.ptr == end)
    return integer;
  double real = 0;
  if (const auto read = std::from_chars(text.data(), end, real); read.ec == std::errc() && read.ptr == end)
    return real;
  return text;
}

// What follows from the description and is often asked for.
std::vector<std::pair<std::string, double>> derived_values(const configs::Gpu& gpu) {
  const double dram_gbps = gpu.dram_gbps_per_sm() * gpu.sms;
  return {{"dram.sustained_gbps", dram_gbps},
          {"dram.sustained_gbps_per_sm", gpu.dram_gbps_per_sm()},
          {"l2.gbps", gpu.l2_gbps_per_sm() * gpu.sms},
          {"l2.gbps_per_sm", gpu.l2_gbps_per_sm()},
          {"l2.kib_per_sm", static_cast<double>(gpu.l2.bytes) / 1024 / gpu.sms},
          {"fp32_operations_per_dram_byte", gpu.peak.fp32_gflops / dram_gbps},
          {"fp64_operations_per_dram_byte", gpu.peak.fp64_gflops / dram_gbps}};
}

Json origins_json(const configs::Gpu& gpu) {
  Json object = Json::object();
  for (const auto& [key, value] : configs::resolved_values(gpu))
    object[key] = {{"kind", "default"}, {"source", ""}, {"from", ""}};
  for (const auto& [key, origin] : gpu.origins)
    object[key] = {
        {"kind", configs::name(origin.evidence)}, {"source", origin.source}, {"from", origin.place}};
  return object;
}

std::string assumption_line(const std::string& assumption) { return "assumption: " + assumption + "\n"; }

// `show` has those with their keys.
bool is_guess_of_a_value(const configs::Gpu& gpu, const std::string& assumption) {
  return std::any_of(gpu.origins.begin(), gpu.origins.end(), [&](const auto& stated) {
    const auto& [key, origin] = stated;
    return origin.evidence == configs::Evidence::guess &&
           assumption.starts_with(fmt::format("{}: {} = ", gpu.name, key)) &&
           assumption.ends_with(fmt::format(" is a guess: {}", origin.source));
  });
}

std::string unchecked_lines(const configs::Gpu& gpu) {
  std::string text;
  for (const std::string& line : configs::not_checked(gpu))
    text += "not checked: " + line + "\n";
  return text;
}

Json derived_json(const configs::Gpu& gpu) {
  Json object = Json::object();
  for (const auto& [key, value] : derived_values(gpu))
    object[key] = value;
  return object;
}

} // namespace

std::string gpu_summary(const configs::Gpu& gpu) {
  return fmt::format("GPU {}, {}: compute capability {}, {} SMs at {} MHz", gpu.name, gpu.product,
                     capability(gpu), gpu.sms, gpu.clock_mhz);
}

std::string check_lines(const configs::Gpu& gpu) {
  std::string text;
  for (const std::string& assumption : gpu.assumptions)
    if (!is_guess_of_a_value(gpu, assumption))
      text += assumption_line(assumption);
  const auto guesses = std::count_if(gpu.origins.begin(), gpu.origins.end(), [](const auto& origin) {
    return origin.second.evidence == configs::Evidence::guess;
  });
  if (guesses > 0)
    text += fmt::format("guesses: {} of {} values ('kerncast gpus show' names them)\n", guesses,
                        configs::resolved_values(gpu).size());
  return text + unchecked_lines(gpu);
}

std::string gpu_list_table(const std::vector<configs::Gpu>& gpus) {
  Table table({{"name", Align::left},
               {"product", Align::left},
               {"cc", Align::right},
               {"SMs", Align::right},
               {"MHz", Align::right},
               {"DRAM GB/s", Align::right}});
  for (const configs::Gpu& gpu : gpus)
    table.add({gpu.name, gpu.product, capability(gpu), fmt::format("{}", gpu.sms),
               fmt::format("{}", gpu.clock_mhz), fmt::format("{}", gpu.dram.bandwidth_gbps)});
  return table.text();
}

Json gpu_list_json(const std::vector<configs::Gpu>& gpus) {
  Json list = Json::array();
  for (const configs::Gpu& gpu : gpus)
    list.push_back({{"name", gpu.name},
                    {"product", gpu.product},
                    {"compute_capability", capability(gpu)},
                    {"sms", gpu.sms},
                    {"clock_mhz", gpu.clock_mhz},
                    {"dram_bandwidth_gbps", gpu.dram.bandwidth_gbps}});
  return list;
}

std::string gpu_table(const configs::Gpu& gpu) {
  Table table({{"key", Align::left},
               {"value", Align::right},
               {"kind", Align::left},
               {"source", Align::left},
               {"from", Align::left}});
  for (const auto& [key, value] : configs::resolved_values(gpu))
    if (const auto origin = gpu.origins.find(key); origin != gpu.origins.end())
      table.add({key, value, std::string(configs::name(origin->second.evidence)), origin->second.source,
                 origin->second.place});
    else
      table.add({key, value, "default", "", ""});
  for (const auto& [key, value] : derived_values(gpu))
    table.add({key, fmt::format("{:.4g}", value), "follows", "", ""});
  std::string text = gpu_summary(gpu) + "\n\n" + table.text();
  for (const std::string& assumption : gpu.assumptions)
    text += assumption_line(assumption);
  return text + unchecked_lines(gpu);
}

Json resolved_json(const std::vector<std::pair<std::string, std::string>>& values) {
  Json object = Json::object();
  for (const auto& [key, value] : values)
    object[key] = typed(value);
  return object;
}

Json gpu_json(const configs::Gpu& gpu) {
  return {{"name", gpu.name},
          {"gpu_resolved", resolved_json(configs::resolved_values(gpu))},
          {"derived", derived_json(gpu)},
          {"origins", origins_json(gpu)},
          {"assumptions", gpu.assumptions},
          {"not_checked", configs::not_checked(gpu)}};
}

} // namespace kerncast::app
