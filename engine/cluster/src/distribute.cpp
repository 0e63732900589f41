// On every rank workers compute; beside them a thread of rank 0 and of collectors listens. Whoever talks to
// other ranks does so alone (MPI_THREAD_SERIALIZED). Rank 0 sends nothing but short answers to ranks that
// wait for them, collectors send to rank 0 only: nobody waits for one that waits for it. Messages of a rank
// are heard in their order: results before "done".
#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include <boost/mpi/communicator.hpp>
#include <boost/serialization/string.hpp>

#include "cluster/collectors.h"
#include "cluster/distribution.h"
#include "parallel/run.h"
#include "results.h"

namespace kerncast::cluster {
namespace {

constexpr int to_collector_tag = 11;
constexpr int to_worker_tag = 12;
// A message begins with its kind.
constexpr char ask_byte = 'a', result_byte = 'r', done_byte = 'd', unit_byte = 'u', nothing_left_byte = 'n';
// How long who delivers waits for results before it looks at the clock, and who listens for messages.
constexpr std::chrono::milliseconds tick_pause{100};
constexpr std::chrono::microseconds root_pause{200}, collector_listens{1000};

using Next = std::function<std::optional<std::string>(const std::string& before)>;

// Units on all threads, until there is no next one; then an inbox loses a source.
class Workers {
public:
  Workers(const Distribution& work, Next next, Inbox& inbox)
      : thread_([&work, next = std::move(next), &inbox, this] {
          try {
            run(work, next, [&](std::string text) { inbox.put({std::move(text)}); });
          } catch (...) {
            failure_ = std::current_exception();
          }
          inbox.finish_source();
        }) {}
  void join() {
    thread_.join();
    if (failure_)
      std::rethrow_exception(failure_);
  }

  static void run(const Distribution& work, const Next& next, const Emit& emit) {
    const std::size_t count =
        work.threads != 0 ? work.threads : std::max(1U, std::thread::hardware_concurrency());
    parallel::for_each_index(count, count, [&](std::size_t) {
      std::optional<std::string> taken;
      while ((taken = next(taken.value_or(""))))
        work.compute(*taken, emit);
    });
  }

private:
  std::exception_ptr failure_;
  std::thread thread_; // last: it uses the other members
};

// What this rank says and hears.
class Talk {
public:
  int collector() const { return collector_of(world_.rank(), world_.size()); }
  int senders() const { return senders_to(world_.rank(), world_.size()); }

  // Rank 0's next unit.
  std::optional<std::string> ask_root(const std::string& before) {
    const std::lock_guard lock(mutex_);
    if (exhausted_)
      return std::nullopt;
    world_.send(0, to_collector_tag, ask_byte + before);
    std::string answer;
    world_.recv(0, to_worker_tag, answer);
    exhausted_ = answer.front() == nothing_left_byte;
    return exhausted_ ? std::nullopt : std::optional(answer.substr(1));
  }
  void send_results(const Results& results) {
    if (results.empty())
      return;
    std::string message(1, result_byte);
    pack(results, message);
    const std::lock_guard lock(mutex_);
    world_.send(collector(), to_collector_tag, message);
  }
  void send_done() {
    const std::lock_guard lock(mutex_);
    world_.send(collector(), to_collector_tag, std::string(1, done_byte));
  }

  // All messages that are there: results to the inbox, answers to who asks; returns how many are done.
  int hear(Inbox& inbox, const Next& next) {
    int ended = 0;
    const std::lock_guard lock(mutex_);
    while (const boost::optional<boost::mpi::status> status =
               world_.iprobe(boost::mpi::any_source, to_collector_tag)) {
      std::string message;
      world_.recv(status->source(), to_collector_tag, message);
      if (message.front() == result_byte)
        inbox.put(unpack(std::string_view(message).substr(1)));
      else if (message.front() == ask_byte)
        answer(status->source(), next(message.substr(1)));
      else
        ++ended;
    }
    return ended;
  }

private:
  void answer(int rank, const std::optional<std::string>& next) {
    world_.send(rank, to_worker_tag, next ? unit_byte + *next : std::string(1, nothing_left_byte));
  }

  boost::mpi::communicator world_;
  std::mutex mutex_;
  bool exhausted_ = false; // guarded by mutex_
};

// Until all senders are done.
void listen(Talk& talk, Inbox& inbox, const Next& next, std::chrono::microseconds pause) {
  for (int waiting = talk.senders(); waiting > 0;) {
    const int ended = talk.hear(inbox, next);
    waiting -= ended;
    if (ended == 0)
      std::this_thread::sleep_for(pause);
  }
  inbox.finish_source();
}

void deliver_all(const Distribution& work, Inbox& inbox) {
  Results results;
  while (inbox.take(results, tick_pause)) {
    if (!results.empty())
      work.deliver(results);
    work.tick();
  }
  work.tick();
}

void work_as_root(const Cluster& cluster, const Distribution& work) {
  std::mutex making;
  const Next next = [&](const std::string& before) -> std::optional<std::string> {
    const std::lock_guard lock(making);
    return work.next(before);
  };
  const bool alone = cluster.ranks() == 1;
  Inbox inbox(alone ? 1 : 2);
  Workers workers(work, next, inbox);
  std::thread listener;
  if (!alone)
    listener = std::thread([&] {
      Talk talk;
      listen(talk, inbox, next, root_pause);
    });
  deliver_all(work, inbox);
  if (listener.joinable())
    listener.join();
  workers.join();
}

// Passes on what it hears and what its own workers find.
void work_and_collect(Talk& talk, const Distribution& work) {
  Inbox inbox(2);
  const Next next = [&](const std::string& before) { return talk.ask_root(before); };
  Workers workers(work, next, inbox);
  std::thread listener([&] { listen(talk, inbox, next, collector_listens); });
  Results results;
  for (bool more = true; more;) {
    more = inbox.gather(results, collector_pause);
    talk.send_results(results);
  }
  listener.join();
  talk.send_done();
  workers.join();
}

void work_for_others(const Distribution& work) {
  Talk talk;
  if (talk.senders() > 0) {
    work_and_collect(talk, work);
    return;
  }
  Workers::run(
      work, [&](const std::string& before) { return talk.ask_root(before); },
      [&](const std::string& text) { talk.send_results({text}); });
  talk.send_done();
}

} // namespace

void distribute(const Cluster& cluster, const Distribution& work) {
  if (cluster.is_root())
    work_as_root(cluster, work);
  else
    work_for_others(work);
}

} // namespace kerncast::cluster
