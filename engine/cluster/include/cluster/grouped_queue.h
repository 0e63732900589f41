// Units in groups that share what must be found first: one worker finds it, and only then others get units of
// the group. Whoever worked on a group goes on with it, so that few workers prepare for many groups. Who has
// none left finds what nobody does yet, else goes where most work is left per worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace kerncast::cluster {

class GroupedQueue {
public:
  struct Unit {
    std::uint32_t group = 0; // small numbers
    double cost = 0;         // expected, in any unit
  };
  // What a worker does next.
  struct Task {
    enum class Kind : std::uint8_t {
      unit,    // of a group with several units when what they share is found
      find,    // what the units of a group share; then it asks for the next task
      later,   // there are units when what they share is found
      nothing, // all are given out
    };
    Kind kind = Kind::nothing;
    std::size_t unit = 0; // its number; `find`: of one of the group
  };
  // Units of a group are given out in this order.
  explicit GroupedQueue(const std::vector<Unit>& units);

  // For a worker whose task before was of that group, if it had one.
  Task next(std::optional<std::uint32_t> before);

  // A worker was told to find what the group shares, and it is not there yet.
  bool is_awaited(std::uint32_t group) const { return groups_[group].shared == Shared::awaited; }
  void found(std::uint32_t group);
  // All its units are given out.
  bool is_done(std::uint32_t group) const { return groups_[group].is_done(); }

private:
  enum class Shared : std::uint8_t { missing, awaited, found };
  struct Group {
    std::vector<std::size_t> units;
    std::size_t given = 0;
    double left = 0; // cost
    double workers = 0;
    Shared shared = Shared::missing;
    bool is_done() const { return given == units.size(); }
    double urgency() const { return left / (workers + 1); }
  };
  using Order = std::tuple<Shared, double, std::uint32_t>; // missing is before found

  Order order(std::uint32_t group) const { return {groups_[group].shared, -groups_[group].urgency(), group}; }
  Task take(std::uint32_t group);
  void remove(std::uint32_t group) { open_.erase(order(group)); }
  void add(std::uint32_t group) {
    if (!groups_[group].is_done() && !is_awaited(group))
      open_.insert(order(group));
  }

  std::vector<double> cost_; // of units
  std::vector<Group> groups_;
  std::set<Order> open_;    // groups that a worker may go to
  std::size_t awaited_ = 0; // groups
};

} // namespace kerncast::cluster
