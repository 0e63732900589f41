// Looks up ISA rows. What a row costs is the ISA file's business; what is missing is an error here.
#include "recipes.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa_rows.h"
#include "support/suggest.h"

namespace kerncast::machine {
namespace {

using configs::IsaRow;
using configs::MachineOpSpec;
using tasklist::Task;
using tasklist::TaskKind;
using tasklist::Tasklist;

// An integer addition stands for the MOV of a copy; scheduling makes IMAD.MOV of some.
constexpr std::string_view register_move_operation = "add.s32";

// Parameters that are operands of their readers cost nothing, and lowering removes their loads. A load that
// is left (an index that varies, a list that names it) is one from the constant bank.
constexpr std::string_view parameter_load_operation = "ld.const.b32";

// Classes of operations that lists in the papers' form name instead of a PTX operation, with one whose row
// has the class's unit. Their latency is stated in the list.
struct PaperClass {
  std::string_view word;
  std::string_view operation;
};
constexpr PaperClass paper_classes[] = {
    {"iALU", "add.s32"}, {"fALU", "add.f32"}, {"dALU", "fma.rn.f64"}, {"SFU", "ex2.approx.ftz.f32"}};

std::string_view ptx_operation(std::string_view operation) {
  const auto row = std::ranges::find(paper_classes, operation, &PaperClass::word);
  return row == std::end(paper_classes) ? operation : row->operation;
}

// How often an operation occurs, and where first.
struct Usage {
  std::uint32_t tasks = 0;
  std::uint32_t line = 0;
  bool is_barrier = false;
  bool loads_parameter = false;
};

std::vector<Usage> count_usage(const Selection& selection) {
  const Tasklist& list = selection.list;
  std::vector<Usage> usage(list.operations.size());
  for (std::size_t i = 0; i < list.tasks.size(); ++i) {
    const Task& task = list.tasks[i];
    if (selection.absorbed[i])
      continue;
    Usage& u = usage[task.operation];
    if (u.tasks++ == 0)
      u.line = task.line;
    u.is_barrier |= task.kind == TaskKind::barrier;
    u.loads_parameter |= task.kind == TaskKind::load && task.space == tasklist::Space::param;
  }
  return usage;
}

// The row names exactly this operation.
bool is_named(const IsaRow& row, std::string_view operation) {
  return row.tokens.size() == static_cast<std::size_t>(std::ranges::count(operation, '.')) + 1;
}

std::string isa_file(const configs::Gpu& gpu) { return fmt::format("configs/isa/{}.toml", gpu.architecture); }

Diagnostic error_at(const Tasklist& list, std::uint32_t line, std::string what, std::string next_step) {
  Diagnostic d;
  d.file = list.source_name;
  d.place = {.line = line, .column = line != 0 ? 1u : 0u};
  d.message = fmt::format("kernel '{}': {}", list.kernel, what);
  d.notes.push_back(std::move(next_step));
  return d;
}

std::string count_of(std::uint32_t tasks) { return fmt::format("{} task{}", tasks, tasks == 1 ? "" : "s"); }

Expected<std::optional<MachineOpSpec>> assumed_operation(const configs::Gpu& gpu,
                                                         const AnnotateOptions& options) {
  if (!options.assume_unknown)
    return std::optional<MachineOpSpec>{};
  std::vector<std::string> names;
  for (std::uint32_t u = 0; u < gpu.units.size(); ++u) {
    const configs::Unit& unit = gpu.units[u];
    if (unit.name == *options.assume_unknown)
      return MachineOpSpec{.unit = u, .latency = unit.latency, .issue_interval = unit.issue_interval};
    names.push_back(unit.name);
  }
  const std::string near = nearest(*options.assume_unknown, names);
  return fail(fmt::format("GPU '{}' has no unit class '{}' to charge unknown operations to", gpu.name,
                          *options.assume_unknown),
              near.empty() ? fmt::format("its unit classes: {}", fmt::join(names, ", "))
                           : fmt::format("did you mean '{}'?", near));
}

std::string guess_text(const IsaRow& row, std::uint32_t tasks) {
  const std::string reason = row.guess.empty() ? "" : fmt::format(" ({})", row.guess);
  // The file's name alone: a prediction reads the same wherever the configurations lie.
  const std::string place = std::filesystem::path(row.place).filename().string();
  return fmt::format("ISA row '{}' ({}) is a guess{}; {} {} it", fmt::join(row.tokens, "."), place, reason,
                     count_of(tasks), tasks == 1 ? "uses" : "use");
}

// Collects what one look_up finds, in the order of the tasklist's operations.
class Lookup {
public:
  Lookup(const Selection& selection, const configs::Gpu& gpu, std::optional<MachineOpSpec> assumed,
         const AnnotateOptions& options)
      : selection_(selection), list_(selection.list), gpu_(gpu), assumed_(assumed), extras_(options.extras),
        slow_divisions_(options.slow_divisions) {}

