#include "watched_buffers.h"

#include <algorithm>

namespace kerncast::functional {

using tasklist::Argument;
using warp::MemoryOp;

namespace {

bool is_strong_global(const MemoryOp& op) {
  return !op.is_weak && (op.space == ptx::Space::global || op.space == ptx::Space::generic);
}

} // namespace

bool may_order_ctas(const warp::Program& program) {
  return std::any_of(program.memory_ops.begin(), program.memory_ops.end(), [](const MemoryOp& op) {
    const bool returns = std::any_of(op.data.begin(), op.data.end(),
                                     [](warp::SlotId d) { return d.pool != warp::Pool::none; });
    return is_strong_global(op) && (returns || op.kind != MemoryOp::Kind::atomic);
  });
}

bool may_see_progress(const warp::Program& program) {
  return std::any_of(program.memory_ops.begin(), program.memory_ops.end(), [](const MemoryOp& op) {
    return is_strong_global(op) && op.kind == MemoryOp::Kind::load;
  });
}

std::vector<bool> stored_buffers(const warp::MemoryUse& use, const tasklist::Launch& launch,
                                 std::size_t buffers) {
  const warp::MemoryPlaces& writes = use.writes;
  if (writes.everything || writes.loaded)
    return std::vector<bool>(buffers, true);
  std::vector<bool> stored(buffers, false);
  const auto add = [&](const Argument& argument, std::size_t parameter) {
    if (argument.kind == Argument::Kind::buffer && argument.buffer < buffers &&
        parameter < writes.parameters.size() && writes.parameters[parameter])
      stored[argument.buffer] = true;
  };
  for (std::size_t p = 0; p < launch.arguments.size(); ++p)
    add(launch.arguments[p], p);
  for (const tasklist::StructMember& member : launch.members)
    add(member.value, member.argument);
  return stored;
}

} // namespace kerncast::functional
