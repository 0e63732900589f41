// What is written is read back equal, for any consistent tasklist.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "random_tasklist.h"
#include "tasklist/paper_form.h"
#include "tasklist/text.h"
#include "tasklist/verify.h"

namespace kerncast::tasklist {
namespace {

RC_GTEST_PROP(RandomTasklist, verifies, ()) {
  const Tasklist list = random_tasklist();
  const auto verified = verify(list);
  if (!verified) {
    RC_FAIL(render(verified.error()));
  }
}

RC_GTEST_PROP(TextForm, round_trips, ()) {
  const Tasklist list = random_tasklist();
  const SourceText text("random", write_text(list));
  const auto again = read_text(text);
  if (!again) {
    RC_FAIL(std::string(text.text()) + render(again.error()));
  }
  RC_ASSERT(write_text(*again) == text.text());
  RC_ASSERT(*again == list);
}

// One cut anywhere in the text: a list or diagnostics, and any list that is read verifies or is refused.
RC_GTEST_PROP(TextForm, survives_any_cut, ()) {
  const std::string text = write_text(random_tasklist());
  std::string cut = text.substr(0, below(static_cast<std::uint32_t>(text.size()) + 1));
  if (!cut.empty() && below(2) == 1) {
    cut[below(static_cast<std::uint32_t>(cut.size()))] = static_cast<char>(below(256));
  }
  const auto list = read_text(SourceText("cut", cut));
  if (list) {
    static_cast<void>(verify(*list));
  } else {
    RC_ASSERT(!list.error().empty());
  }
}

// Straight-line lists of one result per task survive the papers' annotated form.
RC_GTEST_PROP(PapersForm, keeps_dependencies_and_latencies, ()) {
  static constexpr const char* words[] = {
      "iALU, 6",     "dALU, 8.5", "SFU, 0", "GLOB_MEM_ACCESS, LOAD", "SHARED_MEM_ACCESS, STORE",
      "THREAD_SYNC", "BRANCH"};
  std::string text;
  const std::uint32_t count = 1 + below(20);
  for (std::uint32_t i = 0; i < count; ++i) {
    text += '[' + std::string(words[below(std::size(words))]);
    for (std::uint32_t dependency = 1; dependency <= i; ++dependency) {
      if (below(4) == 0) {
        text += ", " + std::to_string(dependency);
      }
    }
    text += "]\n";
  }
  const auto list = read_paper(SourceText("random", text));
  RC_ASSERT(list.has_value());
  RC_ASSERT(verify(*list).has_value());
  const auto latency = [&](const Task& task) {
    return std::optional(list->stated_latency[static_cast<std::size_t>(&task - list->tasks.data())]);
  };
  RC_ASSERT(write_paper(*list, latency) == text);
}

} // namespace
} // namespace kerncast::tasklist
