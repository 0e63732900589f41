// What the text of a PTX operation ("ld.global.v4.f32") says by itself: kind, state space, access width.
#pragma once

#include <cstdint>
#include <string_view>

#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

struct OperationTraits {
  TaskKind kind = TaskKind::compute;
  Space space = Space::none;      // memory operations; generic where none is written
  std::uint16_t access_bytes = 0; // memory operations: per lane, vector included; 0 if the text does not say
  bool has_result = true;         // false: all operands are read (st, bar.sync, bra)
  bool side_effect = false;       // must stay even if nothing reads its result
};

// Operations outside the table are compute operations with a result and without side effect.
OperationTraits traits_of(std::string_view operation);

// The classes of 002 (Table 1) for what computes; words of annotated lists are their own class.
enum class ComputeClass : std::uint8_t { ialu, falu, dalu, sfu };
// A 64-bit float anywhere in the operation makes it dalu: conversions to and from f64 run there too.
ComputeClass compute_class(std::string_view operation);

inline bool is_memory(TaskKind kind) {
  return kind == TaskKind::load || kind == TaskKind::store || kind == TaskKind::atomic ||
         kind == TaskKind::reduction;
}
// Memory tasks of a block: as many as a visit of it has shapes.
std::uint32_t accesses_of(const Tasklist& list, BlockId block);

// Whether a load leaves L1 out: .cg caches in L2 only, .cv and .volatile fetch again (PTX ISA, Cache
// Operators), what must see others' stores does so, too, and bulk copies. A thread's own memory nobody else
// changes: there .volatile goes to L1 (guess).
bool passes_l1_by(const Tasklist& list, const Task& task);

// Names as they appear in our text form and in JSON ("load", "global", "b32").
std::string_view name(TaskKind kind);
std::string_view name(Space space);
std::string_view name(ValueClass value_class);

// The dot-separated parts of an operation, first to last; calls f(part) for each.
template <class F> void for_each_part(std::string_view operation, F&& f) {
  while (!operation.empty()) {
    const std::size_t dot = operation.find('.');
    f(operation.substr(0, dot));
    operation = dot == std::string_view::npos ? std::string_view{} : operation.substr(dot + 1);
  }
}

} // namespace kerncast::tasklist
