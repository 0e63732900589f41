// Tasklists to read and as JSON. With a GPU the text has a comment line per machine operation:
//
//   add.s32 %4 <- %1 %0 : line 12 # 3 after 1 2
//   #   alu latency 6 interval 1
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "configs/gpu.h"
#include "json_text.h"
#include "machine/program.h"
#include "tasklist/tasklist.h"

namespace kerncast::app {

struct AnnotatedList {
  tasklist::Tasklist list;
  std::optional<machine::MachineProgram> program; // none without a GPU
};

std::string tasklists_text(const std::vector<AnnotatedList>& lists, const std::optional<configs::Gpu>& gpu);
std::string paper_text(const std::vector<AnnotatedList>& lists, const std::optional<configs::Gpu>& gpu);
// {"kernels": [...]}; what only a GPU can say is null without one.
Json tasklists_json(const std::vector<AnnotatedList>& lists, const std::optional<configs::Gpu>& gpu);

} // namespace kerncast::app