  Expected<RecipeBook> run() {
    const std::vector<Usage> usage = count_usage(selection_);
    book_.recipes.resize(list_.operations.size());
    for (std::size_t i = 0; i < usage.size(); ++i)
      if (usage[i].tasks != 0)
        book_.recipes[i] = recipe(list_.operations[i], selection_.rows[i], usage[i]);
    if (some_cost_nothing(usage))
      book_.register_move = register_move();
    if (gpu_.isa && !list_.target.empty() && extras_)
      look_up_extras();
    if (!errors_.empty())
      return tl::make_unexpected(std::move(errors_));
    for (const auto& [row, tasks] : guesses_)
      book_.assumptions.push_back(guess_text(gpu_.isa->rows[row], tasks));
    return std::move(book_);
  }

private:
  const IsaRow* row_of(std::string_view operation) const { return machine::row_of(gpu_.isa, operation); }

  Recipe recipe(std::string_view operation, const IsaRow* row, const Usage& usage) {
    if (row == nullptr)
      row = row_of(ptx_operation(operation));
    if (row == nullptr)
      return unknown(operation, usage);
    if (row->machine.empty() && usage.loads_parameter)
      return recipe(parameter_load_operation, row_of(parameter_load_operation),
                    {.tasks = usage.tasks, .line = usage.line});
    if (row->machine.empty() && usage.is_barrier)
      errors_.push_back(
          error_at(list_, usage.line,
                   fmt::format("the row for barrier '{}' has no machine operation to wait at", operation),
                   fmt::format("give the row at {} one", row->place)));
    if (row->is_guess && usage.tasks != 0)
      guesses_[static_cast<std::size_t>(row - gpu_.isa->rows.data())] += usage.tasks;
    Recipe made =
        slow_divisions_ && !row->slow.empty() ? make_recipe(with_slow_path(*row)) : make_recipe(row->machine);
    made.registers = row->registers;
    made.loop = row->loop;
    made.turns = row->turns;
    return made;
  }

  static std::vector<MachineOpSpec> with_slow_path(const IsaRow& row) {
    std::vector<MachineOpSpec> sequence = row.machine;
    sequence.insert(sequence.end(), row.rare.begin(), row.rare.end());
    sequence.insert(sequence.end(), row.slow.begin(), row.slow.end());
    return sequence;
  }

  void look_up_extras() {
    const auto recipe_of = [&](std::string_view name) {
      const IsaRow* row = row_of(name);
      return row != nullptr && is_named(*row, name) ? recipe(name, row, {.tasks = 1}) : Recipe{};
    };
    book_.entry = recipe_of("entry");
    book_.entry_memory = recipe_of("entry.memory");
    book_.entry_shared = recipe_of("entry.shared");
    book_.entry_matrix = recipe_of("entry.matrix");
    book_.matrix_shared = recipe_of("matrix.place.shared");
    book_.matrix_global = recipe_of("matrix.place.global");
    book_.constant32 = recipe_of("constant.b32");
    book_.constant64 = recipe_of("constant.b64");
    book_.constant_bank = recipe_of("constant.bank");
    book_.uniform32 = recipe_of("constant.uniform.b32");
    book_.uniform64 = recipe_of("constant.uniform.b64");
    book_.uniform_value = recipe_of("uniform.value");
    book_.converge_begin = recipe_of("converge.begin");
    book_.converge_end = recipe_of("converge.end");
    book_.function_call = recipe_of("function.call");
  }

