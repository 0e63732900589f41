// What the program prints where it has to succeed.
#pragma once

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"

namespace kerncast::test {

using Json = nlohmann::json;

inline const std::string basic_workloads = KERNCAST_SOURCE_DIR "/apps/workloads/basic/";

inline std::string answer(const std::string& arguments) {
  const Ended ended = kerncast(arguments);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.out;
}

// For each application and GPU, behind `predict`.
inline Json predicted(const std::string& arguments) {
  return Json::parse(answer("predict " + arguments + " --json -"), nullptr, false);
}

inline Json first_predicted(const std::string& arguments) { return predicted(arguments).at(0); }

inline bool assumes(const Json& kernel, const std::string& what) {
  for (const Json& assumption : kernel.at("assumptions"))
    if (assumption.get<std::string>().find(what) != std::string::npos)
      return true;
  return false;
}

} // namespace kerncast::test
