// Units in groups that share what must be computed first: whoever worked on a group goes on with it, so that
// few workers compute that for many groups. Who has none left goes where most work is left per worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace kerncast::cluster {

class GroupedQueue {
public:
  struct Unit {
    std::uint32_t group = 0; // small numbers
    double cost = 0;         // expected, in any unit
  };
  // Units of a group are given out in this order.
  explicit GroupedQueue(const std::vector<Unit>& units);

  // The number of the next unit for a worker whose unit before was of that group, if it had one.
  std::optional<std::size_t> next(std::optional<std::uint32_t> before);

private:
  struct Group {
    std::vector<std::size_t> units;
    std::size_t given = 0;
    double left = 0; // cost
    double workers = 0;
    bool is_done() const { return given == units.size(); }
    double urgency() const { return left / (workers + 1); }
  };

  std::size_t take(std::uint32_t group);
  void remove(std::uint32_t group) { open_.erase({-groups_[group].urgency(), group}); }
  void add(std::uint32_t group) {
    if (!groups_[group].is_done())
      open_.emplace(-groups_[group].urgency(), group);
  }

  std::vector<double> cost_; // of units
  std::vector<Group> groups_;
  std::set<std::pair<double, std::uint32_t>> open_; // groups with units left, the most urgent first
};

} // namespace kerncast::cluster
