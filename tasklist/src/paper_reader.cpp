// Reader of the papers' annotated form, a bracketed line per task.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "error_limit.h"
#include "paper_words.h"
#include "tasklist/builder.h"
#include "tasklist/paper_form.h"

namespace kerncast::tasklist {

namespace {

constexpr std::uint16_t element_bytes = 4; // the form has no width; the paper's examples are 32-bit

constexpr std::string_view space_part[] = {"", "global", "shared", "local", "const", "param", "tex", ""};
constexpr std::string_view kind_opcode[] = {"", "ld", "st", "atom", "red"};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) {
    return text.substr(text.size());
  }
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

template <class T> std::optional<T> parse(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

std::string memory_operation(const PaperTask& task) {
  std::string operation(kind_opcode[static_cast<std::size_t>(task.kind)]);
  if (const auto part = space_part[static_cast<std::size_t>(task.space)]; !part.empty()) {
    operation += '.';
    operation += part;
  }
  return operation;
}

class PaperReader {
public:
  explicit PaperReader(const SourceText& source) : source_(source) {}

  Expected<Tasklist> run() {
    builder_.list.source_name = source_.name();
    std::string_view rest = source_.text();
    while (!rest.empty() && errors_.size() < error_limit) {
      ++line_number_;
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      line_ = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (const std::string_view text = trimmed(line_); !text.empty() && text.front() != '#') {
        read_line(text);
      }
    }
    if (errors_.empty() && builder_.list.tasks.empty()) {
      errors_.push_back(
          source_.error({}, 1, "there is no task in this text", {"a line is, for example, [iALU, 6, 1, 2]"}));
    }
    if (!errors_.empty()) {
      return tl::unexpected(std::move(errors_));
    }
    return std::move(builder_).finish();
  }

private:
  void error(std::string_view at, std::string message, std::vector<std::string> notes = {}) {
    const auto column = static_cast<std::uint32_t>(at.data() - line_.data()) + 1;
    errors_.push_back(source_.error({line_number_, column}, static_cast<std::uint32_t>(at.size()),
                                    std::move(message), std::move(notes)));
  }

  // A line with an error still counts as a task, so that the numbers of later lines stay right.
  void read_line(std::string_view text) {
    Task task;
    task.line = line_number_;
    double latency = 0;
    uses_.clear();
    std::string operation = "unread";
    if (text.front() != '[' || text.back() != ']') {
      error(text, "a task is one line in square brackets", {"for example [GLOB_MEM_ACCESS, LOAD, 1]"});
    } else {
      split(text.substr(1, text.size() - 2));
      operation = read_items(task, latency);
    }
    task.operation = builder_.operation(operation);
    const auto value = static_cast<ValueId>(builder_.list.tasks.size());
    builder_.list.value_classes.push_back(ValueClass::b32);
    builder_.list.stated_latency.push_back(latency);
    builder_.add(task, std::span(&value, 1), uses_);
  }

  void split(std::string_view inside) {
    items_.clear();
    while (true) {
      const std::size_t comma = inside.find(',');
      items_.push_back(trimmed(inside.substr(0, comma)));
      if (comma == std::string_view::npos) {
        return;
      }
      inside.remove_prefix(comma + 1);
    }
  }

  // Fills task, latency and uses; answers the operation.
  std::string read_items(Task& task, double& latency) {
    const std::string_view first = items_[0];
    const bool memory = is_memory_word(first);
    const std::string_view second = memory && items_.size() > 1 ? items_[1] : std::string_view{};
    const auto found = find_paper_task(first, second);
    if (!found) {
      error(
          memory && !second.empty() ? second : first, "unknown word in a task",
          {"classes are iALU, fALU, dALU, SFU, THREAD_SYNC, FENCE, WARP_SYNC, BRANCH, EXIT",
           "memory is GLOB_, SHARED_, LOCAL_, CONST_, TEX_, PARAM_ or GENERIC_MEM_ACCESS, then LOAD, STORE, "
           "ATOMIC or REDUCTION"});
      return "unread";
    }
    std::size_t next = memory ? 2 : 1;
    if (has_latency(first)) {
      latency = next < items_.size() ? read_latency(items_[next]) : missing_latency(first);
      ++next;
    }
    for (; next < items_.size(); ++next) {
      read_dependency(items_[next]);
    }
    task.kind = found->kind;
    task.space = found->space;
    task.access_bytes = memory ? element_bytes : 0;
    return memory ? memory_operation(*found) : std::string(found->operation);
  }

  double missing_latency(std::string_view word) {
    error(word, fmt::format("{} has no latency", word),
          {"only the annotated form can be read: the latency in cycles follows the class, then the lines "
           "depended on"});
    return 0;
  }

  double read_latency(std::string_view item) {
    const auto latency = parse<double>(item);
    if (!latency || !std::isfinite(*latency) || *latency < 0) {
      error(item, "expected the latency in cycles", {"for example [iALU, 6, 1, 2]: 6 cycles, after 1 and 2"});
      return 0;
    }
    return *latency;
  }

  void read_dependency(std::string_view item) {
    const auto number = parse<std::uint32_t>(item);
    const auto own = builder_.list.tasks.size() + 1;
    if (!number || *number == 0) {
      error(item, "expected the number of a task, counted from 1");
    } else if (*number >= own) {
      error(item, fmt::format("task {} depends on task {}, which does not come before it", own, *number),
            {"this form is straight-line code; loops need the kerncast-tasklist form"});
    } else {
      uses_.push_back(*number - 1);
    }
  }

  const SourceText& source_;
  Builder builder_;
  Diagnostics errors_;
  std::uint32_t line_number_ = 0;
  std::string_view line_;
  std::vector<std::string_view> items_;
  std::vector<ValueId> uses_;
};

} // namespace

Expected<Tasklist> read_paper(const SourceText& source) { return PaperReader(source).run(); }

bool looks_like_paper(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && line.front() != '#') {
      return line.front() == '[' && line.size() > 1 && line[1] >= 'A' && line[1] <= 'z';
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

} // namespace kerncast::tasklist
