// From an application file to lowered kernels and launches: reads the PTX modules that the file names.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "input.h"
#include "parallel/run.h"
#include "slice/execute.h"
#include "support/files.h"
#include "support/suggest.h"
#include "variable_contents.h"

namespace kerncast::app {
namespace {

class ApplicationResolver {
public:
  ApplicationResolver(application::Application app, std::size_t error_limit, std::size_t threads,
                      const lowering::LowerOptions& lower)
      : app_(std::move(app)), error_limit_(error_limit), threads_(threads), lower_(lower) {}

  Expected<PredictInput> run() {
    add_modules();
    // Kernels and variables of modules that did not parse would be reported as unknown.
    if (errors_.empty()) {
      for (application::DistinctLaunch& launch : app_.launches)
        add_launch(launch);
      add_variables();
    }
    if (!errors_.empty())
      return tl::unexpected(std::move(errors_));
    input_.name = std::move(app_.name);
    input_.events = std::move(app_.events);
    input_.program = std::move(app_.program);
    input_.fills = std::move(app_.fills);
    input_.graphs = std::move(app_.graphs);
    input_.devices = app_.devices;
    input_.textures = std::move(app_.textures);
    input_.malloc_heap_bytes = app_.malloc_heap_bytes;
    input_.buffers = openable(std::move(app_.buffers));
    input_.source = std::move(app_.source);
    return std::move(input_);
  }

private:
  bool full() const { return error_limit_ != 0 && errors_.size() >= error_limit_; }

  // With the paths of their contents as they can be opened.
  std::vector<application::Buffer> openable(std::vector<application::Buffer> buffers) const {
    for (application::Buffer& buffer : buffers)
      if (buffer.contents.kind == application::InitKind::file)
        buffer.contents.path = std::filesystem::path(app_.source.name()).parent_path() / buffer.contents.path;
    return buffers;
  }

  void add_variables() {
    app_.variables = openable(std::move(app_.variables));
    Expected<std::vector<VariableContents>> variables = resolve_variables(app_, modules_);
    if (variables)
      input_.variables = std::move(*variables);
    else
      add_errors(variables.error());
  }

  void add_errors(const Diagnostics& errors) {
    for (const Diagnostic& d : errors)
      if (!full())
        errors_.push_back(d);
  }

  Expected<std::vector<SourceModule>> read_one(const application::ModuleFile& file) const {
    Expected<SourceText> source = read_source(file.path);
    if (source)
      return read_modules(std::move(*source), {error_limit_, {}, threads_});
    Diagnostics errors;
    for (const Diagnostic& d : source.error())
      errors.push_back(app_.source.error(file.place, 1,
                                         fmt::format("module '{}': {}", file.path.string(), d.message),
                                         {"paths are relative to the application file"}));
    return tl::unexpected(std::move(errors));
  }

  // The files are read side by side; their errors are told in the application's order.
  void add_modules() {
    std::vector<Expected<std::vector<SourceModule>>> read(app_.modules.size());
    parallel::for_each_index(read.size(), threads_,
                             [&](std::size_t i) { read[i] = read_one(app_.modules[i]); });
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (!read[i])
        add_errors(read[i].error());
      else
        for (SourceModule& module : *read[i])
          modules_.push_back({app_.modules[i].path, std::move(module)});
    }
  }

  // The module that has the kernel; null, with an error, if none or several have.
  const SourceModule* find_module(const application::DistinctLaunch& launch) {
    const SourceModule* found = nullptr;
    std::vector<std::string> known;
    for (const auto& [path, module] : modules_)
      for (const ptx::Function& function : module.ptx->functions) {
        if (!function.is_entry || !function.has_body)
          continue;
        known.emplace_back(function.name);
        if (function.name == launch.kernel && found != nullptr) {
          add_errors({app_.source.error(launch.kernel_place, 1,
                                        fmt::format("two modules have a kernel '{}'", launch.kernel),
                                        {"leave one of the modules out"})});
          return nullptr;
        }
        if (function.name == launch.kernel)
          found = &module;
      }
    if (found == nullptr)
      add_errors({unknown_kernel(launch, known)});
    return found;
  }

  Diagnostic unknown_kernel(const application::DistinctLaunch& launch,
                            const std::vector<std::string>& known) {
    const std::string near = nearest(launch.kernel, known);
    const std::string note = known.empty()  ? "the modules have no kernel"
                             : near.empty() ? fmt::format("kernels: {}", fmt::join(known, ", "))
                                            : fmt::format("did you mean '{}'?", near);
    return app_.source.error(launch.kernel_place, static_cast<std::uint32_t>(launch.kernel.size() + 2),
                             fmt::format("unknown kernel '{}'", launch.kernel), {note});
  }

  // Number of the kernel in the input; nothing if it has errors, which are reported once.
  std::optional<std::uint32_t> find_kernel(const application::DistinctLaunch& launch) {
    if (const auto known = kernels_.find(launch.kernel); known != kernels_.end())
      return known->second;
    std::optional<std::uint32_t>& number = kernels_[launch.kernel];
    const SourceModule* module = find_module(launch);
    if (module == nullptr)
      return std::nullopt;
    Expected<KernelCode> code = lower_kernel(*module, *module->ptx->find(launch.kernel), lower_);
    if (!code) {
      add_errors(code.error());
      return std::nullopt;
    }
    number = static_cast<std::uint32_t>(input_.kernels.size());
    input_.kernels.push_back(std::move(*code));
    return number;
  }

  void add_launch(application::DistinctLaunch& launch) {
    if (full())
      return;
    const std::optional<std::uint32_t> kernel = find_kernel(launch);
    if (!kernel)
      return;
    const Expected<void> fits = check_arguments(input_.kernels[*kernel], launch.launch);
    if (!fits)
      add_errors(located(fits.error(), app_.source, launch.arguments_place));
    input_.launches.push_back({*kernel,
                               std::move(launch.launch),
                               launch.hit_rates,
                               launch.launches,
                               launch.kernel_place,
                               nullptr,
                               nullptr,
                               {},
                               nullptr});
  }

  application::Application app_;
  std::size_t error_limit_;
  std::size_t threads_;
  const lowering::LowerOptions& lower_;
  std::vector<FileModule> modules_;
  std::map<std::string, std::optional<std::uint32_t>> kernels_;
  PredictInput input_;
  Diagnostics errors_;
};

} // namespace

Expected<PredictInput> resolve_application(application::Application app, std::size_t error_limit,
                                           std::size_t threads, const lowering::LowerOptions& lower) {
  return ApplicationResolver(std::move(app), error_limit, threads, lower).run();
}

} // namespace kerncast::app
