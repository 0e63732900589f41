#include "input_kind.h"

#include <algorithm>

#include "containers/container.h"
#include "ppt_gpu_2019/reader.h"
#include "support/compressed_text.h"
#include "tasklist/paper_form.h"
#include "tasklist/text.h"

namespace kerncast::app {
namespace {

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

// Calls f(line) for lines without leading white space until it returns true; whether it did.
template <class F> bool any_line(std::string_view text, F&& f) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    if (f(trimmed(text.substr(0, end + 1))))
      return true;
    text.remove_prefix(end + 1);
  }
  return false;
}

bool is_json_text(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[') &&
         !tasklist::looks_like_paper(text);
}

// PTX begins with .version after comments (PTX ISA, section 5.1.1), but a damaged file may lack it.
bool is_ptx_text(std::string_view text) {
  constexpr std::string_view starts[] = {".version", ".target", ".address_size", ".visible", ".entry"};
  return any_line(text, [&](std::string_view line) {
    return std::any_of(std::begin(starts), std::end(starts),
                       [&](std::string_view start) { return line.starts_with(start); });
  });
}

// Some line sets a bare key: "clock_mhz = 1000".
bool is_toml_text(std::string_view text) {
  constexpr std::string_view key_letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  return any_line(text, [&](std::string_view line) {
    const std::size_t key_end = line.find_first_not_of(key_letters);
    if (key_end == 0 || key_end == std::string_view::npos)
      return false;
    return trimmed(line.substr(key_end)).starts_with('=');
  });
}

// The table that only sweep files have.
bool is_sweep_text(std::string_view text) {
  return any_line(text, [](std::string_view line) { return line.starts_with("[sweep]"); });
}

// The key that only cluster files have.
bool is_cluster_text(std::string_view text) {
  return any_line(text, [](std::string_view line) { return line.starts_with("gpus_per_node"); });
}

InputKind kind_of_toml(std::string_view text) {
  if (is_sweep_text(text))
    return InputKind::sweep;
  return is_cluster_text(text) ? InputKind::cluster : InputKind::gpu;
}

bool is_binary(std::string_view text) { return text.find('\0') != std::string_view::npos; }

} // namespace

InputKind kind_of(const SourceText& source) {
  const std::string_view text = source.text();
  const std::string_view name = uncompressed_name(source.name());
  if (containers::is_container(text))
    return InputKind::container;
  if (is_binary(text))
    return InputKind::unknown;
  if (tasklist::looks_like_text(text))
    return InputKind::tasklist_text;
  if (ppt_gpu_2019::is_lanl_file(text))
    return InputKind::ppt_lanl;
  if (name.ends_with(".json") || name.ends_with(".jsonl") || is_json_text(text))
    return InputKind::application;
  if (name.ends_with(".toml"))
    return kind_of_toml(text);
  if (name.ends_with(".ptx") || is_ptx_text(text))
    return InputKind::ptx;
  if (tasklist::looks_like_paper(text))
    return InputKind::tasklist_paper;
  return is_sweep_text(text) || is_toml_text(text) ? kind_of_toml(text) : InputKind::unknown;
}

Diagnostic unknown_input(const SourceText& source) {
  const std::string note = "inputs are PTX or programs with PTX in them, application files (JSON), GPU "
                           "files, cluster files and sweep files (TOML), tasklists, ppt_lanl files";
  if (source.text().empty())
    return source.error({1, 1}, 1, "the file is empty", {note});
  if (source.text().starts_with("!<arch>"))
    return source.error({1, 1}, 1, "a static library", {"unpack its objects (ar x) and give those"});
  if (const std::size_t zero = source.text().find('\0'); zero != std::string_view::npos)
    return source.error(source.place(zero), 1, "a binary file", {note});
  return source.error({1, 1}, 1, "not a kind of file that this program reads", {note});
}

} // namespace kerncast::app
