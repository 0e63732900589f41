#include "row_examples.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace kerncast::ptx {
namespace {

constexpr std::string_view row_mark = "// row: ";
constexpr std::string_view rejected_mark = "//! ";
constexpr std::string_view message_mark = "//  ";
constexpr std::string_view end_mark = "// end";

void add_line(ExampleFile& file, std::string_view line) {
  if (line.starts_with(row_mark))
    file.rows.push_back({std::string(line.substr(row_mark.size())), {}, {}});
  else if (file.rows.empty())
    file.head += std::string(line) + "\n";
  else if (line.starts_with(rejected_mark))
    file.rows.back().rejected.push_back({std::string(line.substr(rejected_mark.size())), {}});
  else if (line.starts_with(message_mark))
    file.rows.back().rejected.back().message = line.substr(message_mark.size());
  else
    file.rows.back().accepted.emplace_back(line);
}

ExampleFile read(const std::filesystem::path& path) {
  ExampleFile file;
  file.path = path.string();
  std::ifstream in(path);
  bool in_rows = true;
  for (std::string line; std::getline(in, line);) {
    file.text += line + "\n";
    in_rows = in_rows && line != end_mark;
    if (in_rows)
      add_line(file, line);
  }
  return file;
}

} // namespace

std::vector<ExampleFile> example_files(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<ExampleFile> files;
  for (const auto& path : paths)
    files.push_back(read(path));
  return files;
}

std::string with_single_spaces(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || out.empty() || out.back() != ' ')
      out += c;
  return out;
}

} // namespace kerncast::ptx
