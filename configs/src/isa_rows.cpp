// Reading the rows: [[op]] ptx = ["add.s32"], is = [{unit = "alu", latency = 6}].
#include "isa_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "document.h"
#include "inherits.h"
#include "isa_pattern.h"
#include "support/suggest.h"
#include "toml_text.h"

namespace kerncast::configs {
namespace {

namespace fs = std::filesystem;

constexpr double max_cycles = 1e6;
constexpr double max_count = 4096;
constexpr std::int64_t most_registers = 255;
constexpr double most_turns = 1000;

class RowReader {
public:
  RowReader(std::shared_ptr<const SourceText> source, Diagnostics& errors)
      : source_(std::move(source)), errors_(errors) {}

  void read_file(const toml::table& file) {
    for (const auto& [key, node] : file) {
      if (key.str() == "inherits")
        continue;
      const toml::array* rows = node.as_array();
      if (key.str() != "op" || rows == nullptr)
        error(key.source(), fmt::format("unknown key '{}'", key.str()),
              "an ISA table has 'inherits' and [[op]]");
      else
        for (const toml::node& row : *rows)
          read_row(row);
    }
  }

  std::vector<NamedRow> take_rows() { return std::move(rows_); }

private:
  void error(const toml::source_region& at, std::string message, std::string note) {
    const Span span = span_of(at);
    errors_.push_back(source_->error(span.place, span.length, std::move(message), {std::move(note)}));
  }

  void read_row(const toml::node& node) {
    const toml::table* row = node.as_table();
    if (row == nullptr)
      return error(node.source(), "not a row", "write [[op]] with 'ptx' and 'is'");
    if (!check_keys(*row, {"ptx", "is", "rare", "slow", "called", "routine", "registers", "loop", "turns"}))
      return;
    const toml::array* ptx = row->get_as<toml::array>("ptx");
    const toml::array* is = row->get_as<toml::array>("is");
    if (ptx == nullptr || ptx->empty() || is == nullptr)
      return error(row->source(), "a row needs 'ptx' with at least one operation, and 'is'",
                   "for example: ptx = [\"add.s32\"], is = [{unit = \"alu\"}]");
    NamedRow costs;
    costs.machine = read_machine(*is);
    costs.rare = read_optional(*row, "rare");
    costs.slow = read_optional(*row, "slow");
    costs.called = read_optional(*row, "called");
    costs.guess = guess_of(is->source());
    if (const toml::node* routine = row->get("routine")) {
      if (!routine->is_string())
        return error(routine->source(), "a routine is named by a string", "its row is \"routine.NAME\"");
      costs.routine = routine->as_string()->get();
    }
    if (const toml::node* registers = row->get("registers"))
      costs.registers = read_registers(*registers);
    if (const toml::node* loop = row->get("loop"))
      costs.loop = one_of<SwapLoop>(
          *loop, "loop", {"once", SwapLoop::once}, {"lanes", SwapLoop::lanes},
          "how often a warp goes round a compare-and-swap; leave it out for what is no loop");
    if (const toml::node* turns = row->get("turns")) {
      costs.turns = read_turns(*turns);
      if (costs.guess.empty())
        costs.guess = guess_of(turns->source());
    }
    for (const toml::node& operation : *ptx)
      add_rows(operation, costs);
  }

  std::uint32_t read_registers(const toml::node& node) {
    const auto count = node.value_exact<std::int64_t>().value_or(0);
    if (count < 1 || count > most_registers)
      error(node.source(), "'registers' is not a number of registers",
            fmt::format("1 to {}, beside operands and results", most_registers));
    return static_cast<std::uint32_t>(count);
  }

  template <class Value> struct Word {
    std::string_view text;
    Value value;
  };

  template <class Value>
  Value one_of(const toml::node& node, std::string_view key, const Word<Value>& first,
               const Word<Value>& second, std::string_view note) {
    const auto text = node.value_exact<std::string>().value_or("");
    if (text == first.text)
      return first.value;
    if (text != second.text)
      error(node.source(), fmt::format("'{}' is \"{}\" or \"{}\"", key, first.text, second.text),
            std::string(note));
    return second.value;
  }

  double read_turns(const toml::node& node) {
    const double turns = node.value<double>().value_or(0);
    if (!(turns >= 1 && turns <= most_turns))
      error(node.source(), "'turns' is not a number of turns",
            fmt::format("1 to {}, that an atomic takes at its address in L2", most_turns));
    return turns;
  }

  bool check_keys(const toml::table& table, const std::vector<std::string_view>& known) {
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end())
        continue;
      const std::string near = nearest(key.str(), known);
      error(key.source(), fmt::format("unknown key '{}'", key.str()),
            near.empty() ? "the format is described in docs/adding-a-gpu.md"
                         : fmt::format("did you mean '{}'?", near));
      return false;
    }
    return true;
  }

  // A row's `# guess:` may stand on any line of its `is`, or on that of `turns`.
  std::string guess_of(const toml::source_region& is) const {
    for (auto line = is.begin.line; line <= is.end.line; ++line) {
      const bool last = line == is.end.line;
      Basis basis = basis_in_comment(
          *source_, {static_cast<std::uint32_t>(line), last ? static_cast<std::uint32_t>(is.end.column) : 1});
      if (basis.evidence == Evidence::guess)
        return std::move(basis.source);
    }
    return {};
  }

