#include "isa_table.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa_rows.h"
#include "names.h"
#include "support/suggest.h"

namespace kerncast::configs {
namespace {

namespace fs = std::filesystem;

Diagnostic no_table(const Gpu& gpu, const Statements& statements, const std::vector<fs::path>& folders) {
  const Entry* stated = statements.find("architecture");
  const std::vector<std::string> known = names_in(folders);
  const std::string near = nearest(gpu.architecture, known);
  return error_at_value(stated != nullptr ? stated->origin : Origin{},
                        fmt::format("no ISA table for architecture '{}'", gpu.architecture),
                        {!near.empty()   ? fmt::format("did you mean '{}'?", near)
                         : known.empty() ? "set KERNCAST_CONFIG_PATH to the folder that holds gpus/ and isa/"
                                         : fmt::format("there are {}", fmt::join(known, ", "))});
}

// Resolves the rows of one table against one GPU.
class Resolver {
public:
  Resolver(const Gpu& gpu, const Statements& statements, Diagnostics& errors)
      : gpu_(gpu), statements_(statements), errors_(errors) {}

  IsaRow resolve(const NamedRow& row) {
    IsaRow result;
    result.tokens = row.tokens;
    result.is_guess = !row.guess.empty();
    result.guess = row.guess;
    result.place = describe(row.origin);
    result.machine = resolve(row.machine);
    result.rare = resolve(row.rare);
    result.slow = resolve(row.slow);
    result.called = resolve(row.called);
    result.routine = row.routine;
    result.registers = row.registers;
    result.loop = row.loop;
    result.turns = row.turns;
    return result;
  }

private:
  std::vector<MachineOpSpec> resolve(const std::vector<NamedMachineOp>& ops) {
    std::vector<MachineOpSpec> resolved;
    for (const NamedMachineOp& op : ops)
      if (const auto unit = unit_index(op))
        resolved.push_back(resolve(op, *unit));
    return resolved;
  }

  MachineOpSpec resolve(const NamedMachineOp& op, std::uint32_t index) const {
    const Unit& unit = gpu_.units[index];
    return {index,
            op.latency.value_or(unit.latency),
            op.issue_interval.value_or(unit.issue_interval),
            op.count,
            op.parallel,
            op.counted_as};
  }

  std::optional<std::uint32_t> unit_index(const NamedMachineOp& op) {
    const auto found = std::find_if(gpu_.units.begin(), gpu_.units.end(),
                                    [&](const Unit& unit) { return unit.name == op.unit; });
    if (found != gpu_.units.end())
      return static_cast<std::uint32_t>(found - gpu_.units.begin());
    if (reported_.insert(op.unit).second)
      errors_.push_back(unknown_unit(op));
    return std::nullopt;
  }

  Diagnostic unknown_unit(const NamedMachineOp& op) const {
    std::vector<std::string> names;
    for (const Unit& unit : gpu_.units)
      names.push_back(unit.name);
    const std::string key = names.empty() ? "architecture" : fmt::format("units.{}.latency", names.front());
    const Entry* stated = statements_.find(key);
    return error_at_key(op.origin, fmt::format("GPU '{}' has no unit '{}'", gpu_.name, op.unit),
                        {fmt::format("its units are {} ({})", fmt::join(names, ", "),
                                     stated != nullptr ? describe(stated->origin) : "none stated")});
  }

  const Gpu& gpu_;
  const Statements& statements_;
  Diagnostics& errors_;
  std::set<std::string> reported_; // one message per unit, not per row
};

} // namespace

std::optional<std::vector<NamedRow>> read_isa(const Gpu& gpu, const Statements& statements,
                                              const std::vector<fs::path>& folders, Diagnostics& errors) {
  const auto file = is_name(gpu.architecture) ? find_file(gpu.architecture, folders) : std::nullopt;
  if (!file) {
    errors.push_back(no_table(gpu, statements, folders));
    return std::nullopt;
  }
  auto rows = read_isa_rows(*file, folders);
  if (!rows) {
    append(errors, std::move(rows.error()));
    return std::nullopt;
  }
  return std::move(*rows);
}

std::shared_ptr<const IsaTable> resolve_isa(const std::vector<NamedRow>& rows, const Gpu& gpu,
                                            const Statements& statements, Diagnostics& errors) {
  auto table = std::make_shared<IsaTable>();
  table->architecture = gpu.architecture;
  Resolver resolver(gpu, statements, errors);
  for (const NamedRow& row : rows)
    table->rows.push_back(resolver.resolve(row));
  table->index_rows();
  return table;
}

void note_unused_units(Gpu& gpu) {
  std::vector<bool> used(gpu.units.size());
  for (const IsaRow& row : gpu.isa->rows)
    for (const auto* ops : {&row.machine, &row.rare, &row.slow, &row.called})
      for (const MachineOpSpec& op : *ops)
        used[op.unit] = true;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (!used[i])
      gpu.assumptions.push_back(fmt::format("{}: unit {} does nothing: no row of the ISA table {} names it",
                                            gpu.name, gpu.units[i].name, gpu.architecture));
}

} // namespace kerncast::configs
