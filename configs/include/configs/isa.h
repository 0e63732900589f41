// An ISA table (configs/isa/ARCH.toml): the machine operations that PTX operations become.
//
// A row names PTX operations by their opcode and the modifiers that matter, "mul.lo.s32" or "ld.global";
// it fits every operation with that opcode whose modifiers include the row's in the same order. Of several
// that fit the one with the most modifiers wins, of equally specific ones the first of the file; `rival`
// finds operations for which that is a matter of order. Two rows with the same tokens are an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kerncast::configs {

// What Nsight Compute's counters of executed instructions take an operation for: what its unit says, if
// nothing else is stated.
enum class CountedAs : std::uint8_t {
  by_unit,
  misc,
  communication, // between threads
};

// One machine operation of a row's sequence. Each depends on the one before it unless `parallel`.
struct MachineOpSpec {
  std::uint32_t unit = 0;    // index into Gpu::units
  double latency = 0;        // stated in the row, else the unit's
  double issue_interval = 0; // stated in the row, else the unit's
  std::uint32_t count = 1;   // repeated so many times
  bool parallel = false;     // does not wait for the operation before it
  CountedAs counted_as = CountedAs::by_unit;
};

// Whether an operation is a loop around a compare-and-swap, and how often a warp goes round.
enum class SwapLoop : std::uint8_t {
  none,
  once,  // as a rule
  lanes, // once for each of the lanes that have one address
};

struct IsaRow {
  std::vector<std::string> tokens;    // opcode, then modifiers
  std::vector<MachineOpSpec> machine; // empty: the operation costs nothing (removed by the compiler)
  // The code's size beside what is executed. Units and counts only.
  std::vector<MachineOpSpec> rare;   // per use: around a slow path that is hardly ever taken
  std::vector<MachineOpSpec> slow;   // per use: executed in the routine, if zeros, infinities or NaN need it
  std::vector<MachineOpSpec> called; // of `machine`: lies in the routine, not at the use
  std::string routine;               // a kernel has the machine operations of the row "routine.NAME" once
  std::uint32_t registers = 0;       // 32-bit registers that it works in beside its operands and results
  SwapLoop loop = SwapLoop::none;
  double turns = 1; // of an atomic in L2: operations in a row at its address, each of Gpu::l2_atomic_interval
  bool is_guess = false; // marked `# guess: reason` in the file
  std::string place;     // "file:line"
  std::string guess;     // the reason
};

// Rows by opcode, the most specific ones of an opcode first.
struct RowIndex {
  std::vector<std::uint32_t> rows;  // indices into IsaTable::rows
  std::vector<std::uint32_t> table; // by hash of the opcode: the first of its `rows` plus one, 0 where empty
  std::vector<std::uint32_t>
      exact; // by hash of all tokens: index into IsaTable::rows plus one, 0 where empty
};

struct IsaTable {
  std::string architecture;
  std::vector<IsaRow> rows;
  // Of all rows; a table put together by hand may lack it, and is then searched from end to end.
  RowIndex index = {};
  void index_rows();
  // The row for a PTX operation such as "ld.global.v4.f32", null if none fits.
  const IsaRow* find(std::string_view operation) const;
  // A row names exactly this operation.
  bool has_row(std::string_view operation) const;
  // Another row that fits as specifically as the one found, null if the answer does not depend on order.
  const IsaRow* rival(std::string_view operation) const;
};

} // namespace kerncast::configs
