// A graph that is never launched, as the 'when' of its launches is 0, leaves launches that never happen.
#include <algorithm>
#include <utility>

#include "parts.h"

namespace kerncast::application {
namespace {

void keep_steps_in_order(timeline::RankProgram& program) {
  std::vector<bool> used(program.steps.size(), false);
  for (const std::uint32_t step : program.order)
    used[step] = true;
  std::vector<std::uint32_t> number(program.steps.size());
  std::vector<timeline::RankStep> kept;
  for (std::size_t i = 0; i < program.steps.size(); ++i)
    if (used[i]) {
      number[i] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(program.steps[i]));
    }
  program.steps = std::move(kept);
  for (std::uint32_t& step : program.order)
    step = number[step];
}

} // namespace

void keep_launches_that_happen(Application& app) {
  if (std::ranges::none_of(app.launches, [](const DistinctLaunch& launch) { return launch.launches == 0; }))
    return;
  keep_steps_in_order(app.program);
  std::vector<std::uint32_t> number(app.launches.size());
  std::vector<DistinctLaunch> kept;
  for (std::size_t i = 0; i < app.launches.size(); ++i)
    if (app.launches[i].launches > 0) {
      number[i] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(app.launches[i]));
    }
  app.launches = std::move(kept);
  const auto renumber = [&](std::vector<timeline::Event>& events) {
    for (timeline::Event& event : events)
      if (auto* kernel = std::get_if<timeline::KernelEvent>(&event))
        kernel->launch = number[kernel->launch];
  };
  renumber(app.events);
  for (timeline::RankStep& step : app.program.steps)
    renumber(step.variants);
}

} // namespace kerncast::application
