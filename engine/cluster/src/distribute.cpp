// Rank 0 listens on the calling thread while its workers run beside it; the other ranks' workers ask one at a
// time (MPI_THREAD_SERIALIZED). Messages of a rank are heard in their order: results before "done".
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include <boost/mpi/communicator.hpp>
#include <boost/serialization/string.hpp>

#include "cluster/distribution.h"
#include "parallel/run.h"

namespace kerncast::cluster {
namespace {

constexpr int to_root_tag = 11;
constexpr int to_worker_tag = 12;
// A message begins with its kind.
constexpr char ask = 'a', result = 'r', done = 'd', unit = 'u', nothing_left = 'n';
// How long rank 0 waits for results of its own threads before it looks elsewhere.
constexpr std::chrono::milliseconds alone_pause{100};
constexpr std::chrono::microseconds listening_pause{200};

// `loop` once on each thread.
void run_loops(std::size_t threads, const std::function<void()>& loop) {
  const std::size_t count = threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  parallel::for_each_index(count, count, [&](std::size_t) { loop(); });
}

// Results on their way to the thread that delivers them.
class Inbox {
public:
  void put(std::string text) {
    {
      const std::lock_guard lock(mutex_);
      results_.push_back(std::move(text));
    }
    arrived_.notify_one();
  }
  void finish() {
    {
      const std::lock_guard lock(mutex_);
      finished_ = true;
    }
    arrived_.notify_one();
  }
  // What is there, after waiting for it at most so long; whether more may come.
  template <class Pause> bool take(std::deque<std::string>& taken, Pause pause) {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, pause, [&] { return !results_.empty() || finished_; });
    taken.swap(results_);
    return !finished_ || !taken.empty();
  }

private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::string> results_;
  bool finished_ = false;
};

// The threads of rank 0, beside the one that listens.
class OwnWorkers {
public:
  OwnWorkers(const Distribution& work, Inbox& inbox, std::mutex& making)
      : thread_([&] {
          try {
            run_loops(work.threads, [&] {
              while (const std::optional<std::string> next = next_of(work, making))
                work.compute(*next, [&](std::string text) { inbox.put(std::move(text)); });
            });
          } catch (...) {
            failure_ = std::current_exception();
          }
          inbox.finish();
        }) {}
  void join() {
    thread_.join();
    if (failure_)
      std::rethrow_exception(failure_);
  }

  static std::optional<std::string> next_of(const Distribution& work, std::mutex& making) {
    const std::lock_guard lock(making);
    return work.next();
  }

private:
  std::exception_ptr failure_;
  std::thread thread_; // last: it uses the other members
};

// One message of another rank, if there is one. `waiting`: ranks that are not done.
bool listen(const boost::mpi::communicator& world, const Distribution& work, std::mutex& making,
            int& waiting) {
  const boost::optional<boost::mpi::status> status = world.iprobe(boost::mpi::any_source, to_root_tag);
  if (!status)
    return false;
  std::string message;
  world.recv(status->source(), to_root_tag, message);
  if (message.front() == result) {
    work.deliver(message.substr(1));
  } else if (message.front() == ask) {
    const std::optional<std::string> next = OwnWorkers::next_of(work, making);
    world.send(status->source(), to_worker_tag, next ? unit + *next : std::string(1, nothing_left));
  } else {
    --waiting;
  }
  return true;
}

void work_for_root(const boost::mpi::communicator& world, const Distribution& work) {
  std::mutex talking;
  bool exhausted = false; // guarded by `talking`
  const auto next = [&]() -> std::optional<std::string> {
    const std::lock_guard lock(talking);
    if (exhausted)
      return std::nullopt;
    world.send(0, to_root_tag, std::string(1, ask));
    std::string answer;
    world.recv(0, to_worker_tag, answer);
    exhausted = answer.front() == nothing_left;
    return exhausted ? std::nullopt : std::optional(answer.substr(1));
  };
  run_loops(work.threads, [&] {
    while (const std::optional<std::string> taken = next())
      work.compute(*taken, [&](const std::string& text) {
        const std::lock_guard lock(talking);
        world.send(0, to_root_tag, result + text);
      });
  });
  world.send(0, to_root_tag, std::string(1, done));
}

} // namespace

void distribute(const Cluster& cluster, const Distribution& work) {
  if (!cluster.is_root())
    return work_for_root({}, work);
  Inbox inbox;
  std::mutex making;
  OwnWorkers workers(work, inbox, making);
  int waiting = cluster.ranks() - 1;
  for (bool own = true; own || waiting > 0;) {
    std::deque<std::string> results;
    own = waiting > 0 ? inbox.take(results, listening_pause) : inbox.take(results, alone_pause);
    for (const std::string& text : results)
      work.deliver(text);
    while (waiting > 0 && listen({}, work, making, waiting)) {
    }
    work.tick();
  }
  workers.join();
}

} // namespace kerncast::cluster
