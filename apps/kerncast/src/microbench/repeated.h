// What repeating something in a kernel costs: the difference between many and few trips of its loop, so that
// everything around the loop drops out.
#pragma once

#include "laboratory.h"

namespace kerncast::app {

struct Repeated {
  std::string_view kernel; // its last parameter is the number of trips
  tasklist::Launch launch; // without that argument
  std::vector<std::uint64_t> buffers;
  std::vector<tasklist::Image> textures = {};
  std::uint32_t few = 16, many = 48;
  bool warm = false; // one CTA has been through a trip before, so that L2 holds what it touches
};

Expected<double> cycles_per_trip(const Laboratory& laboratory, const Repeated& repeated);

// As many CTAs of so many threads as an SM holds without shared memory and with few registers, on every SM.
std::uint32_t resident_ctas(const configs::Gpu& gpu, std::uint32_t threads);

} // namespace kerncast::app
