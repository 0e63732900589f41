// Local arrays that need no memory: every access is at a place that the text tells, or at one of few.
//
// ptxas 13.0 keeps an array in registers if nothing but loads and stores uses its address, at places that are
// known, that a pointer comes to which walks over the array in steps of a power of two, or of which nothing
// is known but a multiple, and if the operations that choose among places do not double what the kernel
// costs: the sum over those accesses of 1.18 operations per place is at most the sum over all operations,
// where an access to memory is two and a loop counts 13 times what is around it. A vector is one access.
// (Loops over arrays of 1 to 200 elements with one to four accesses, scalars and vectors, 0 to 48 other
// operations, alone and in another loop; of 336 kernels at and around the limit 321 are told right.)
// Comparisons tell places apart that are the smaller of a step and the array's alignment apart, or as far as
// the address is known to be a multiple of. Seen in kernels made for the question, compiled for sm_75.
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

// Those that ptxas keeps in registers. `loop_depths`, by block: loops that it is part of.
std::vector<LocalArray> find_register_arrays(const Program& program, const ValueFacts& facts,
                                             const KnownValues& known,
                                             const std::vector<std::uint32_t>& loop_depths);

} // namespace kerncast::lowering
