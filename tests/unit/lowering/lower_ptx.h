// PTX text to tasklist for tests; every list that is lowered here is verified and survives its text form.
#pragma once

#include <gmock/gmock.h>

#include "lowering/lower.h"
#include "ptx_parser/parser.h"
#include "tasklist/text.h"
#include "tasklist/verify.h"

namespace kerncast::lowering {

inline constexpr LowerOptions as_written{.clean_up = false};

inline ptx::Module parse_ptx(const std::string& text) {
  auto module = ptx::parse(SourceText("test.ptx", text));
  EXPECT_TRUE(module.has_value()) << render(module.error());
  return module ? std::move(*module) : ptx::Module{};
}

// A module around one kernel's body. Line 4 is the first line of the body.
inline std::string kernel(const std::string& body, const std::string& functions = "") {
  return ".version 8.0 .target sm_80 .address_size 64 " + functions +
         "\n.visible .entry k(.param .u64 p, .param .u32 n, .param .f32 x, .param .u64 q) {\n"
         ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .b32 %f<30>; .reg .b64 %d<30>;\n" +
         body + "\n}\n";
}

inline tasklist::Tasklist lower_module(const std::string& text, const LowerOptions& options = {}) {
  const ptx::Module module = parse_ptx(text);
  const auto function = select_kernel(module, "");
  EXPECT_TRUE(function.has_value()) << render(function.error());
  if (!function) {
    return {};
  }
  const auto list = lower(module, **function, options);
  EXPECT_TRUE(list.has_value()) << render(list.error());
  if (!list) {
    return {};
  }
  const auto verified = tasklist::verify(*list);
  EXPECT_TRUE(verified.has_value()) << render(verified.error());
  const auto again = tasklist::read_text(SourceText("again", tasklist::write_text(*list)));
  EXPECT_TRUE(again.has_value() && *again == *list) << tasklist::write_text(*list);
  return *list;
}

inline tasklist::Tasklist lower_body(const std::string& body, const LowerOptions& options = {}) {
  return lower_module(kernel(body), options);
}

// "ld.global.f32", "add.f32", ...
inline std::vector<std::string> operations(const tasklist::Tasklist& list) {
  std::vector<std::string> result;
  for (const tasklist::Task& task : list.tasks) {
    result.push_back(list.operations[task.operation]);
  }
  return result;
}

// Dependencies of the task at a line of `kernel`'s body (its first line is 1), as lines of the body.
inline std::vector<std::uint32_t> after_lines(const tasklist::Tasklist& list, std::uint32_t line) {
  constexpr std::uint32_t lines_before_body = 3;
  std::vector<std::uint32_t> result;
  bool found = false;
  for (const tasklist::Task& task : list.tasks) {
    if (task.line != line + lines_before_body) {
      continue;
    }
    found = true;
    for (const tasklist::TaskId dependency : list.dependencies(task)) {
      result.push_back(list.tasks[dependency].line - lines_before_body);
    }
  }
  EXPECT_TRUE(found) << "no task at line " << line << " of the body";
  return result;
}

} // namespace kerncast::lowering
