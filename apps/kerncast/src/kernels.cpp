#include "kernels.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lowering/lower_compiled.h"

namespace kerncast::app {
namespace {

// A kernel and the module that it belongs to.
struct Found {
  const SourceModule* module = nullptr;
  const ptx::Function* kernel = nullptr;
};

std::vector<Found> entries_of(const std::vector<SourceModule>& modules) {
  std::vector<Found> entries;
  for (const SourceModule& module : modules)
    for (const ptx::Function& function : module.ptx->functions)
      if (function.is_entry && function.has_body)
        entries.push_back({&module, &function});
  return entries;
}

// What several translation units know under this name.
std::vector<Found> matches_of(const std::vector<SourceModule>& modules, std::string_view name) {
  std::vector<Found> matches;
  for (const SourceModule& module : modules)
    if (const auto kernel = lowering::select_kernel(*module.ptx, name))
      matches.push_back({&module, *kernel});
  return matches;
}

Expected<Found> find_kernel(const std::vector<SourceModule>& modules, std::string_view name) {
  if (modules.size() == 1)
    return lowering::select_kernel(*modules.front().ptx, name).map([&](const ptx::Function* kernel) {
      return Found{&modules.front(), kernel};
    });
  const std::vector<Found> matches = matches_of(modules, name);
  const std::vector<Found> entries = entries_of(modules);
  if (matches.size() == 1 && (!name.empty() || entries.size() == 1))
    return matches.front();
  std::vector<std::string> known;
  for (const Found& found : matches.size() > 1 ? matches : entries)
    known.push_back(fmt::format("{} in {}", found.kernel->name, found.module->ptx->source->name()));
  return fail(name.empty()      ? fmt::format("{} kernels in {} modules", entries.size(), modules.size())
              : matches.empty() ? fmt::format("there is no kernel '{}', or its name is not unique", name)
                                : fmt::format("'{}' names kernels of {} modules", name, matches.size()),
              known.empty() ? "the file has no kernels"
                            : fmt::format("choose with --kernel and --entry: {}", fmt::join(known, ", ")));
}

} // namespace

const ptx::Function* KernelCode::function() const {
  if (rewritten)
    return &rewritten->function;
  return module ? module->find(name) : nullptr;
}

Expected<KernelCode> lower_kernel(const std::shared_ptr<const ptx::Module>& module,
                                  const ptx::Function& kernel, const lowering::LowerOptions& options) {
  Expected<lowering::CompiledKernel> compiled = lowering::lower_compiled(*module, kernel, options);
  if (!compiled)
    return tl::unexpected(compiled.error());
  KernelCode code;
  code.module = module;
  code.name = kernel.name;
  code.rewritten = std::move(compiled->rewritten);
  code.list = std::move(compiled->list);
  return code;
}

Expected<KernelCode> lower_kernel(const SourceModule& module, const ptx::Function& kernel,
                                  const lowering::LowerOptions& options) {
  return lower_kernel(module.ptx, kernel, options).map([&](KernelCode&& code) {
    if (!module.assumption.empty())
      code.list.assumptions.push_back(module.assumption);
    return std::move(code);
  });
}

Expected<KernelModule> read_kernels(SourceText source, const ModuleOptions& options, std::string_view name,
                                    const lowering::LowerOptions& lower) {
  const Expected<std::vector<SourceModule>> modules = read_modules(std::move(source), options);
  if (!modules)
    return tl::unexpected(modules.error());
  std::vector<Found> entries = entries_of(*modules);
  if (!name.empty()) {
    const Expected<Found> found = find_kernel(*modules, name);
    if (!found)
      return tl::unexpected(found.error());
    entries = {*found};
  }
  KernelModule read{modules->front().ptx, {}};
  Diagnostics errors;
  for (const Found& entry : entries) {
    Expected<KernelCode> code = lower_kernel(*entry.module, *entry.kernel, lower);
    if (code)
      read.kernels.push_back(std::move(*code));
    else
      errors.insert(errors.end(), code.error().begin(), code.error().end());
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return read;
}

Expected<CheckedModule> check_kernels(SourceText source, const ModuleOptions& options) {
  const Expected<std::vector<SourceModule>> modules = read_modules(std::move(source), options);
  if (!modules)
    return tl::unexpected(modules.error());
  CheckedModule checked{modules->front().ptx, {}, {}};
  for (const SourceModule& module : *modules)
    checked.warnings.insert(checked.warnings.end(), module.ptx->warnings.begin(), module.ptx->warnings.end());
  for (const Found& entry : entries_of(*modules)) {
    checked.kernels.emplace_back(entry.kernel->name);
    const Expected<KernelCode> code = lower_kernel(*entry.module, *entry.kernel);
    if (code)
      continue;
    for (Diagnostic reason : code.error()) {
      reason.severity = Severity::warning;
      reason.message = fmt::format("kernel '{}' cannot be predicted: {}", entry.kernel->name, reason.message);
      checked.warnings.push_back(std::move(reason));
    }
  }
  return checked;
}

Expected<KernelCode> read_kernel(SourceText source, const ModuleOptions& options, std::string_view name,
                                 const lowering::LowerOptions& lower) {
  const Expected<std::vector<SourceModule>> modules = read_modules(std::move(source), options);
  if (!modules)
    return tl::unexpected(modules.error());
  return find_kernel(*modules, name).and_then([&](const Found& found) {
    return lower_kernel(*found.module, *found.kernel, lower);
  });
}

} // namespace kerncast::app
