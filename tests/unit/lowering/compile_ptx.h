// PTX text to the kernel that a compiler would make of it, and to its operations.
#pragma once

#include <algorithm>

#include "lower_ptx.h"
#include "lowering/lower_compiled.h"

namespace kerncast::lowering {

inline tasklist::Tasklist compile_body(const std::string& body, const LowerOptions& options = {}) {
  const ptx::Module module = parse_ptx(kernel(body));
  const auto function = select_kernel(module, "");
  const auto compiled = lower_compiled(module, **function, options);
  EXPECT_TRUE(compiled) << render(compiled.error());
  if (!compiled)
    return {};
  EXPECT_TRUE(tasklist::verify(compiled->list)) << tasklist::write_text(compiled->list);
  return compiled->list;
}

inline std::ptrdiff_t count(const tasklist::Tasklist& list, std::string_view operation) {
  return std::ranges::count(operations(list), operation);
}

} // namespace kerncast::lowering
