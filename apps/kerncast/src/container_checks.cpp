// a.out: program with 2 PTX modules
//   1: PTX 9.0 for sm_75, zstd: 2 kernels (scale, shift)
//   2: PTX 9.0 for sm_80, zstd: 2 kernels (scale, shift), taken
#include "container_checks.h"

#include <fmt/format.h>

#include "kernels.h"
#include "parallel/run.h"

namespace kerncast::app {
namespace {

using containers::ContainerKind;
using containers::Encoding;

std::string_view kind_name(ContainerKind kind) {
  constexpr std::string_view names[] = {"fat binary", "program or library", "object", "cubin"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view encoding_name(Encoding encoding) {
  constexpr std::string_view names[] = {"uncompressed", "LZ4", "zstd", "copied into line information"};
  return names[static_cast<std::size_t>(encoding)];
}

// Each with its kernels lowered, as for a .ptx file.
Expected<CheckedFile> check_embedded(const SourceText& file, const EmbeddedPtx& embedded,
                                     std::size_t error_limit) {
  Expected<CheckedModule> module = embedded_text(file, embedded).and_then([&](SourceText&& text) {
    return check_kernels(std::move(text), {error_limit, {}});
  });
  return std::move(module).map([&](CheckedModule&& checked) {
    std::string line = fmt::format("\n  {}: {}{}", embedded.number,
                                   module_summary(checked, encoding_name(embedded.entry.encoding)),
                                   embedded.is_taken ? ", taken" : "");
    return CheckedFile{std::move(line), std::move(checked.warnings)};
  });
}

} // namespace

Expected<CheckedFile> check_container(const SourceText& file, const ModuleOptions& options) {
  const Expected<EmbeddedModules> modules = embedded_ptx(file, options.entry);
  if (!modules)
    return tl::unexpected(modules.error());
  CheckedFile checked;
  checked.summary =
      fmt::format("{} with {}", kind_name(modules->kind), counted(modules->all.size(), "PTX module"));
  std::vector<Expected<CheckedFile>> parts(modules->all.size());
  parallel::for_each_index(parts.size(), options.threads, [&](std::size_t i) {
    parts[i] = check_embedded(file, modules->all[i], options.error_limit);
  });
  Diagnostics errors;
  for (const Expected<CheckedFile>& part : parts) {
    if (part) {
      checked.summary += part->summary;
      checked.warnings.insert(checked.warnings.end(), part->warnings.begin(), part->warnings.end());
    } else {
      errors.insert(errors.end(), part.error().begin(), part.error().end());
    }
    if (options.error_limit != 0 && errors.size() >= options.error_limit)
      break;
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return checked;
}

} // namespace kerncast::app
