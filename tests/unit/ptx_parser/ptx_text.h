// Small PTX modules for the tests of the parser, and what the parser says about them.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "ptx_parser/parser.h"

namespace kerncast::ptx {

// A kernel `k` with registers of every type: u32 s32 b32 f32 (.f32), p q (.pred), numbered %r<9> and so on.
inline std::string kernel(std::string_view body) {
  return std::string(
             ".version 8.7\n.target sm_90a\n.address_size 64\n"
             ".global .align 16 .b8 gv[64]; .const .b32 cv[4];\n"
             ".entry k(.param .u64 prm)\n{\n"
             ".reg .b8 b8; .reg .b16 b16; .reg .u16 u16; .reg .s16 s16;\n"
             ".reg .b32 b32; .reg .u32 u32; .reg .s32 s32; .reg .f32 f32;\n"
             ".reg .b64 b64; .reg .u64 u64; .reg .s64 s64; .reg .f64 f64; .reg .b128 b128;\n"
             ".reg .pred p, q; .reg .v4 .f32 vf; .reg .b32 %r<9>; .local .b32 lv; .shared .b32 sv;\n") +
         std::string(body) + "\nret;\n}\n";
}

inline Expected<Module> parse_text(std::string text, std::size_t error_limit = 20) {
  return parse(SourceText("test.ptx", std::move(text)), {error_limit});
}

// Every error says what to do about it.
inline void expect_notes(const Diagnostics& errors) {
  for (const Diagnostic& d : errors) {
    EXPECT_FALSE(d.notes.empty()) << d.message;
    for (const std::string& note : d.notes)
      EXPECT_FALSE(note.empty()) << d.message;
  }
}

// The messages of all errors, a line each; empty for a good module.
inline std::string errors_in(std::string text, std::size_t error_limit = 20) {
  const auto module = parse_text(std::move(text), error_limit);
  std::string out;
  if (!module)
    expect_notes(module.error());
  for (const Diagnostic& d : module ? Diagnostics{} : module.error())
    out += std::to_string(d.place.line) + ":" + std::to_string(d.place.column) + ": " + d.message + "\n";
  return out;
}

// The same for a body of `kernel`; places are dropped.
inline std::string errors_in_body(std::string_view body) {
  const auto module = parse_text(kernel(body));
  std::string out;
  if (!module)
    expect_notes(module.error());
  for (const Diagnostic& d : module ? Diagnostics{} : module.error())
    out += d.message + "\n";
  return out;
}

inline Module parsed(std::string text) {
  auto module = parse_text(std::move(text));
  EXPECT_TRUE(module) << render(module ? Diagnostics{} : module.error());
  return module ? std::move(*module) : Module{};
}

inline Function parsed_body(std::string_view body) {
  Module module = parsed(kernel(body));
  static Module kept; // the names of the returned function are views into its text
  kept = std::move(module);
  return kept.functions.empty() ? Function{} : kept.functions.front();
}

} // namespace kerncast::ptx
