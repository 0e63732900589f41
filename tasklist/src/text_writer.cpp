#include "tasklist/text.h"

#include <iterator>

#include <fmt/format.h>

#include "quoting.h"
#include "tasklist/operation.h"

namespace kerncast::tasklist {

namespace {

class Writer {
public:
  explicit Writer(const Tasklist& list) : list_(list) {}

  std::string run() {
    print("{}\n", text_format_name);
    header();
    values();
    for (const Block& block : list_.blocks) {
      write_block(block);
    }
    return std::move(out_);
  }

private:
  template <class... Args> void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void name_line(std::string_view keyword, const std::string& text) {
    if (!text.empty()) {
      print("{} {}\n", keyword, quoted_word(text));
    }
  }
  void number_line(std::string_view keyword, std::uint32_t number) {
    if (number != 0) {
      print("{} {}\n", keyword, number);
    }
  }

  void header() {
    name_line("kernel", list_.kernel);
    name_line("target", list_.target);
    name_line("source", list_.source_name);
    for (const Parameter& p : list_.parameters) {
      print("param {} bytes {} offset {}{}{}\n", quoted_word(p.name), p.bytes, p.offset,
            p.is_pointer ? " pointer" : "", p.is_float ? " float" : "");
    }
    number_line("static_shared_bytes", list_.static_shared_bytes);
    number_line("local_bytes_per_thread", list_.local_bytes_per_thread);
    number_line("max_threads_per_cta", list_.max_threads_per_cta);
    number_line("min_ctas_per_sm", list_.min_ctas_per_sm);
    number_line("max_registers", list_.max_registers);
    if (list_.is_debug) {
      print("debug\n");
    }
    for (const std::string& call : list_.calls) {
      print("inlined_call {}\n", quoted_word(call));
    }
    for (const std::string& assumption : list_.assumptions) {
      print("assumption {}\n", quoted_word(assumption));
    }
  }

  // Runs of values of one class.
  void values() {
    const auto& classes = list_.value_classes;
    for (std::size_t first = 0, end = 0; first < classes.size(); first = end) {
      while (end < classes.size() && classes[end] == classes[first]) {
        ++end;
      }
      print("values {} %{}..%{}\n", name(classes[first]), first, end - 1);
    }
  }

  void write_block(const Block& block) {
    print("block {}", &block - list_.blocks.data());
    if (!block.label.empty()) {
      print(" label {}", quoted_word(block.label));
    }
    if (block.line != 0) {
      print(" line {}", block.line);
    }
    if (block.instruction_count != 0 || block.first_instruction != 0) {
      print(" instructions {}+{}", block.first_instruction, block.instruction_count);
    }
    if (block.no_unroll) {
      print(" nounroll");
    }
    if (!block.successors.empty()) {
      print(" -> {}", fmt::join(block.successors, " "));
    }
    print("\n");
    for (const Task& task : list_.tasks_of(block)) {
      write_task(task);
    }
  }

  void write_task(const Task& task) {
    const std::string& operation = list_.operations[task.operation];
    print("  {}", quoted_word(operation));
    for (const ValueId value : list_.definitions(task)) {
      print(" %{}", value);
    }
    std::string_view mark = " <-";
    for (const ValueId value : list_.uses(task)) {
      print("{} %{}", mark, value);
      mark = "";
    }
    attributes(task, traits_of(operation));
    mark = " constants";
    for (const std::uint32_t constant : list_.constants_of(task)) {
      print("{} {}", mark, quoted_word(list_.constants[constant]));
      mark = "";
    }
    // The comment repeats what follows from the values, for the reader's eye.
    print(" # {}", &task - list_.tasks.data());
    if (task.dependencies.count != 0) {
      print(" after {}", fmt::join(list_.dependencies(task), " "));
    }
    print("\n");
  }

  void attributes(const Task& task, const OperationTraits& traits) {
    print(" : line {}", task.line);
    if (task.source_line != 0) {
      print(" source {}", task.source_line);
    }
    if (task.instruction != no_id) {
      print(" instruction {}", task.instruction);
    }
    if (task.kind != traits.kind) {
      print(" kind {}", name(task.kind));
    }
    if (task.space != traits.space) {
      print(" space {}", name(task.space));
    }
    if (task.access_bytes != traits.access_bytes) {
      print(" bytes {}", task.access_bytes);
    }
    if (task.base != no_id) {
      print(" base {} offset {}", task.base, task.offset);
    }
    if (task.predicated) {
      print(" predicated");
    }
    if (task.call != no_id) {
      print(" call {}", task.call);
    }
    if (!list_.stated_latency.empty()) {
      print(" latency {}", list_.stated_latency[static_cast<std::size_t>(&task - list_.tasks.data())]);
    }
  }

  const Tasklist& list_;
  std::string out_;
};

} // namespace

std::string write_text(const Tasklist& list) { return Writer(list).run(); }

} // namespace kerncast::tasklist
