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

Expected<PredictInput> read_one(const sweep::SweepFile& sweep, const sweep::Text& file,
                                const PredictOptions& options) {
  Expected<SourceText> source = read_source(sweep::path_of(*sweep.source, file.text));
  if (source)
    return read_input(std::move(*source), options);
  Diagnostics errors;
  for (const Diagnostic& d : source.error())
    errors.push_back(
        sweep.source->error(file.place, file.length, fmt::format("'{}': {}", file.text, d.message),
                            {"paths are relative to the sweep file, else to the current folder"}));
  return tl::unexpected(std::move(errors));
}

Expected<sweep::Fingerprint> contents_of(const PredictInput& input) {
  std::string text = fmt::format("{}\n{}\n", input.source.text().size(), input.source.text());
  std::set<const ptx::Module*> seen;
  for (const KernelCode& kernel : input.kernels)
    if (kernel.module && seen.insert(kernel.module.get()).second)
      text += fmt::format("{}\n{}\n", kernel.module->source->text().size(), kernel.module->source->text());
  for (const application::Buffer& buffer : input.buffers)
    if (buffer.contents.kind == application::InitKind::file) {
      const Expected<std::string> bytes = read_file(buffer.contents.path);
      if (!bytes)
        return tl::unexpected(bytes.error());
      text += sweep::fingerprint(*bytes).text();
    }
  return sweep::fingerprint(text);
}

double warps_of(const PredictInput& input) {
  double warps = 0;
  for (const LaunchJob& job : input.launches)
    warps += static_cast<double>(job.launch.grid.count()) * job.launch.warps_per_cta();
  return warps;
}

Expected<SweepApplication> complete(PredictInput input, const PredictOptions& options) {
  SweepApplication app;
  const Expected<sweep::Fingerprint> contents = contents_of(input);
  if (!contents)
    return tl::unexpected(contents.error());
  app.contents = *contents;
  use_contents(input, options);
  app.warps = warps_of(input);
  std::vector<Expected<tasklist::LaunchBehaviour>> found(input.launches.size());
  parallel::for_each_index(found.size(), options.threads, [&](std::size_t i) {
    const LaunchJob& job = input.launches[i];
    found[i] = job.behaviour ? *job.behaviour
                             : behaviour_of(input.kernels[job.kernel], job.launch, options.sample_ctas);
  });
  Diagnostics errors;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const LaunchJob& job = input.launches[i];
    if (!found[i]) {
      append(errors, located(found[i].error(), input.source, job.place));
      continue;
    }
    found[i]->assumptions.insert(found[i]->assumptions.end(), job.assumptions.begin(), job.assumptions.end());
    app.behaviours.push_back(std::move(*found[i]));
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  app.input = std::move(input);
  return app;
}

} // namespace

Expected<std::vector<PredictInput>> read_applications(const sweep::SweepFile& sweep, std::size_t threads) {
  PredictOptions options;
  options.threads = threads;
  std::vector<PredictInput> inputs;
  Diagnostics errors;
  std::set<std::string> names;
  for (const sweep::Text& file : sweep.apps) {
    Expected<PredictInput> input = read_one(sweep, file, options);
    if (!input) {
      append(errors, input.error());
      continue;
    }
    if (!names.insert(input->name).second)
      errors.push_back(sweep.source->error(file.place, file.length,
                                           fmt::format("a second application called '{}'", input->name),
                                           {"results tell applications by their names: leave one out"}));
    inputs.push_back(std::move(*input));
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return inputs;
}

Expected<std::vector<SweepApplication>> load_applications(const sweep::SweepFile& sweep,
                                                          std::size_t threads) {
  Expected<std::vector<PredictInput>> inputs = read_applications(sweep, threads);
  if (!inputs)
    return tl::unexpected(inputs.error());
  PredictOptions options;
  options.threads = threads;
  std::vector<SweepApplication> apps;
  Diagnostics errors;
  for (PredictInput& input : *inputs) {
    Expected<SweepApplication> app = complete(std::move(input), options);
    if (app)
      apps.push_back(std::move(*app));
    else
      append(errors, app.error());
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return apps;
}

} // namespace kerncast::app
