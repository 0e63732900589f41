#include "sweep/check_sweep.h"

#include <utility>

#include <fmt/format.h>

#include "checks.h"
#include "sweep/applications.h"
#include "sweep/parts.h"

namespace kerncast::app {

Expected<std::string> check_sweep(SourceText source, const configs::ConfigPath& path, std::size_t threads) {
  const Expected<SweepParts> parts = read_parts(std::move(source), path);
  if (!parts)
    return tl::unexpected(parts.error());
  const Expected<std::vector<PredictInput>> inputs = read_applications(parts->file, threads);
  if (!inputs)
    return tl::unexpected(inputs.error());
  std::vector<std::string> names;
  for (const PredictInput& input : *inputs)
    names.push_back(input.name);
  if (const Expected<void> known = check_expressions(*parts, names); !known)
    return tl::unexpected(known.error());
  const sweep::Plan& plan = parts->plan;
  std::string left_out;
  if (plan.refused != 0)
    left_out += fmt::format(", {} refused by constraints", plan.refused);
  if (plan.repeated != 0)
    left_out += fmt::format(", {} alike after rounding", plan.repeated);
  if (plan.points.size() != plan.as_stated)
    left_out += fmt::format(", {} of {}", counted(plan.varied.size(), "sample"),
                            counted(parts->file.uncertain.size(), "uncertain key"));
  if (parts->file.sampling == sweep::Sampling::search)
    return fmt::format("search{}: {} on {}, the best of {}{}, {} of them predicted at most",
                       parts->file.name.empty() ? "" : " " + parts->file.name,
                       counted(inputs->size(), "application"), counted(plan.bases.size(), "GPU"),
                       counted(plan.points.size(), "point"), left_out, parts->file.points);
  return fmt::format(
      "sweep{}: {} on {}, {}, {}{}, {}", parts->file.name.empty() ? "" : " " + parts->file.name,
      counted(inputs->size(), "application"), counted(plan.bases.size(), "GPU"),
      parts->file.axes.size() == 1 ? "1 axis" : fmt::format("{} axes", parts->file.axes.size()),
      counted(plan.as_stated, "point"), left_out, counted(plan.points.size() * inputs->size(), "row"));
}

} // namespace kerncast::app
