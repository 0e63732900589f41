#include "inherits.h"

#include <algorithm>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "names.h"

namespace kerncast::configs {
namespace {

namespace fs = std::filesystem;

struct ChainLink {
  fs::path file;
  Entry inherits;
};

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error);
}

std::vector<fs::path> search_folders(const fs::path& file, const std::vector<fs::path>& folders) {
  std::vector<fs::path> all = {file.parent_path()};
  all.insert(all.end(), folders.begin(), folders.end());
  return all;
}

// The file that a name stands for, other than the one that states it unless there is no other.
std::optional<fs::path> find_base(std::string_view name, const fs::path& file,
                                  const std::vector<fs::path>& folders) {
  std::optional<fs::path> self;
  for (const fs::path& folder : search_folders(file, folders)) {
    const auto found = find_file(name, {folder});
    if (found && !same_file(*found, file))
      return found;
    if (found)
      self = found;
  }
  return self;
}

Diagnostic unknown_base(const Entry& inherits, const std::string& name,
                        const std::vector<fs::path>& folders) {
  // What is no GPU is suggested only where no GPU is near.
  std::vector<fs::path> of_gpus;
  std::copy_if(folders.begin(), folders.end(), std::back_inserter(of_gpus),
               [](const fs::path& folder) { return folder.filename() != "base"; });
  std::string near = suggestion(name, names_in(of_gpus));
  if (near.empty())
    near = suggestion(name, names_in(folders));
  return error_at_value(
      inherits.origin, fmt::format("no file '{}' to inherit from", name),
      {near.empty() ? "a name stands for NAME.toml in this file's folder or in the database" : near});
}

// The file that the chain's last link names, an error if there can be none.
Expected<fs::path> next_file(const std::vector<ChainLink>& chain, const std::vector<fs::path>& folders) {
  const auto& [file, inherits] = chain.back();
  const std::string* name = std::get_if<std::string>(&inherits.value);
  if (name == nullptr)
    return fail(error_at_value(inherits.origin,
                               fmt::format("inherits must be a text, is {}", kind_of(inherits.value))));
  if (!is_name(*name))
    return fail(error_at_value(inherits.origin, fmt::format("inherits: '{}' is not a name", printable(*name)),
                               {"state a name without folders and without .toml"}));
  const auto base = find_base(*name, file, folders);
  if (!base)
    return fail(unknown_base(inherits, *name, search_folders(file, folders)));
  const auto seen = std::find_if(chain.begin(), chain.end(),
                                 [&](const ChainLink& link) { return same_file(link.file, *base); });
  if (seen == chain.end())
    return *base;
  return fail(error_at_value(inherits.origin,
                             fmt::format("'{}' leads back to a file that inherits from this one", *name),
                             {fmt::format("the circle begins at {}", describe(seen->inherits.origin))}));
}

} // namespace

void follow_inherits(const fs::path& file, const std::vector<fs::path>& folders, const VisitFile& visit,
                     Diagnostics& errors) {
  std::vector<ChainLink> chain;
  std::optional<fs::path> next = file;
  while (next) {
    auto inherits = visit(*next);
    if (!inherits)
      return;
    chain.push_back({*next, std::move(*inherits)});
    auto base = next_file(chain, folders);
    if (!base)
      append(errors, std::move(base.error()));
    next = base ? std::optional(std::move(*base)) : std::nullopt;
  }
}

} // namespace kerncast::configs
