// Reader of our text form. Line by line; # starts a comment; words are separated by white space.
//
//   text      = "kerncast-tasklist/1" line*
//   line      = "kernel" name | "target" name | "source" name | "assumption" name
//             | "param" name ["bytes" n] ["offset" n] ["pointer"] ["float"]
//             | ("static_shared_bytes" | "local_bytes_per_thread" | "max_threads_per_cta"
//                | "min_ctas_per_sm" | "max_registers") n
//             | "values" class (%a | %a..%b)*         classes: predicate b16 b32 b64 b128
//             | "block" [n] ["label" name] ["line" n] ["instructions" n+n] ["->" n*]
//             | operation %d* ["<-" %u*] [":" attribute*]
//   attribute = "line" n | "source" n | "instruction" n | "kind" k | "space" s | "bytes" n | "base" n
//             | "offset" n | "predicated" | "latency" x
//   name, operation = a word, or "..." with \" \\ \xHH
//
// Left out means: values are b32, tasks before the first block line lie in block 0, kind, space and bytes
// are what the operation says, a task's line is its own, the block has no successor.
#include "tasklist/text.h"

#include <algorithm>

#include <fmt/format.h>

#include "quoting.h"
#include "tasklist/builder.h"
#include "tasklist/operation.h"
#include "text_cursor.h"

namespace kerncast::tasklist {

namespace {

// Far above any kernel; keeps a mistyped %4000000000 from filling the memory.
constexpr std::uint32_t value_limit = 1U << 24;

class TextReader {
public:
  explicit TextReader(const SourceText& source) : cursor_(source) {}

  Expected<Tasklist> run() {
    if (!read_version()) {
      return tl::unexpected(std::move(cursor_.errors));
    }
    while (cursor_.next_line()) {
      read_line();
    }
    need_a_block();
    check_successors();
    check_latencies();
    if (!cursor_.errors.empty()) {
      return tl::unexpected(std::move(cursor_.errors));
    }
    return std::move(builder_).finish();
  }

private:
  Tasklist& list() { return builder_.list; }

  bool read_version() {
    if (!cursor_.next_line()) {
      cursor_.error_at_line("the text is empty",
                            {fmt::format("a tasklist starts with {}", text_format_name)});
      return false;
    }
    const Token first = cursor_.take();
    if (first.text != text_format_name) {
      const bool other_version = first.text.starts_with("kerncast-tasklist/");
      cursor_.error(first,
                    other_version ? fmt::format("unknown tasklist version '{}'", first.text)
                                  : std::string("this is no tasklist"),
                    {fmt::format("this program reads {}", text_format_name)});
      return false;
    }
    return true;
  }

  struct Statement {
    std::string_view keyword;
    void (TextReader::*read)();
  };
  static std::span<const Statement> statements() {
    static constexpr Statement table[] = {
        {"kernel", &TextReader::read_kernel},
        {"target", &TextReader::read_target},
        {"source", &TextReader::read_source},
        {"assumption", &TextReader::read_assumption},
        {"param", &TextReader::read_param},
        {"values", &TextReader::read_values},
        {"block", &TextReader::read_block},
        {"static_shared_bytes", &TextReader::read_static_shared},
        {"local_bytes_per_thread", &TextReader::read_local},
        {"max_threads_per_cta", &TextReader::read_max_threads},
        {"min_ctas_per_sm", &TextReader::read_min_ctas},
        {"max_registers", &TextReader::read_max_registers},
        {"debug", &TextReader::read_debug},
        {"inlined_call", &TextReader::read_call},
    };
    return table;
  }

  void read_line() {
    const auto table = statements();
    const auto statement = std::find_if(table.begin(), table.end(),
                                        [&](const Statement& s) { return cursor_.at_word(s.keyword); });
    if (statement == table.end()) {
      read_task();
    } else {
      cursor_.take();
      (this->*statement->read)();
    }
    cursor_.expect_end();
  }

  void read_kernel() {
    if (!list().kernel.empty())
      cursor_.error_at_line("a second kernel", {"a text is one kernel's tasklist; 'kerncast tasklist FILE "
                                                "--kernel NAME' writes one of several"});
    list().kernel = cursor_.name();
  }
  void read_target() { list().target = cursor_.name(); }
  void read_source() { list().source_name = cursor_.name(); }
  void read_assumption() { list().assumptions.push_back(cursor_.name()); }
  void read_static_shared() { list().static_shared_bytes = cursor_.number(); }
  void read_local() { list().local_bytes_per_thread = cursor_.number(); }
  void read_max_threads() { list().max_threads_per_cta = cursor_.number(); }
  void read_min_ctas() { list().min_ctas_per_sm = cursor_.number(); }
  void read_max_registers() { list().max_registers = cursor_.number(); }
  void read_debug() { list().is_debug = true; }
  void read_call() { list().calls.push_back(cursor_.name()); }

  void read_param() {
    Parameter parameter;
    parameter.name = cursor_.name();
    while (!cursor_.at_end() && cursor_.ok()) {
      if (cursor_.take_word("bytes")) {
        parameter.bytes = cursor_.number();
      } else if (cursor_.take_word("offset")) {
        parameter.offset = cursor_.number();
      } else if (cursor_.take_word("pointer")) {
        parameter.is_pointer = true;
      } else if (cursor_.take_word("float")) {
        parameter.is_float = true;
      } else {
        break;
      }
    }
    list().parameters.push_back(std::move(parameter));
  }

