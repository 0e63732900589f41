#include "checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "application/read.h"
#include "configs/cluster.h"
#include "container_checks.h"
#include "input_kind.h"
#include "kernels.h"
#include "ppt_gpu_2019/reader.h"
#include "predict/input.h"
#include "ptx_parser/printer.h"
#include "support/files.h"
#include "sweep/check_sweep.h"
#include "tasklist/paper_form.h"
#include "tasklist/text.h"
#include "tasklist/verify.h"
#include "views/gpu_views.h"

namespace kerncast::app {
namespace {

Expected<CheckedFile> check_ptx(SourceText&& source, const CheckOptions& options) {
  return check_kernels(std::move(source), {options.error_limit, options.entry, options.threads})
      .map([](CheckedModule&& module) {
        std::string summary = module_summary(module);
        return CheckedFile{std::move(summary), std::move(module.warnings)};
      });
}

Expected<CheckedFile> check_embedded_ptx(SourceText&& source, const CheckOptions& options) {
  return check_container(source, {options.error_limit, options.entry, options.threads});
}

Expected<CheckedFile> check_application(SourceText&& source, const CheckOptions& options) {
  Expected<application::Application> app =
      application::load_application(std::move(source), options.error_limit);
  if (!app)
    return tl::unexpected(app.error());
  std::uint64_t launches = 0;
  for (const application::DistinctLaunch& distinct : app->launches)
    launches += distinct.launches;
  const bool has_ranks = app->program.ranks > 0;
  const std::size_t events = has_ranks ? app->program.order.size() : app->events.size();
  std::string summary = fmt::format(
      "application {}: {}{}, {}, {}, {} ({} distinct)", app->name,
      has_ranks ? counted(app->program.ranks, "rank") + ", " : "", counted(app->modules.size(), "module"),
      counted(app->buffers.size(), "buffer"), counted(events, "event"),
      launches == 1 ? "1 launch" : fmt::format("{} launches", launches), app->launches.size());
  return resolve_application(std::move(*app), options.error_limit, options.threads)
      .map([&](const PredictInput& input) {
        return CheckedFile{fmt::format("{} of {}", summary, counted(input.kernels.size(), "kernel")), {}};
      });
}

Expected<CheckedFile> check_gpu(SourceText&& source, const CheckOptions& options) {
  return configs::load_gpu(source.name(), {}, options.configs).map([](const configs::Gpu& gpu) {
    return CheckedFile{gpu_summary(gpu), {}};
  });
}

Expected<CheckedFile> check_cluster(SourceText&& source, const CheckOptions& options) {
  return configs::load_cluster(source.name(), options.configs).map([](const configs::Cluster& cluster) {
    return CheckedFile{fmt::format("cluster {}: {} of {} ({})", cluster.name, counted(cluster.nodes, "node"),
                                   counted(cluster.gpus_per_node, "GPU"), cluster.gpu),
                       {}};
  });
}

Expected<CheckedFile> check_sweep_file(SourceText&& source, const CheckOptions& options) {
  return check_sweep(std::move(source), options.configs, options.threads).map([](std::string&& summary) {
    return CheckedFile{std::move(summary), {}};
  });
}

std::string tasklist_summary(const tasklist::Tasklist& list, std::string_view form) {
  return fmt::format("tasklist in {} form: {}, {}", form, counted(list.tasks.size(), "task"),
                     counted(list.blocks.size(), "block"));
}

Expected<CheckedFile> check_text(SourceText&& source, const CheckOptions&) {
  Expected<tasklist::Tasklist> list = tasklist::read_text(source);
  if (!list)
    return tl::unexpected(list.error());
  if (Expected<void> verified = tasklist::verify(*list); !verified)
    return tl::unexpected(verified.error());
  return CheckedFile{tasklist_summary(*list, "our text"), {}};
}

Expected<CheckedFile> check_paper(SourceText&& source, const CheckOptions&) {
  return tasklist::read_paper(source).map([](const tasklist::Tasklist& list) {
    return CheckedFile{tasklist_summary(list, "the papers'"), {}};
  });
}

Expected<CheckedFile> check_lanl(SourceText&& source, const CheckOptions&) {
  return ppt_gpu_2019::read_lanl_file(source).map([](const ppt_gpu_2019::LanlFile& file) {
    return CheckedFile{fmt::format("ppt_lanl file {}: {}, {} CTAs of {} on {}", file.input.name,
                                   counted(file.input.items.size(), "item"), file.input.launch.grid_blocks,
                                   file.input.launch.threads_per_block, file.input.hardware.gpu_name),
                       {}};
  });
}

struct CheckRow {
  InputKind kind;
  Expected<CheckedFile> (*check)(SourceText&& source, const CheckOptions& options);
};

constexpr CheckRow check_rows[] = {{InputKind::ptx, check_ptx},
                                   {InputKind::container, check_embedded_ptx},
                                   {InputKind::application, check_application},
                                   {InputKind::gpu, check_gpu},
                                   {InputKind::cluster, check_cluster},
                                   {InputKind::sweep, check_sweep_file},
                                   {InputKind::tasklist_text, check_text},
                                   {InputKind::tasklist_paper, check_paper},
                                   {InputKind::ppt_lanl, check_lanl}};

} // namespace

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string module_summary(const CheckedModule& module, std::string_view encoding) {
  const ptx::Module& ptx = *module.ptx;
  const std::vector<std::string>& names = module.kernels;
  return fmt::format("PTX {}.{} for {}{}{}: {}{}", ptx.version_major, ptx.version_minor, ptx.target,
                     encoding.empty() ? "" : ", ", encoding, counted(names.size(), "kernel"),
                     names.empty() ? "" : fmt::format(" ({})", fmt::join(names, ", ")));
}

Expected<CheckedFile> check_file(const std::filesystem::path& path, const CheckOptions& options) {
  Expected<SourceText> source = read_source(path);
  if (!source)
    return tl::unexpected(source.error());
  if (const Expected<void> allowed = check_entry(*source, options.entry); !allowed)
    return tl::unexpected(allowed.error());
  const InputKind kind = kind_of(*source);
  for (const CheckRow& row : check_rows)
    if (row.kind == kind)
      return row.check(std::move(*source), options);
  return fail(unknown_input(*source));
}

Expected<std::string> print_ptx(const std::filesystem::path& path, const CheckOptions& options) {
  Expected<SourceText> source = read_source(path);
  if (!source)
    return tl::unexpected(source.error());
  const InputKind kind = kind_of(*source);
  if (kind != InputKind::ptx && kind != InputKind::container)
    return fail(source->error({}, 1, "a file without PTX", {"leave out --format ptx to check it"}));
  const ModuleOptions taken{options.error_limit, options.entry, options.threads};
  return read_modules(std::move(*source), taken).map([](const std::vector<SourceModule>& modules) {
    std::string text;
    for (const SourceModule& module : modules)
      text += (modules.size() > 1 ? fmt::format("// {}\n", module.ptx->source->name()) : "") +
              ptx::print(*module.ptx);
    return text;
  });
}

} // namespace kerncast::app
