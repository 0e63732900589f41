// Puts a tasklist together task by task: interns operations, fills the pools in the canonical order
// (definitions, then uses), numbers memory accesses and derives dependencies and loops at the end.
#pragma once

#include <string_view>

#include "tasklist/tasklist.h"
#include "tasklist/text_index.h"

namespace kerncast::tasklist {

class Builder {
public:
  Tasklist list;

  std::uint32_t operation(std::string_view text);
  // Appends to the last block; starts block 0 if there is none. Ranges and access are filled in here.
  Task& add(Task task, std::span<const ValueId> definitions, std::span<const ValueId> uses,
            std::span<const std::uint32_t> constants = {});
  // Index of a constant operand in Tasklist::constants.
  std::uint32_t constant(std::string_view text);
  // Every successor must be a block.
  Tasklist finish() &&;

private:
  void place_blocks();

  TextIndex operations_, constants_;
  std::uint32_t accesses_ = 0;
  std::size_t block_count_ = 0;
};

} // namespace kerncast::tasklist
