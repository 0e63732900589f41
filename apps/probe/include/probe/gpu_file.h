// A GPU file of what was measured: a description of the database, and the keys that differ.
#pragma once

#include <string>
#include <vector>

#include "probe/samples.h"

namespace kerncast::probe {

struct MeasuredKey {
  std::string key; // "l2.latency"
  Median median;
  std::string how; // "a walk through 2 MiB"
};

struct QueriedKey {
  std::string key;
  std::string value; // as TOML has it
};

struct MeasuredGpu {
  std::string product;
  std::string inherits; // name of the database
  std::string why;      // this one is inherited
  std::vector<QueriedKey> queried;
  std::vector<MeasuredKey> measured;
};

// The database's GPU of this compute capability that is nearest to any other of it; empty if there is none.
std::string base_of(int major, int minor);

std::string gpu_file(const MeasuredGpu& gpu);
// The measurements as a table for people.
std::string report(const MeasuredGpu& gpu);

} // namespace kerncast::probe
