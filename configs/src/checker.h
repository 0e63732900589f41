// Says which statements contradict each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "statements.h"

namespace kerncast::configs {

class Checker {
public:
  Checker(Gpu& gpu, const Statements& statements, Diagnostics& errors)
      : gpu_(gpu), statements_(statements), errors_(errors) {}

  const Statements& statements() const { return statements_; }

  // `wrong` is about the values of these keys, which contradict each other. The one that was stated last is
  // shown, with notes where the others are.
  void require(bool holds, std::vector<std::string> keys, const std::string& wrong);

  // What real hardware does not do, but a study may: where --set states one of these or of the `further`
  // keys, a prediction names it instead.
  void require_of_files(bool holds, std::vector<std::string> keys, const std::vector<std::string>& further,
                        const std::string& wrong);

  void at_most(const std::string& key, double value, const std::string& other, double bound);
  void power_of_two(const std::string& key, std::uint64_t value);
  void multiple(const std::string& key, double value, const std::string& other, double part);
  // `part`: bytes, of `what`; the key states the size in KiB or MiB.
  void whole_parts(const std::string& key, std::uint64_t bytes, const std::string& other, double part,
                   std::string_view what);

private:
  Gpu& gpu_;
  const Statements& statements_;
  Diagnostics& errors_;
};

} // namespace kerncast::configs
