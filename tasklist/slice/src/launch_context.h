// One launch prepared for execution: parameter bytes, facts, and where guesses are written down.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "branch_facts.h"
#include "slice/known_contents.h"
#include "support/diagnostics.h"
#include "tasklist/launch.h"
#include "warp/launch_parameters.h"
#include "warp/program.h"
#include "warp_names.h"

namespace kerncast::slice {

// Every guess once, ordered by PTX line.
class Assumptions {
public:
  void add(std::uint32_t line, const std::string& text) { by_place_.emplace(line, text); }
  std::vector<std::string> list() const {
    std::vector<std::string> texts;
    for (const auto& [line, text] : by_place_)
      texts.push_back(text);
    return texts;
  }

private:
  std::set<std::pair<std::uint32_t, std::string>> by_place_;
};

struct LaunchContext {
  const Program& program;
  const tasklist::Launch& launch;
  ParameterImage parameters;
  BranchFacts facts;
  std::uint64_t max_visits_per_warp = 0;
  const SourceText* source = nullptr;                      // for diagnostics; null: not there
  std::shared_ptr<const KnownContents> contents = nullptr; // null: of no buffer

  // Whether CTAs may differ by more than their position.
  bool follows_contents() const { return contents && program.depends_on_data; }
};

} // namespace kerncast::slice
