// Finds launches that were seen before: applications repeat few distinct launches many times.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "application/application.h"

namespace kerncast::application {

class LaunchSet {
public:
  // Number of the launch among the distinct ones. Counts `launch.launches` to it.
  std::uint32_t add(DistinctLaunch launch);
  // The launch of this number happens so many times more.
  void count(std::uint32_t number, std::uint64_t launches) { launches_[number].launches += launches; }
  std::vector<DistinctLaunch> take() { return std::move(launches_); }

private:
  std::vector<DistinctLaunch> launches_;
  std::unordered_map<std::string, std::uint32_t> numbers_; // by everything that makes a launch distinct
};

} // namespace kerncast::application
