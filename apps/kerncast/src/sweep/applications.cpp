#include "sweep/applications.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "parallel/run.h"
#include "predict/behaviour.h"
#include "predict/contents.h"
#include "predict/read_input.h"
#include "support/files.h"
#include "sweep/behaviours.h"

namespace kerncast::app {
namespace {

void append(Diagnostics& all, const Diagnostics& more) { all.insert(all.end(), more.begin(), more.end()); }

Expected<PredictInput> read_one(const SourceText& sweep, const sweep::Text& file,
                                const PredictOptions& options) {
  Expected<SourceText> source = read_source(sweep::path_of(sweep, file.text));
  if (source)
    return read_input(std::move(*source), options);
  Diagnostics errors;
  for (const Diagnostic& d : source.error())
    errors.push_back(sweep.error(file.place, file.length, fmt::format("'{}': {}", file.text, d.message),
                                 {"paths are relative to the sweep file, else to the current folder"}));
  return tl::unexpected(std::move(errors));
}

Expected<std::string> contents_of(const PredictInput& input) {
  std::string text = fmt::format("{}\n{}\n", input.source.text().size(), input.source.text());
  std::set<const ptx::Module*> seen;
  for (const KernelCode& kernel : input.kernels)
    if (kernel.module && seen.insert(kernel.module.get()).second)
      text += fmt::format("{}\n{}\n", kernel.module->source->text().size(), kernel.module->source->text());
  std::vector<const application::Buffer*> known;
  for (const application::Buffer& buffer : input.buffers)
    known.push_back(&buffer);
  for (const VariableContents& variable : input.variables)
    known.push_back(&variable.contents);
  for (const application::Buffer* buffer : known)
    if (buffer->contents.kind == application::InitKind::file) {
      const Expected<std::string> bytes = read_file(buffer->contents.path);
      if (!bytes)
        return tl::unexpected(bytes.error());
      text += sweep::fingerprint(*bytes).text();
    }
  return sweep::fingerprint(text).text();
}

double warps_of(const PredictInput& input) {
  double warps = 0;
  for (const LaunchJob& job : input.launches)
    warps += static_cast<double>(job.launch.grid.count()) * job.launch.warps_per_cta();
  return warps;
}

PredictOptions options_of(std::size_t threads) {
  PredictOptions options;
  options.threads = threads;
  return options;
}

using Behaviours = std::vector<Expected<tasklist::LaunchBehaviour>>;

Expected<tasklist::LaunchBehaviour> find_behaviour(const PredictInput& input, std::size_t launch) {
  const LaunchJob& job = input.launches[launch];
  return job.behaviour ? *job.behaviour
                       : behaviour_of(input.kernels[job.kernel], job, PredictOptions{}.sample_ctas);
}

// Those of some launches only, if asked to stop.
Behaviours behaviours_of(const PredictInput& input, std::size_t threads, const StopRequest& stop) {
  Behaviours found(input.launches.size());
  parallel::for_each_index(found.size(), threads, [&](std::size_t i) {
    if (!stop.is_made())
      found[i] = find_behaviour(input, i);
  });
  return found;
}

// Nothing is told of launches that have errors: each rank finds these by itself, and of recorded ones.
Behaviours behaviours_of(const PredictInput& input, const Together& together) {
  const std::vector<std::string> told =
      together.on_all(input.launches.size(), [&](std::size_t i) -> std::string {
        if (input.launches[i].behaviour)
          return {};
        const auto behaviour = find_behaviour(input, i);
        return behaviour ? encode(*behaviour) : std::string();
      });
  Behaviours found;
  for (std::size_t i = 0; i < told.size(); ++i)
    found.push_back(told[i].empty() ? find_behaviour(input, i) : decode_behaviour(told[i]));
  return found;
}

Expected<void> add_behaviours(Behaviours found, SweepApplication& app) {
  Diagnostics errors;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const LaunchJob& job = app.input.launches[i];
    if (!found[i]) {
      append(errors, located(found[i].error(), app.input.source, job.place));
      continue;
    }
    found[i]->assumptions.insert(found[i]->assumptions.end(), job.assumptions.begin(), job.assumptions.end());
    app.behaviours.push_back(std::move(*found[i]));
  }
  return errors.empty() ? Expected<void>{} : tl::unexpected(std::move(errors));
}

} // namespace

Expected<std::vector<PredictInput>> read_applications(const sweep::SweepFile& sweep, std::size_t threads) {
  PredictOptions options;
  options.threads = threads;
  std::vector<PredictInput> inputs;
  Diagnostics errors;
  std::set<std::string> names;
  for (const sweep::Text& file : sweep.apps) {
    Expected<PredictInput> input = read_one(*sweep.source, file, options);
    if (!input) {
      append(errors, input.error());
      continue;
    }
    if (!names.insert(input->name).second)
      errors.push_back(repeated_name(*sweep.source, file, input->name));
    inputs.push_back(std::move(*input));
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return inputs;
}

Applications::Applications(const sweep::SweepFile& sweep) : sweep_(sweep.source) {
  for (const sweep::Text& file : sweep.apps) {
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->file = file;
  }
}

Expected<void> Applications::read(Slot& slot, std::size_t threads) const {
  if (slot.read)
    return {};
  Expected<PredictInput> input = read_one(*sweep_, slot.file, options_of(threads));
  if (!input)
    return tl::unexpected(input.error());
  const Expected<std::string> contents = contents_of(*input);
  if (!contents)
    return tl::unexpected(contents.error());
  slot.read = std::make_shared<SweepApplication>();
  slot.read->facts = {input->name, *contents, warps_of(*input)};
  slot.read->input = std::move(*input);
  return {};
}

Expected<ReadyApplication> Applications::get(std::size_t number, std::size_t threads,
                                             const StopRequest& stop) {
  Slot& slot = *slots_[number];
  const std::lock_guard lock(slot.preparing);
  if (slot.ready)
    return slot.ready;
  if (stop.is_made())
    return ReadyApplication{};
  if (const Expected<void> is_read = read(slot, threads); !is_read)
    return tl::unexpected(is_read.error());
  if (stop.is_made())
    return ReadyApplication{};
  const auto app = std::exchange(slot.read, nullptr);
  use_contents(app->input, options_of(threads));
  Behaviours behaviours = behaviours_of(app->input, threads, stop);
  if (stop.is_made())
    return ReadyApplication{};
  return add_behaviours(std::move(behaviours), *app).map([&] { return slot.ready = app; });
}

Expected<ApplicationFacts> Applications::read(std::size_t number, std::size_t threads) {
  Slot& slot = *slots_[number];
  const std::lock_guard lock(slot.preparing);
  return read(slot, threads).map([&] { return slot.read->facts; });
}

Expected<void> Applications::prepare_together(std::size_t number, const Together& together) {
  Slot& slot = *slots_[number];
  const std::lock_guard lock(slot.preparing);
  if (const Expected<void> is_read = read(slot, together.threads); !is_read)
    return is_read;
  const auto app = std::exchange(slot.read, nullptr);
  use_contents(app->input, options_of(together.threads));
  return add_behaviours(behaviours_of(app->input, together), *app).map([&] { slot.ready = app; });
}

Diagnostic repeated_name(const SourceText& sweep, const sweep::Text& file, const std::string& name) {
  return sweep.error(file.place, file.length, fmt::format("a second application called '{}'", name),
                     {"results tell applications by their names: leave one out"});
}

} // namespace kerncast::app
