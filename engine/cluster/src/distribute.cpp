// On every rank workers compute; beside them a thread of rank 0 and of collectors listens. Whoever talks to
// other ranks does so alone (MPI_THREAD_SERIALIZED). Rank 0 sends nothing but answers, and waits for none of
// them to arrive; collectors send to rank 0 only: nobody waits for one that waits for it. Messages of a rank
// are heard in their order: results before "done".
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/request.hpp>
#include <boost/serialization/string.hpp>

#include "cluster/collectors.h"
#include "cluster/distribution.h"
#include "parallel/run.h"
#include "results.h"

namespace kerncast::cluster {
namespace {

constexpr int to_collector_tag = 11; // begins with its kind:
constexpr char result_byte = 'r', done_byte = 'd';
constexpr int to_worker_tag = 12;
constexpr int question_tag = 13;
// How long who delivers waits for results before it looks at the clock, and who listens for messages.
constexpr std::chrono::milliseconds tick_pause{100};
constexpr std::chrono::microseconds root_pause{200}, collector_listens{1000};

// How long a worker of rank 0 waits that is told to ask later.
constexpr std::chrono::milliseconds asks_own_rank_again{1};

using Next = std::function<Answer(const std::string& report)>;

// What failed first on any thread of a rank: the others may wait for what it should have done, and end.
class Failure {
public:
  bool is_there() const { return is_there_; }
  void guard(const std::function<void()>& run) {
    try {
      run();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!first_)
        first_ = std::current_exception();
      is_there_ = true;
    }
  }
  // When all threads have ended.
  void rethrow() const {
    if (first_)
      std::rethrow_exception(first_);
  }

private:
  std::mutex mutex_; // guards first_
  std::exception_ptr first_;
  std::atomic<bool> is_there_ = false;
};

// A thread beside the others of its rank; when it ends, an inbox loses a source.
std::jthread beside(Failure& failure, Inbox& inbox, std::function<void()> run) {
  return std::jthread([&failure, &inbox, run = std::move(run)] {
    failure.guard(run);
    inbox.finish_source();
  });
}

void work_on(const Distribution& work, const Next& next, std::chrono::milliseconds asks_again,
             const Emit& emit, const Failure& failure) {
  std::string report;
  for (Answer answer = next(report); answer.kind != Answer::Kind::nothing && !failure.is_there();
       answer = next(report)) {
    report.clear();
    if (answer.kind == Answer::Kind::unit)
      report = work.compute(answer.unit, emit);
    else
      std::this_thread::sleep_for(asks_again);
  }
}

std::size_t threads_of_rank(const Distribution& work) {
  return work.threads != 0 ? work.threads : std::max(1U, std::thread::hardware_concurrency());
}

std::size_t workers_of_root(const Distribution& work, int ranks) {
  constexpr std::size_t serving = 2; // who answers and who delivers
  const std::size_t threads = threads_of_rank(work);
  return ranks < work.root_serves_from ? threads : threads - std::min(serving, threads);
}

// Units on `count` threads, until there is no next one.
void run_workers(std::size_t count, const Distribution& work, const Next& next,
                 std::chrono::milliseconds asks_again, const Emit& emit, Failure& failure) {
  parallel::for_each_index(count, count, [&](std::size_t) {
    failure.guard([&] { work_on(work, next, asks_again, emit, failure); });
  });
}

Emit into(Inbox& inbox) {
  return [&inbox](std::string text) { inbox.put({std::move(text)}); };
}

// What this rank says and hears.
class Talk {
public:
  int collector() const { return collector_of(world_.rank(), world_.size()); }
  int senders() const { return senders_to(world_.rank(), world_.size()); }

