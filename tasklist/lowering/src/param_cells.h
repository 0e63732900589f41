// The .param variables that pass values to and from inlined functions, cut into the pieces that st.param
// and ld.param access together. Each piece is one value.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "program.h"

namespace kerncast::lowering {

class ParamCells {
public:
  // Cells get the value ids from `first_value` on.
  ParamCells(const ptx::Function& function, ValueId first_value);

  struct Piece {
    ValueId value = no_id;
    bool whole = false; // the access covers the piece
    std::uint32_t bytes = 0;
  };
  // The pieces of element `index` of an access; empty if the instruction accesses no such variable.
  Piece piece(const ptx::Instruction& instruction, std::uint32_t index) const;
  bool accesses(const ptx::Instruction& instruction) const;
  const std::vector<tasklist::ValueClass>& value_classes() const { return value_classes_; }

private:
  struct Interval {
    std::uint32_t variable = 0;
    std::int64_t begin = 0, end = 0; // bytes
  };
  struct Access {
    std::uint32_t variable = no_id;
    std::int64_t offset = 0;
    std::uint32_t element_bytes = 0;
    std::uint32_t elements = 0;
  };
  Access access_of(const ptx::Instruction& instruction) const;

  const ptx::Function& function_;
  ValueId first_value_;
  std::unordered_map<std::string_view, std::uint32_t> variables_;
  std::vector<Interval> cells_; // sorted
  std::vector<tasklist::ValueClass> value_classes_;
};

} // namespace kerncast::lowering
