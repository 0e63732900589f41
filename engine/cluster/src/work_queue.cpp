#include "work_queue.h"

#include <chrono>
#include <thread>

namespace kerncast::cluster {
namespace {

constexpr int request_tag = 1;
constexpr int answer_tag = 2;
constexpr std::uint64_t no_index = UINT64_MAX;
// Between looks for requests; a worker waits at most so long longer, a small part of any simulation.
constexpr std::chrono::microseconds pause{50};

} // namespace

std::optional<std::size_t> WorkQueue::next() { return world_.rank() == 0 ? take() : ask_root(); }

std::optional<std::size_t> WorkQueue::take() {
  const std::size_t index = given_++;
  return index < count_ ? std::optional(index) : std::nullopt;
}

std::optional<std::size_t> WorkQueue::ask_root() {
  const std::lock_guard lock(asking_);
  if (exhausted_)
    return std::nullopt;
  world_.send(0, request_tag);
  std::uint64_t answer = 0;
  world_.recv(0, answer_tag, answer);
  exhausted_ = answer == no_index;
  return exhausted_ ? std::nullopt : std::optional<std::size_t>(answer);
}

void WorkQueue::serve() {
  for (int waiting = world_.size() - 1; waiting > 0;) {
    const boost::optional<boost::mpi::status> request = world_.iprobe(boost::mpi::any_source, request_tag);
    if (!request) {
      std::this_thread::sleep_for(pause);
      continue;
    }
    world_.recv(request->source(), request_tag);
    const std::optional<std::size_t> index = take();
    world_.send(request->source(), answer_tag, index ? std::uint64_t{*index} : no_index);
    if (!index)
      --waiting;
  }
}

} // namespace kerncast::cluster
