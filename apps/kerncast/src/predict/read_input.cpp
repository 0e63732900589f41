#include "read_input.h"

#include <fmt/format.h>

#include "application/read.h"
#include "input_kind.h"
#include "lowering_steps.h"
#include "slice/execute.h"
#include "tasklist/paper_form.h"
#include "tasklist/text.h"
#include "tasklist/verify.h"

namespace kerncast::app {
namespace {

// A launch must be described by options, since the file has none.
Expected<void> need_launch(const SourceText& source, const PredictOptions& options) {
  if (options.launch)
    return {};
  return fail(fmt::format("{} is a kernel without a launch", source.name()),
              "give --grid and --block, and --arg for each parameter");
}

// Ranks need a cluster, and a cluster ranks.
Expected<void> check_ranks(const application::Application& app, const PredictOptions& options) {
  if (app.program.ranks > 0 && options.cluster.empty())
    return fail(fmt::format("{} is an application of {} ranks", app.source.name(), app.program.ranks),
                "kerncast predict --cluster CLUSTER says how long they take");
  if (app.program.ranks == 0 && (!options.cluster.empty() || options.ranks.ranks))
    return fail(fmt::format("{} is an application of one GPU", app.source.name()),
                "state \"ranks\" in it, and what they tell each other; docs/clusters.md shows how");
  return {};
}

Expected<PredictInput> from_application(SourceText&& source, const PredictOptions& options) {
  if (options.launch_options)
    return fail(fmt::format("{} is an application file, which states its launches", source.name()),
                "leave out --kernel, --grid, --block, --arg, --dynamic-smem, --regs and --repeat");
  Expected<application::Application> app =
      application::load_application(std::move(source), options.error_limit, options.ranks);
  if (!app)
    return tl::unexpected(app.error());
  if (const Expected<void> fits = check_ranks(*app, options); !fits)
    return tl::unexpected(fits.error());
  return resolve_application(std::move(*app), options.error_limit, options.threads,
                             lower_options(options.without));
}

Expected<PredictInput> from_ptx(SourceText&& source, const PredictOptions& options) {
  if (const Expected<void> launch = need_launch(source, options); !launch)
    return tl::unexpected(launch.error());
  Expected<KernelCode> code =
      read_kernel(std::move(source), {options.error_limit, options.entry, options.threads}, options.kernel,
                  lower_options(options.without));
  if (!code)
    return tl::unexpected(code.error());
  if (const Expected<void> fits = check_arguments(*code, *options.launch); !fits)
    return tl::unexpected(fits.error());
  PredictInput input = one_kernel(std::move(*code), *options.launch, options.repeat, options.buffers);
  input.textures = options.textures;
  return input;
}

Expected<PredictInput> from_list(const SourceText& source, Expected<tasklist::Tasklist> list,
                                 const PredictOptions& options) {
  if (!list)
    return tl::unexpected(list.error());
  if (const Expected<void> verified = tasklist::verify(*list); !verified)
    return tl::unexpected(verified.error());
  if (const Expected<void> launch = need_launch(source, options); !launch)
    return tl::unexpected(launch.error());
  KernelCode code;
  code.list = std::move(*list);
  if (code.list.kernel.empty())
    code.list.kernel = std::filesystem::path(source.name()).stem().string();
  return one_kernel(std::move(code), *options.launch, options.repeat);
}

Expected<PredictInput> from_text(SourceText&& source, const PredictOptions& options) {
  return from_list(source, tasklist::read_text(source), options);
}

Expected<PredictInput> from_paper(SourceText&& source, const PredictOptions& options) {
  return from_list(source, tasklist::read_paper(source), options);
}

struct InputRow {
  InputKind kind;
  Expected<PredictInput> (*read)(SourceText&& source, const PredictOptions& options);
};

constexpr InputRow input_rows[] = {{InputKind::application, from_application},
                                   {InputKind::ptx, from_ptx},
                                   {InputKind::container, from_ptx},
                                   {InputKind::tasklist_text, from_text},
                                   {InputKind::tasklist_paper, from_paper}};

} // namespace

Expected<PredictInput> read_input(SourceText source, const PredictOptions& options) {
  const InputKind kind = kind_of(source);
  for (const InputRow& row : input_rows)
    if (row.kind == kind)
      return row.read(std::move(source), options);
  if (kind == InputKind::gpu)
    return fail(source.error({1, 1}, 1, "a GPU description, which cannot be predicted",
                             {"name it with --gpu, and a kernel or an application as INPUT"}));
  if (kind == InputKind::cluster)
    return fail(source.error({1, 1}, 1, "a cluster file, which cannot be predicted",
                             {"name it with --cluster, and an application of several ranks as INPUT"}));
  if (kind == InputKind::sweep)
    return fail(source.error({1, 1}, 1, "a sweep file, which is no input of a prediction",
                             {"run it with 'kerncast sweep', and name an application here"}));
  return fail(unknown_input(source));
}

} // namespace kerncast::app
