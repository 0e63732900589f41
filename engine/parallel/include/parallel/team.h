// Threads that are asked again and again for a short time, as after every window of a simulation of logical
// processes: what run_workloads sets up once per call stays.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace kerncast::parallel {

class Team {
public:
  explicit Team(std::size_t threads); // 0: as many as the machine has
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  std::size_t threads() const;
  // Calls task(i) for i in [0, count); an exception of a task is thrown on. Whatever the workers are busy
  // with, the calling thread gets all done by itself: tasks must not wait for one another.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& task);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace kerncast::parallel