  Answer ask_root(const std::string& report) {
    const std::lock_guard lock(mutex_);
    if (exhausted_)
      return {};
    world_.send(0, question_tag, report);
    std::string message;
    world_.recv(0, to_worker_tag, message);
    const auto kind = static_cast<Answer::Kind>(message.front());
    exhausted_ = kind == Answer::Kind::nothing;
    return {kind, message.substr(1)};
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

  // All ranks have been told that nothing is left.
  void end_answers() {
    const std::lock_guard lock(mutex_);
    for (auto& [rank, sending] : answers_)
      sending.wait();
  }

  // All messages that are there: answers to who asks, who waits for that, and when nobody does results to the
  // inbox; returns how many are done.
  int hear(Inbox& inbox, const Next& next) {
    int ended = 0;
    const std::lock_guard lock(mutex_);
    for (;;) {
      if (const auto asking = world_.iprobe(boost::mpi::any_source, question_tag)) {
        answer(asking->source(), next(receive(*asking)));
      } else if (const auto sending = world_.iprobe(boost::mpi::any_source, to_collector_tag)) {
        const std::string message = receive(*sending);
        if (message.front() == result_byte)
          inbox.put(unpack(std::string_view(message).substr(1)));
        else
          ++ended;
      } else {
        return ended;
      }
    }
  }

private:
  std::string receive(const boost::mpi::status& there) {
    std::string message;
    world_.recv(there.source(), there.tag(), message);
    return message;
  }
  void answer(int rank, const Answer& next) {
    answers_[rank].wait(); // that of its question before: it has arrived
    answers_[rank] = world_.isend(rank, to_worker_tag, static_cast<char>(next.kind) + next.unit);
  }

  boost::mpi::communicator world_;
  std::mutex mutex_; // guards what follows
  bool exhausted_ = false;
  std::map<int, boost::mpi::request> answers_; // under way, by rank
};

// Until all senders are done, or this rank ends the job because it failed.
void listen(Talk& talk, const Failure& failure, Inbox& inbox, const Next& next,
            std::chrono::microseconds pause) {
  for (int waiting = talk.senders(); waiting > 0 && !failure.is_there();) {
    const int ended = talk.hear(inbox, next);
    waiting -= ended;
    if (ended == 0)
      std::this_thread::sleep_for(pause);
  }
  if (!failure.is_there())
    talk.end_answers();
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

// On threads of their own: its workers, and who listens to other ranks, if anybody; on this one who receives
// what these put into the inbox, until both have ended.
struct Duties {
  std::function<void()> work;
  std::function<void()> listen = {};
  std::function<void()> receive;
};

void fulfil(const Duties& duties, Failure& failure, Inbox& inbox) {
  failure.guard([&] {
    const std::jthread workers = beside(failure, inbox, duties.work);
    std::jthread listener;
    failure.guard([&] { // the threads must see a failure before they are waited for
      if (duties.listen)
        listener = beside(failure, inbox, duties.listen);
      duties.receive();
    });
  });
  failure.rethrow();
}

void work_as_root(const Cluster& cluster, const Distribution& work) {
  std::mutex making;
  const Next next = [&](const std::string& report) {
    const std::lock_guard lock(making);
    return work.next(report);
  };
  const bool alone = cluster.ranks() == 1;
  const std::size_t workers = workers_of_root(work, cluster.ranks());
  Inbox inbox(alone ? 1 : 2);
  Failure failure;
  Duties duties = {
      .work = [&] { run_workers(workers, work, next, asks_own_rank_again, into(inbox), failure); },
      .receive = [&] { deliver_all(work, inbox); },
  };
  if (!alone)
    duties.listen = [&] {
      Talk talk;
      listen(talk, failure, inbox, next, root_pause);
    };
  fulfil(duties, failure, inbox);
}

void send_gathered(Talk& talk, Inbox& inbox) {
  Results results;
  for (bool more = true; more;) {
    more = inbox.gather(results, collector_pause);
    talk.send_results(results);
  }
}

// Passes on what it hears and what its own workers find.
void work_and_collect(Talk& talk, const Distribution& work) {
  Inbox inbox(2);
  const Next next = [&](const std::string& report) { return talk.ask_root(report); };
  Failure failure;
  const std::size_t workers = threads_of_rank(work);
  fulfil({.work = [&] { run_workers(workers, work, next, asks_root_again, into(inbox), failure); },
          .listen = [&] { listen(talk, failure, inbox, next, collector_listens); },
          .receive = [&] { send_gathered(talk, inbox); }},
         failure, inbox);
  talk.send_done();
}

void work_for_others(const Distribution& work) {
  Talk talk;
  if (talk.senders() > 0) {
    work_and_collect(talk, work);
    return;
  }
  Failure failure;
  run_workers(
      threads_of_rank(work), work, [&](const std::string& report) { return talk.ask_root(report); },
      asks_root_again, [&](const std::string& text) { talk.send_results({text}); }, failure);
  failure.rethrow();
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
