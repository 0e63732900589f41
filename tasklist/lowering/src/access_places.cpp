#include "access_places.h"

#include <algorithm>
#include <map>

#include "address_bases.h"

namespace kerncast::lowering {
namespace {

struct Placed {
  std::uint32_t op = 0;
  std::int64_t place = 0; // bytes from the base
};

struct Accesses {
  std::vector<Placed> placed;
  bool is_written = false;
};

// Of an access to one place in memory; null for images and what has no address.
const ptx::Operand* address_of(const Program& program, std::uint32_t op) {
  const auto operands = program.function->operands(program.instruction(op));
  const auto found = std::ranges::find(operands, ptx::OperandKind::address, &ptx::Operand::kind);
  return found == operands.end() || found->has_elements ? nullptr : &*found;
}

} // namespace

std::vector<AccessPlace> find_access_places(const Program& program, const ProgramFacts& facts) {
  AddressBases bases(program, facts.values, facts.known);
  std::map<AddressBase, Accesses> by_base;
  for (std::uint32_t op = 0; op < program.ops.size(); ++op) {
    const tasklist::TaskKind kind = program.traits_of(program.ops[op]).kind;
    if (tasklist::is_memory(kind) && program.ops[op].access_bytes > 0)
      if (const ptx::Operand* const address = address_of(program, op)) {
        const auto [base, place] = bases.of(*address);
        Accesses& accesses = by_base[base];
        accesses.placed.push_back({op, place});
        accesses.is_written |= kind != tasklist::TaskKind::load;
      }
    bases.note(op);
  }
  std::vector<AccessPlace> places(program.ops.size());
  std::uint32_t number = 0;
  for (const auto& [base, accesses] : by_base) {
    const auto [lowest, highest] = std::ranges::minmax_element(accesses.placed, {}, &Placed::place);
    const std::int64_t reach = highest->place - lowest->place;
    if (!accesses.is_written || reach <= 0 || reach > UINT32_MAX)
      continue;
    for (const Placed& access : accesses.placed)
      places[access.op] = {number, static_cast<std::uint32_t>(access.place - lowest->place)};
    ++number;
  }
  return places;
}

} // namespace kerncast::lowering
