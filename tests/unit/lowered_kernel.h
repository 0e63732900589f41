// A kernel of the repository or of PTX text, with its calls inlined, and its tasklist.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "lowering/inline_calls.h"
#include "lowering/lower.h"
#include "ptx_parser/parser.h"
#include "support/files.h"

namespace kerncast::test {

class LoweredKernel {
public:
  // A file by its path in the repository; `kernel` may be empty if it has one only.
  static LoweredKernel of_path(const std::string& path, const std::string& kernel = {}) {
    auto source = read_source(std::string(KERNCAST_SOURCE_DIR) + "/" + path);
    EXPECT_TRUE(source) << render(source.error());
    return LoweredKernel(std::move(*source), kernel);
  }
  static LoweredKernel of_text(const std::string& text, const std::string& kernel = {}) {
    return LoweredKernel(SourceText("test.ptx", text), kernel);
  }

  const ptx::Module& module() const { return module_; }
  const ptx::Function& function() const { return function_ == nullptr ? inlined_.function : *function_; }
  const tasklist::Tasklist& list() const { return list_; }

private:
  LoweredKernel(SourceText source, const std::string& name) {
    auto module = ptx::parse(std::move(source));
    EXPECT_TRUE(module) << render(module.error());
    module_ = std::move(*module);
    auto function = lowering::select_kernel(module_, name);
    EXPECT_TRUE(function) << render(function.error());
    function_ = *function;
    if (lowering::needs_inlining(*function_)) {
      auto inlined = lowering::inline_calls(module_, *function_);
      EXPECT_TRUE(inlined) << render(inlined.error());
      inlined_ = std::move(*inlined);
      function_ = nullptr;
    }
    auto list = lowering::lower(module_, this->function());
    EXPECT_TRUE(list) << render(list.error());
    list_ = std::move(*list);
  }

  ptx::Module module_;
  lowering::InlinedKernel inlined_;
  const ptx::Function* function_ = nullptr; // null: the inlined one
  tasklist::Tasklist list_;
};

} // namespace kerncast::test
