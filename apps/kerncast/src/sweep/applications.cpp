#include "sweep/applications.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "parallel/run.h"
#include "predict/behaviour.h"
#include "predict/contents.h"
#include "predict/read_input.h"
#include "support/files.h"

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
  std::vector<const application::Buffer*> buffers;
  for (const application::Buffer& buffer : input.buffers)
    buffers.push_back(&buffer);
  for (const VariableContents& variable : input.variables)
    buffers.push_back(&variable.contents);
  for (const application::Buffer* const buffer : buffers)
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

// Those of some launches only, if asked to stop. On one thread, within a job, workers with nothing else to do
// help.
std::vector<Expected<tasklist::LaunchBehaviour>>
behaviours_of(const PredictInput& input, const PredictOptions& options, const StopRequest& stop) {
  std::vector<Expected<tasklist::LaunchBehaviour>> found(input.launches.size());
  const auto find = [&](std::size_t i) {
    const LaunchJob& job = input.launches[i];
    if (job.behaviour)
      found[i] = *job.behaviour;
    else if (!stop.is_made())
      found[i] = behaviour_of(input.kernels[job.kernel], job, options.sample_ctas);
  };
  if (options.threads == 1)
    parallel::for_each_index_with_idle(found.size(), find);
  else
    parallel::for_each_index(found.size(), options.threads, find);
  return found;
}

Expected<void> add_behaviours(std::vector<Expected<tasklist::LaunchBehaviour>> found, SweepApplication& app) {
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

Expected<ReadyApplication> prepare(const SourceText& sweep, const sweep::Text& file, std::size_t threads,
                                   const StopRequest& stop) {
  const ReadyApplication stopped;
  if (stop.is_made())
    return stopped;
  PredictOptions options;
  options.threads = threads;
  Expected<PredictInput> input = read_one(sweep, file, options);
  if (!input)
    return tl::unexpected(input.error());
  const Expected<std::string> contents = contents_of(*input);
  if (!contents)
    return tl::unexpected(contents.error());
  if (stop.is_made())
    return stopped;
  use_contents(*input, options);
  auto app = std::make_shared<SweepApplication>();
  app->facts = {input->name, *contents, warps_of(*input)};
  app->input = std::move(*input);
  auto behaviours = behaviours_of(app->input, options, stop);
  if (stop.is_made())
    return stopped;
  return add_behaviours(std::move(behaviours), *app).map([&] { return ReadyApplication(std::move(app)); });
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

Expected<ReadyApplication> Applications::get(std::size_t number, std::size_t threads,
                                             const StopRequest& stop) {
  Slot& slot = *slots_[number];
  const std::lock_guard lock(slot.preparing);
  if (slot.ready)
    return slot.ready;
  return prepare(*sweep_, slot.file, threads, stop).map([&](ReadyApplication&& app) {
    return slot.ready = std::move(app);
  });
}

Diagnostic repeated_name(const SourceText& sweep, const sweep::Text& file, const std::string& name) {
  return sweep.error(file.place, file.length, fmt::format("a second application called '{}'", name),
                     {"results tell applications by their names: leave one out"});
}

} // namespace kerncast::app