  bool some_cost_nothing(const std::vector<Usage>& usage) const {
    for (std::size_t i = 0; i < usage.size(); ++i)
      if (usage[i].tasks != 0 && book_.recipes[i].steps.empty())
        return true;
    return false;
  }

  Recipe register_move() {
    Recipe addition = recipe(register_move_operation, row_of(register_move_operation), {});
    if (addition.steps.empty())
      return unknown(register_move_operation, {});
    Recipe move;
    move.steps.push_back({addition.steps[addition.main].spec, 0});
    return move;
  }

  Recipe unknown(std::string_view operation, const Usage& usage) {
    const bool is_move = usage.tasks == 0;
    if (!assumed_) {
      const std::string who = is_move ? "what register moves are charged as" : count_of(usage.tasks);
      errors_.push_back(
          error_at(list_, usage.line,
                   fmt::format("operation '{}' ({}) has no machine operations on '{}'", operation, who,
                               gpu_.architecture),
                   fmt::format("add a row to {} or pass --assume-unknown CLASS", isa_file(gpu_))));
      return {};
    }
    book_.assumptions.push_back(fmt::format("operation '{}' ({}) has no row in {}: charged to unit '{}'",
                                            operation, is_move ? "register moves" : count_of(usage.tasks),
                                            isa_file(gpu_), gpu_.units[assumed_->unit].name));
    return make_recipe({*assumed_});
  }

  const Selection& selection_;
  const Tasklist& list_;
  const configs::Gpu& gpu_;
  std::optional<MachineOpSpec> assumed_;
  bool extras_;
  bool slow_divisions_;
  RecipeBook book_;
  Diagnostics errors_;
  std::map<std::size_t, std::uint32_t> guesses_; // index of the row -> tasks
};

} // namespace

Recipe make_recipe(const std::vector<MachineOpSpec>& sequence) {
  Recipe recipe;
  std::uint32_t group = 0, length = 0;
  for (const MachineOpSpec& spec : sequence)
    length += spec.count;
  recipe.steps.reserve(length);
  for (const MachineOpSpec& spec : sequence) {
    for (std::uint32_t i = 0; i < spec.count; ++i) {
      if (!spec.parallel && !recipe.steps.empty())
        ++group;
      recipe.steps.push_back({spec, group});
      recipe.steps.back().spec.count = 1;
    }
  }
  if (recipe.steps.empty())
    return recipe;
  const auto last_group = std::ranges::find(recipe.steps, group, &Recipe::Step::group);
  recipe.main = length - 1;
  if (last_group + 1 == recipe.steps.end())
    return recipe;
  const Recipe::Step last = recipe.steps.back();
  std::stable_sort(last_group, recipe.steps.end(),
                   [](const auto& a, const auto& b) { return a.spec.latency < b.spec.latency; });
  // The row's last step came behind all others of its latency.
  const auto behind = std::upper_bound(last_group, recipe.steps.end(), last.spec.latency,
                                       [](double l, const auto& s) { return l < s.spec.latency; });
  recipe.main = static_cast<std::uint32_t>(behind - recipe.steps.begin()) - 1;
  return recipe;
}

double total_latency(const Recipe& recipe) {
  double total = 0, longest = 0;
  for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
    longest = std::max(longest, recipe.steps[i].spec.latency);
    if (i + 1 == recipe.steps.size() || recipe.steps[i + 1].group != recipe.steps[i].group) {
      total += longest;
      longest = 0;
    }
  }
  return total;
}

Expected<RecipeBook> look_up(const Selection& selection, const configs::Gpu& gpu,
                             const AnnotateOptions& options) {
  auto assumed = assumed_operation(gpu, options);
  if (!assumed)
    return tl::make_unexpected(std::move(assumed.error()));
  return Lookup(selection, gpu, *assumed, options).run();
}

} // namespace kerncast::machine
