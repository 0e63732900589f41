// How much ptxas 13.0 unrolls completely, for sm_75 to sm_90: found by compiling loops of growing bodies and
// counting the copies of one operation in the code (docs/lowering.md).
#pragma once

#include <cstdint>
#include <string_view>

#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

// What decides over a loop of known trips. Weights are in operations: an access or barrier weighs two.
struct UnrolledBody {
  std::uint64_t trips = 0;
  std::uint64_t weight = 0;          // of one trip, without counting
  std::uint64_t shared_accesses = 0; // loads and stores of one trip; a vector is one
  std::uint64_t inner_trips = 0;     // of loops within one trip that are unrolled already, at all depths
};

// Of all lanes together: shuffles, votes, matrices and the like. A loop around one is not unrolled where
// lanes may have different numbers of trips.
bool needs_whole_warp(const Task& task, std::string_view operation);

// What an operation on matrices weighs in a body, as so many plain ones: by the longest bodies with one that
// ptxas 13.0 unrolls for sm_75, sm_80 and sm_90, in part or completely. 0 of any other operation.
struct MatrixWeight {
  std::uint32_t in_part = 0;
  std::uint32_t completely = 0;
};
MatrixWeight weight_of_matrices(const Task& task, std::string_view operation, std::uint32_t target);

// False of what no loop is unrolled around: operations of the whole warp other than matrices before sm_90,
// matrices of warp groups and tensor memory, fences (not waits for asynchronous copies), exits, indirect
// branches, and divisions and roots that branch to a slow path (docs/lowering.md). `target` is the compute
// capability that the code is made for: 75, 80, 90; 0 if it is not known.
bool allows_unrolling(const Task& task, std::string_view operation, std::uint32_t target);

bool is_unrolled_completely(const Loop& loop, const UnrolledBody& body, std::uint32_t target);

// 90 of "sm_90a"; 0 of other words.
std::uint32_t target_number(std::string_view target);

} // namespace kerncast::tasklist