  void read_values() {
    const auto value_class = cursor_.choice<ValueClass>(ValueClass::b128, "value class");
    while (!cursor_.at_end() && cursor_.ok()) {
      const auto [first, last] = cursor_.value_range(value_limit);
      if (cursor_.ok()) {
        need_value(last);
        std::fill(list().value_classes.begin() + first, list().value_classes.begin() + last + 1, value_class);
      }
    }
  }

  void need_value(ValueId value) {
    if (value >= list().value_classes.size()) {
      list().value_classes.resize(value + 1, ValueClass::b32);
    }
  }

  void read_block() {
    Block block;
    const auto number = static_cast<std::uint32_t>(list().blocks.size());
    if (cursor_.at_number() && cursor_.number() != number) {
      cursor_.error_before(fmt::format("blocks are numbered in order; this one is block {}", number));
    }
    if (cursor_.take_word("label")) {
      block.label = cursor_.name();
    }
    if (cursor_.take_word("line")) {
      block.line = cursor_.number();
    }
    if (cursor_.take_word("instructions")) {
      const auto [first, count] = cursor_.number_pair();
      block.first_instruction = first;
      block.instruction_count = count;
    }
    block.no_unroll = cursor_.take_word("nounroll");
    if (cursor_.take_word("->")) {
      while (!cursor_.at_end() && cursor_.ok()) {
        block.successors.push_back(cursor_.number());
      }
    }
    list().blocks.push_back(std::move(block));
    block_lines_.push_back(cursor_.line_number());
  }

  void read_task() {
    Task task;
    const std::string text = cursor_.name();
    const OperationTraits traits = traits_of(text);
    task.kind = traits.kind;
    task.space = traits.space;
    task.access_bytes = traits.access_bytes;
    task.line = cursor_.line_number();
    definitions_.clear();
    uses_.clear();
    constants_.clear();
    read_operands(definitions_);
    if (cursor_.take_word("<-")) {
      read_operands(uses_);
    }
    std::optional<double> latency;
    if (cursor_.take_word(":")) {
      while (!cursor_.at_end() && cursor_.ok()) {
        read_attribute(task, latency);
      }
    }
    if (list().blocks.empty()) {
      block_lines_.push_back(cursor_.line_number());
    }
    task.operation = builder_.operation(text);
    builder_.add(task, definitions_, uses_, constants_);
    stated_ += latency.has_value();
    list().stated_latency.push_back(latency.value_or(0));
  }

  void read_operands(std::vector<ValueId>& values) {
    while (cursor_.at_value() && cursor_.ok()) {
      const ValueId value = cursor_.value(value_limit);
      need_value(value);
      values.push_back(value);
    }
  }

  void read_attribute(Task& task, std::optional<double>& latency) {
    if (cursor_.take_word("line")) {
      task.line = cursor_.number();
    } else if (cursor_.take_word("source")) {
      task.source_line = cursor_.number();
    } else if (cursor_.take_word("instruction")) {
      task.instruction = cursor_.number();
    } else if (cursor_.take_word("kind")) {
      task.kind = cursor_.choice<TaskKind>(TaskKind::exit, "kind");
    } else if (cursor_.take_word("space")) {
      task.space = cursor_.choice<Space>(Space::generic, "space");
    } else if (cursor_.take_word("bytes")) {
      task.access_bytes = static_cast<std::uint16_t>(cursor_.number(UINT16_MAX));
    } else if (cursor_.take_word("base")) {
      task.base = cursor_.number(no_id - 1);
    } else if (cursor_.take_word("offset")) {
      task.offset = cursor_.number();
    } else if (cursor_.take_word("predicated")) {
      task.predicated = true;
    } else if (cursor_.take_word("call")) {
      task.call = cursor_.number();
    } else if (cursor_.take_word("latency")) {
      latency = cursor_.real();
    } else if (cursor_.take_word("constants")) {
      read_constants();
    } else {
      cursor_.error(
          cursor_.take(), "unknown attribute",
          {"attributes are line, source, instruction, kind, space, bytes, base, offset, predicated, call, "
           "latency, constants"});
    }
  }

  // The last attribute.
  void read_constants() {
    while (!cursor_.at_end() && cursor_.ok()) {
      constants_.push_back(builder_.constant(cursor_.name()));
    }
  }

  void need_a_block() {
    if (list().blocks.empty()) {
      list().blocks.emplace_back();
      block_lines_.push_back(1);
    }
  }

  void check_successors() {
    for (std::size_t i = 0; i < list().blocks.size(); ++i) {
      for (const BlockId successor : list().blocks[i].successors) {
        if (successor >= list().blocks.size()) {
          cursor_.error_on(block_lines_[i], fmt::format("block {} goes to block {}, but there are {}", i,
                                                        successor, list().blocks.size()));
        }
      }
    }
  }

  void check_latencies() {
    if (stated_ == 0) {
      list().stated_latency.clear();
    } else if (stated_ != list().tasks.size()) {
      cursor_.error_on(0, fmt::format("{} of {} tasks state a latency", stated_, list().tasks.size()),
                       {"state it for all tasks or for none"});
    }
  }

  Builder builder_;
  TextCursor cursor_;
  std::vector<ValueId> definitions_, uses_;
  std::vector<std::uint32_t> constants_;
  std::vector<std::uint32_t> block_lines_;
  std::size_t stated_ = 0;
};

} // namespace

Expected<Tasklist> read_text(const SourceText& source) { return TextReader(source).run(); }

bool looks_like_text(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && text.substr(start).starts_with("kerncast-tasklist/");
}

} // namespace kerncast::tasklist
