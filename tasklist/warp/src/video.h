// Video instructions on parts of 32-bit registers: vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset and
// vmad, but for the last also on two or four parts at once (PTX ISA, section 9.7.19, video instructions).
//
// Left out: masks and selections of parts in the forms with several.
#pragma once

#include "select_operation.h"

namespace kerncast::warp {

struct Video {
  LaneFunction apply = nullptr; // of a, b and c
  std::uint32_t immediate = 0;  // without selectors
  bool has_single_part = false; // may have selectors
};

std::optional<Video> select_video(const InstructionForm& form);

// MicroOp::immediate of vmad with minus signs before a or b (not both), and before c.
std::uint32_t with_signs(std::uint32_t immediate, bool minus_product, bool minus_c);

// MicroOp::immediate with the parts that operands select (".h1", or nothing); empty for others.
std::optional<std::uint32_t> with_selectors(std::uint32_t immediate, std::string_view d, std::string_view a,
                                            std::string_view b);

} // namespace kerncast::warp
