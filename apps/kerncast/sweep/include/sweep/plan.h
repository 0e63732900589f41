// The points of a sweep: GPUs of the database with some of their keys changed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "configs/variants.h"
#include "sweep/fingerprint.h"
#include "sweep/sweep_file.h"

namespace kerncast::sweep {

struct Base {
  std::string name;
  configs::GpuVariants variants;
  std::map<std::string, double> numbers; // of its keys that are numbers, or true (1) and false (0)
};

struct Point {
  std::uint32_t base = 0;                 // index into Plan::bases
  std::vector<configs::Setting> settings; // keys ascending
};

// "dram.bandwidth_gbps=1555, l2.mib=40"; "" for a GPU as it is.
std::string text_of(const Point& point);

// The values of the keys of one point, for expressions.
using NumberOf = std::function<std::optional<double>(const std::string& name)>;

struct Plan {
  std::vector<Base> bases;
  std::vector<std::string> keys; // that are changed, ascending
  std::vector<Point> points;
  // The first so many are those of the axes; `varied[s][p]` is the p-th of them with the s-th sample of the
  // uncertain keys.
  std::size_t as_stated = 0;
  std::vector<std::vector<std::uint32_t>> varied;
  std::size_t repeated = 0; // points that were the same as others after rounding
  std::size_t refused = 0;  // points that the constraints leave out
  // Keys that change with others, so that only the resolved GPU knows them.
  std::set<std::string> following;

  Expected<configs::Gpu> gpu_of(const Point& point) const;
  // Of the keys at a point, which must outlive them. `of_gpu`: of keys that follow others, too, which takes
  // longer and is an error where there can be no such GPU.
  Expected<NumberOf> numbers_at(const Point& point, bool of_gpu) const;
};

// Reads the GPUs, finds every point and leaves out those that break a constraint.
Expected<Plan> make_plan(const SweepFile& sweep, const configs::ConfigPath& path);

// The number that a key's value is: 1 for true, 0 for false.
std::optional<double> as_number(const std::string& value);

// Numbers of a resolved GPU by key.
std::map<std::string, double> numbers_of(const configs::Gpu& gpu);

// Everything that the predictions of a GPU depend on, its ISA table included.
Fingerprint hash_of(const configs::Gpu& gpu);

} // namespace kerncast::sweep
