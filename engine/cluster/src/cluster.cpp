// Boost.MPI carries numbers and results; all decisions are the same on every rank.
#include "cluster/cluster.h"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/utility.hpp>

#include "parallel/run.h"
#include "serialize.h"
#include "work_queue.h"

namespace kerncast::cluster {
namespace {

// Set by the launchers of Open MPI, MPICH and its relatives, PMIx and Slurm. Without a launcher MPI is left
// alone: joining it costs more than many predictions.
bool started_by_launcher() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"})
    if (std::getenv(variable) != nullptr)
      return true;
  return false;
}

using Completions = std::vector<parallel::Completed>;
using Answers = std::vector<std::pair<std::size_t, std::string>>;

// One value to MPI: a bare vector would be reduced element by element.
template <class Result> struct Batch {
  std::vector<Result> results;
  template <class Archive> void serialize(Archive& archive, unsigned) { archive& results; }
};

template <class Result> struct Concatenate {
  Batch<Result> operator()(Batch<Result> a, const Batch<Result>& b) const {
    a.results.insert(a.results.end(), b.results.begin(), b.results.end());
    return a;
  }
};

// Of all ranks, on rank 0; on the others nothing.
template <class Result>
std::vector<Result> collect(const boost::mpi::communicator& world, std::vector<Result> mine) {
  Batch<Result> all;
  if (world.rank() == 0)
    boost::mpi::reduce(world, Batch<Result>{std::move(mine)}, all, Concatenate<Result>(), 0);
  else
    boost::mpi::reduce(world, Batch<Result>{std::move(mine)}, Concatenate<Result>(), 0);
  return std::move(all.results);
}

// `work` takes numbers from the queue; rank 0 answers requests on the calling thread while it does.
void work_on(WorkQueue& queue, bool is_root, const std::function<void()>& work) {
  if (!is_root)
    return work();
  std::exception_ptr failure;
  std::thread workers([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  });
  queue.serve();
  workers.join();
  if (failure)
    std::rethrow_exception(failure);
}

// What `source` gives out.
Answers answers_to(const parallel::WorkSource& source, std::size_t threads,
                   const std::function<std::string(std::size_t)>& compute) {
  Answers answers;
  std::mutex mutex; // guards answers
  parallel::for_each_of(source, threads, [&](std::size_t number) {
    std::string answer = compute(number);
    const std::lock_guard lock(mutex);
    answers.emplace_back(number, std::move(answer));
  });
  return answers;
}

} // namespace

struct Cluster::Mpi {
  Mpi(int& argc, char**& argv) : environment(argc, argv, boost::mpi::threading::serialized) {}
  boost::mpi::environment environment;
  boost::mpi::communicator world;
};

Cluster::Cluster(int& argc, char**& argv)
    : mpi_(started_by_launcher() ? std::make_unique<Mpi>(argc, argv) : nullptr) {}

Cluster::~Cluster() = default;

int Cluster::rank() const { return mpi_ ? mpi_->world.rank() : 0; }

int Cluster::ranks() const { return mpi_ ? mpi_->world.size() : 1; }

Status Cluster::agree(const Status& mine) const {
  if (!mpi_)
    return mine;
  const int none = ranks();
  int first = none;
  boost::mpi::all_reduce(mpi_->world, mine.exit_code == 0 ? none : rank(), first, boost::mpi::minimum<int>());
  if (first == none)
    return {};
  Status decided = mine;
  boost::mpi::broadcast(mpi_->world, decided.exit_code, first);
  boost::mpi::broadcast(mpi_->world, decided.message, first);
  return decided;
}

std::string Cluster::broadcast(std::string mine) const {
  if (mpi_)
    boost::mpi::broadcast(mpi_->world, mine, 0);
  return mine;
}

std::vector<std::string> Cluster::gather(std::string mine) const {
  std::vector<std::string> all;
  if (mpi_)
    boost::mpi::all_gather(mpi_->world, mine, all);
  else
    all.push_back(std::move(mine));
  return all;
}

std::vector<engine::SmResult> Cluster::run_workloads(std::span<const engine::SmWorkload* const> workloads,
                                                     std::size_t threads,
                                                     const engine::SimulateSm& simulate) const {
  if (ranks() == 1)
    return parallel::run_workloads(workloads, threads, simulate);
  const parallel::WorkList list = parallel::make_work_list(workloads);
  WorkQueue queue(mpi_->world, list.distinct.size());
  Completions mine;
  work_on(queue, is_root(), [&] {
    mine = parallel::drain(
        list, [&] { return queue.next(); }, threads, simulate);
  });
  const Completions all = collect(mpi_->world, std::move(mine));
  return is_root() ? parallel::in_input_order(list, all) : std::vector<engine::SmResult>{};
}

std::vector<std::string> Cluster::compute(std::size_t count, std::size_t threads,
                                          const std::function<std::string(std::size_t)>& compute) const {
  Answers answers;
  if (ranks() == 1) {
    std::atomic<std::size_t> next = 0;
    const parallel::WorkSource source = [&]() -> std::optional<std::size_t> {
      const std::size_t number = next++;
      return number < count ? std::optional(number) : std::nullopt;
    };
    answers = answers_to(source, threads, compute);
  } else {
    WorkQueue queue(mpi_->world, count);
    work_on(queue, is_root(), [&] { answers = answers_to([&] { return queue.next(); }, threads, compute); });
    answers = collect(mpi_->world, std::move(answers));
  }
  std::vector<std::string> by_number(is_root() ? count : 0);
  for (auto& [number, answer] : answers)
    by_number[number] = std::move(answer);
  return by_number;
}

void Cluster::abort(int exit_code) const {
  if (mpi_)
    mpi_->environment.abort(exit_code);
  std::_Exit(exit_code);
}

} // namespace kerncast::cluster
