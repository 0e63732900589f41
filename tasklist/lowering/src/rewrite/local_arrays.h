// Local arrays that need no memory: every access is at a place that the text tells, or at one of few.
//
// ptxas 13.0 keeps an array in registers if nothing but loads and stores uses its address, and
// - all places are known (of any size that fits the registers), or
// - a pointer walks over it in steps of a power of two: up to 16 places in all accesses of its loops, at most
//   four per access, or ten in all and at most eight per access (a fit to 60 arrays, of which five differ);
//   its comparisons tell places apart that are the smaller of a step and the array's alignment apart, or
// - an index that is not known reads or writes it outside of loops, and it has up to 64 bytes.
// Seen in kernels made for the question, compiled for sm_75.
#pragma once

#include <string_view>
#include <vector>

#include "known_values.h"

namespace kerncast::lowering {

struct ArrayAccess {
  std::uint32_t op = 0;
  std::int64_t offset = 0;                // known place: bytes from the array's begin
  ptx::RegisterId index = no_id;          // else: the register that holds the address,
  std::vector<std::uint64_t> places = {}; // and what it may be, in bytes from the array's begin
};

struct LocalArray {
  std::string_view name;
  std::uint32_t bytes = 0;
  std::uint32_t element_bytes = 0;
  std::vector<ArrayAccess> accesses; // in the order of the text
};

// Those that ptxas keeps in registers.
std::vector<LocalArray> find_register_arrays(const Program& program, const ValueFacts& facts,
                                             const KnownValues& known, const std::vector<bool>& is_in_loop);

} // namespace kerncast::lowering
