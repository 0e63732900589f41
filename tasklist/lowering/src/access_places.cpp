#include "access_places.h"

#include <algorithm>

#include "address_bases.h"
#include "tasklist/id_table.h"

namespace kerncast::lowering {
namespace {

struct Placed {
  std::uint32_t op = 0;
  std::uint32_t group = 0;
  std::int64_t place = 0; // bytes from the base
};

// The accesses with one base.
struct Group {
  AddressBase base;
  std::int64_t lowest = 0, highest = 0; // places
  bool is_written = false;
  std::uint32_t number = no_id; // among those that tell something

  bool tells_something() const {
    const std::int64_t reach = highest - lowest;
    return is_written && reach > 0 && reach <= UINT32_MAX;
  }
};

// Of an access to one place in memory; null for images and what has no address.
const ptx::Operand* address_of(const Program& program, std::uint32_t op) {
  const auto operands = program.function->operands(program.instruction(op));
  const auto found = std::ranges::find(operands, ptx::OperandKind::address, &ptx::Operand::kind);
  return found == operands.end() || found->has_elements ? nullptr : &*found;
}

class PlaceFinder {
public:
  PlaceFinder(const Program& program, const ProgramFacts& facts)
      : program_(program), bases_(program, facts.values, facts.known) {}

  std::vector<AccessPlace> run() {
    placed_.reserve(program_.ops.size() / 4);
    groups_.reserve(program_.ops.size() / 4);
    for (std::uint32_t op = 0, count = program_.op_count(); op < count; ++op) {
      const tasklist::TaskKind kind = program_.traits_of(program_.ops[op]).kind;
      if (tasklist::is_memory(kind) && program_.ops[op].access_bytes > 0)
        if (const ptx::Operand* const address = address_of(program_, op))
          add(op, *address, kind != tasklist::TaskKind::load);
    }
    number_groups();
    std::vector<AccessPlace> places;
    for (const Placed& access : placed_)
      if (const Group& group = groups_[access.group]; group.number != no_id)
        places.push_back({access.op, group.number, static_cast<std::uint32_t>(access.place - group.lowest)});
    return places;
  }

private:
  void add(std::uint32_t op, const ptx::Operand& address, bool writes) {
    const auto [base, place] = bases_.of(address, op);
    const auto fresh = static_cast<std::uint32_t>(groups_.size());
    const std::uint32_t id =
        ids_.find_or_add(hash_of(base), fresh, [&](std::uint32_t g) { return groups_[g].base == base; });
    if (id == fresh)
      groups_.push_back({.base = base, .lowest = place, .highest = place});
    Group& group = groups_[id];
    group.lowest = std::min(group.lowest, place);
    group.highest = std::max(group.highest, place);
    group.is_written |= writes;
    placed_.push_back({op, id, place});
  }

  // In the order of their bases.
  void number_groups() {
    std::vector<Group*> telling;
    for (Group& group : groups_)
      if (group.tells_something())
        telling.push_back(&group);
    std::ranges::sort(telling, {}, [](const Group* group) { return group->base; });
    for (std::uint32_t i = 0; i < telling.size(); ++i)
      telling[i]->number = i;
  }

  const Program& program_;
  AddressBases bases_;
  std::vector<Placed> placed_;
  std::vector<Group> groups_;
  tasklist::IdTable ids_;
};

} // namespace

std::vector<AccessPlace> find_access_places(const Program& program, const ProgramFacts& facts) {
  return PlaceFinder(program, facts).run();
}

} // namespace kerncast::lowering
