#include "support/diagnostics.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace kerncast {
namespace {

constexpr std::size_t longest_line_shown = 200;

std::string_view name_of(Severity severity) {
  switch (severity) {
  case Severity::error:
    return "error";
  case Severity::warning:
    return "warning";
  case Severity::note:
    return "note";
  }
  return "error";
}

std::string place_prefix(const Diagnostic& d) {
  if (d.file.empty())
    return {};
  if (d.place.line == 0)
    return d.file + ": ";
  return fmt::format("{}:{}:{}: ", d.file, d.place.line, std::max(1U, d.place.column));
}

// Control characters (binary input) would garble a terminal; they are shown as '?'.
std::string printable(std::string_view line) {
  std::string out(line);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = c == '\t' ? ' ' : '?';
  return out;
}

std::size_t index_of(Place at) { return std::max(1U, at.column) - 1; }

// Where the part of a line begins that is kept: of a very long one a window around the caret.
std::size_t begin_of_window(Place at) {
  const std::size_t index = index_of(at);
  return index > longest_line_shown / 2 ? index - longest_line_shown / 2 : 0;
}

void render_source(const Diagnostic& d, std::string& out) {
  if (d.source_line.empty() || d.place.line == 0)
    return;
  const std::string shown = printable(d.source_line);
  const std::size_t caret = index_of(d.place) - begin_of_window(d.place);
  const std::size_t room = shown.size() > caret ? shown.size() - caret : 1;
  const std::size_t underline = std::clamp<std::size_t>(d.length, 1, room);
  out += fmt::format("  {}\n  {}^{}\n", shown, std::string(caret, ' '), std::string(underline - 1, '~'));
}

} // namespace

tl::unexpected<Diagnostics> fail(Diagnostic diagnostic) {
  return tl::unexpected<Diagnostics>(Diagnostics{std::move(diagnostic)});
}

tl::unexpected<Diagnostics> fail(std::string message, std::string note) {
  Diagnostic d;
  d.message = std::move(message);
  if (!note.empty())
    d.notes.push_back(std::move(note));
  return fail(std::move(d));
}

SourceText::SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

const std::vector<std::size_t>& SourceText::line_starts() const {
  std::call_once(line_starts_->found, [this] {
    std::vector<std::size_t>& offsets = line_starts_->offsets;
    offsets.push_back(0);
    for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n', end + 1))
      offsets.push_back(end + 1);
  });
  return line_starts_->offsets;
}

std::string_view SourceText::line(std::uint32_t number) const {
  if (number == 0 || text_.empty())
    return {};
  const std::vector<std::size_t>& starts = line_starts();
  if (number > starts.size())
    return {};
  const std::size_t start = starts[number - 1];
  std::size_t end = number < starts.size() ? starts[number] - 1 : text_.size();
  if (end > start && text_[end - 1] == '\r')
    --end;
  return std::string_view(text_).substr(start, end - start);
}

Place SourceText::place(std::size_t offset) const {
  if (text_.empty())
    return {1, 1};
  const std::vector<std::size_t>& starts = line_starts();
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  const auto line = static_cast<std::size_t>(next - starts.begin());
  return {static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(offset - starts[line - 1] + 1)};
}

Diagnostic SourceText::diagnose(Severity severity, Place at, std::uint32_t length, std::string message,
                                std::vector<std::string> notes) const {
  const std::string_view whole = line(at.line);
  const std::string_view shown =
      whole.substr(std::min(begin_of_window(at), whole.size()), longest_line_shown);
  return {severity, name_, at, length, std::move(message), std::string(shown), std::move(notes)};
}

Diagnostic SourceText::error(Place at, std::uint32_t length, std::string message,
                             std::vector<std::string> notes) const {
  return diagnose(Severity::error, at, length, std::move(message), std::move(notes));
}

std::string render(const Diagnostic& d) {
  const std::string prefix = place_prefix(d);
  std::string out = fmt::format("{}{}: {}\n", prefix, name_of(d.severity), d.message);
  render_source(d, out);
  for (const std::string& note : d.notes)
    out += fmt::format("{}note: {}\n", prefix, note);
  return out;
}

std::string render(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics)
    out += render(d);
  return out;
}

} // namespace kerncast
