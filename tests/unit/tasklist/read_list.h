// Tasklists for tests, from our text form.
#pragma once

#include <gmock/gmock.h>

#include "support/diagnostics.h"
#include "tasklist/text.h"

namespace kerncast::tasklist {

// The list, or an empty one and a failed expectation that shows the diagnostics.
inline Tasklist read_list(const std::string& body) {
  const SourceText source("test.tasklist", std::string(text_format_name) + "\n" + body);
  auto list = read_text(source);
  EXPECT_TRUE(list.has_value()) << render(list.error());
  return list.value_or(Tasklist{});
}

inline std::vector<TaskId> after(const Tasklist& list, TaskId task) {
  const auto dependencies = list.dependencies(list.tasks.at(task));
  return {dependencies.begin(), dependencies.end()};
}

} // namespace kerncast::tasklist
