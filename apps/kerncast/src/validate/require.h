// --require 'WORDS.STATISTIC<=VALUE' (or >=): a bound that the comparisons must keep.
//
// Words name suite, kernel, GPU, model or quantity; what they name is compared, each by itself. Without a
// word that names a model or a quantity the main comparisons of every suite are meant: 'mape<=10' bounds the
// times that the simulator predicts, 'volkov.mape<=60' those of Volkov's model.
#pragma once

#include <string>
#include <vector>

#include "report.h"

namespace kerncast::app {

struct Requirement {
  std::string text;               // as it was written
  std::vector<std::string> words; // what stands between dots; a name may be several of them
  std::string statistic;
  bool at_most = true; // <=, else >=
  double value = 0;
};

Expected<Requirement> parse_requirement(const std::string& text);

struct Verdict {
  std::string requirement;
  std::size_t compared = 0;
  std::vector<std::string> broken; // one text for each comparison that does not keep it
};

// Fails where a requirement is about nothing that was compared.
Expected<std::vector<Verdict>> judge(const std::vector<Requirement>& requirements, const Report& report);

} // namespace kerncast::app
