// Selectors of video instructions (PTX ISA, section 9.7.18): which bytes or halves of a register they take
// part in.
#pragma once

#include <string_view>

#include "ptx_parser/opcode.h"

namespace kerncast::ptx {

// Is it one on two halves or four bytes at once?
bool works_on_parts(Opcode opcode);
// May a source have this selector? `.b0` and `.h1` of a scalar instruction; `.b7610` and `.h32` of one on
// four bytes or two halves, whose digits count through both sources.
bool selects_source(Opcode opcode, std::string_view selector);
// May the destination? `.b0` and `.h1`; `.b320` and `.h10` of one on four bytes or two halves.
bool selects_destination(Opcode opcode, std::string_view selector);

} // namespace kerncast::ptx
