// Our own text form of a tasklist: readable, complete, and short enough to write by hand.
//
//   kerncast-tasklist/1
//   kernel add_five
//   block
//     ld.global.s32 %0 <- %2
//     ld.global.s32 %1 <- %3
//     add.s32 %4 <- %1 %0
//     st.global.s32 <- %2 %4
//     exit
//
// The grammar is at the top of src/text_reader.cpp. Dependencies and loops are not written: they
// follow from values and successors.
#pragma once

#include <string>

#include "support/diagnostics.h"
#include "tasklist/tasklist.h"

namespace kerncast::tasklist {

inline constexpr std::string_view text_format_name = "kerncast-tasklist/1";

std::string write_text(const Tasklist& list);

// Reads what write_text writes and what people write. Every error of the text is reported.
Expected<Tasklist> read_text(const SourceText& source);

// Whether a text starts like our form (any version), for callers that accept several kinds of files.
bool looks_like_text(std::string_view text);

} // namespace kerncast::tasklist
