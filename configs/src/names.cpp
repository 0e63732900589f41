#include "names.h"

#include <algorithm>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/suggest.h"

namespace kerncast::configs {
namespace {

namespace fs = std::filesystem;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.';
}

} // namespace

bool is_name(std::string_view text) {
  constexpr std::size_t longest = 64;
  return !text.empty() && text.size() <= longest &&
         std::all_of(text.begin(), text.end(), is_name_character) && text.front() != '.' &&
         text.back() != '.' && text.find("..") == std::string_view::npos;
}

std::optional<fs::path> find_file(std::string_view name, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    fs::path file = folder / (std::string(name) + ".toml");
    std::error_code error;
    if (fs::is_regular_file(file, error))
      return file;
  }
  return std::nullopt;
}

std::vector<std::string> names_in(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
      if (it->path().extension() == ".toml" && is_name(it->path().stem().string()))
        names.push_back(it->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  std::vector<std::string> near;
  std::copy_if(known.begin(), known.end(), std::back_inserter(near),
               [&](const std::string& k) { return k.starts_with(std::string(name) + "-"); });
  if (near.empty())
    near.push_back(nearest(name, known));
  return near.front().empty() ? "" : fmt::format("did you mean '{}'?", fmt::join(near, "' or '"));
}

} // namespace kerncast::configs