  std::vector<NamedMachineOp> read_optional(const toml::table& row, std::string_view key) {
    const toml::node* node = row.get(key);
    if (node == nullptr)
      return {};
    if (const toml::array* operations = node->as_array())
      return read_machine(*operations);
    error(node->source(), fmt::format("'{}' is a list of machine operations", key),
          "for example: [{unit = \"alu\", count = 4}]");
    return {};
  }

  std::vector<NamedMachineOp> read_machine(const toml::array& is) {
    std::vector<NamedMachineOp> machine;
    for (const toml::node& node : is)
      if (const toml::table* op = node.as_table())
        read_op(*op, machine);
      else
        error(node.source(), "not a machine operation", "for example: {unit = \"alu\", latency = 6}");
    return machine;
  }

  void read_op(const toml::table& op, std::vector<NamedMachineOp>& machine) {
    if (!check_keys(op, {"unit", "latency", "issue_interval", "count", "parallel", "counted_as"}))
      return;
    const toml::node* unit = op.get("unit");
    if (unit == nullptr || !unit->is_string())
      return error(op.source(), "a machine operation needs its unit", "for example: {unit = \"alu\"}");
    NamedMachineOp result;
    result.unit = unit->as_string()->get();
    result.origin = {source_, span_of(unit->source()), span_of(unit->source())};
    result.latency = read_number(op, "latency", 0, max_cycles);
    result.issue_interval = read_number(op, "issue_interval", 0, max_cycles);
    const double count = read_number(op, "count", 1, max_count).value_or(1);
    if (std::trunc(count) != count)
      error(op.get("count")->source(), "count must be a whole number", "split the row instead");
    result.count = static_cast<std::uint32_t>(count);
    if (const toml::node* parallel = op.get("parallel")) {
      if (!parallel->is_boolean())
        return error(parallel->source(), "parallel must be true or false", "leave it out for false");
      result.parallel = parallel->as_boolean()->get();
    }
    if (const toml::node* counted_as = op.get("counted_as"))
      result.counted_as = one_of<CountedAs>(
          *counted_as, "counted_as", {"misc", CountedAs::misc}, {"communication", CountedAs::communication},
          "what Nsight Compute counts the operation as; leave it out where its unit says that");
    machine.push_back(std::move(result));
  }

  std::optional<double> read_number(const toml::table& op, std::string_view key, double low, double high) {
    const toml::node* node = op.get(key);
    if (node == nullptr)
      return std::nullopt;
    const std::optional<double> value = node->is_number() ? node->value<double>() : std::nullopt;
    // Written so that NaN fails, too.
    if (value && *value >= low && *value <= high)
      return value;
    error(node->source(), fmt::format("{} must be a number from {} to {}", key, low, high),
          "latencies and intervals are cycles");
    return std::nullopt;
  }

  void add_rows(const toml::node& operation, NamedRow costs) {
    const std::string* pattern = operation.is_string() ? &operation.as_string()->get() : nullptr;
    const auto expanded = pattern != nullptr ? expand_pattern(*pattern) : std::nullopt;
    if (!expanded)
      return error(operation.source(), "not a PTX operation", "for example \"mul.{lo,hi}.s32\"");
    const Span span = span_of(operation.source());
    for (const std::string& text : *expanded) {
      const auto tokens = tokens_of(text);
      costs.tokens.assign(tokens.begin(), tokens.end());
      costs.origin = {source_, span, span};
      rows_.push_back(costs);
    }
  }

  std::shared_ptr<const SourceText> source_;
  Diagnostics& errors_;
  std::vector<NamedRow> rows_;
};

void report_duplicates(const std::vector<NamedRow>& rows, Diagnostics& errors) {
  std::map<std::vector<std::string>, const NamedRow*> seen;
  for (const NamedRow& row : rows) {
    const auto [first, is_new] = seen.try_emplace(row.tokens, &row);
    if (!is_new)
      errors.push_back(error_at_key(row.origin,
                                    fmt::format("a second row for '{}'", fmt::join(row.tokens, ".")),
                                    {fmt::format("the first is at {}", describe(first->second->origin))}));
  }
}

// Rows of a base file that no nearer file replaces.
void add_inherited(const std::vector<NamedRow>& base, std::vector<NamedRow>& rows) {
  std::set<std::vector<std::string>> replaced;
  for (const NamedRow& row : rows)
    replaced.insert(row.tokens);
  std::copy_if(base.begin(), base.end(), std::back_inserter(rows),
               [&](const NamedRow& row) { return !replaced.contains(row.tokens); });
}

std::optional<Entry> inherits_of(const TomlText& text) {
  const auto found = text.table.find("inherits");
  if (found == text.table.end())
    return std::nullopt;
  const toml::node& node = found->second;
  const Span span = span_of(node.source());
  Value value = node.is_string() ? Value(node.as_string()->get()) : Value(Unsupported{"no text"});
  return Entry{"inherits", std::move(value), {text.source, span, span}, {}};
}

} // namespace

Expected<std::vector<NamedRow>> read_isa_rows(const fs::path& file, const std::vector<fs::path>& folders) {
  Diagnostics errors;
  std::vector<NamedRow> rows;
  const auto visit = [&](const fs::path& path) -> std::optional<Entry> {
    auto text = read_toml(path);
    if (!text) {
      append(errors, std::move(text.error()));
      return std::nullopt;
    }
    RowReader reader(text->source, errors);
    reader.read_file(text->table);
    const std::vector<NamedRow> own = reader.take_rows();
    report_duplicates(own, errors);
    add_inherited(own, rows);
    return inherits_of(*text);
  };
  follow_inherits(file, folders, visit, errors);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return rows;
}

} // namespace kerncast::configs
