// Boost.MPI carries numbers and results; all decisions are the same on every rank.
#include "cluster/cluster.h"

#include <cstdlib>
#include <exception>
#include <iterator>
#include <thread>
#include <utility>

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/serialization/string.hpp>

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

// One value to MPI: a bare vector would be reduced element by element.
struct Batch {
  Completions results;
  template <class Archive> void serialize(Archive& archive, unsigned) { archive& results; }
};

struct Concatenate {
  Batch operator()(Batch a, const Batch& b) const {
    a.results.insert(a.results.end(), b.results.begin(), b.results.end());
    return a;
  }
};

// Rank 0 answers requests on the calling thread while its workers run beside it.
Completions drain_as_root(const parallel::WorkList& list, WorkQueue& queue, std::size_t threads,
                          const engine::SimulateSm& simulate) {
  Completions mine;
  std::exception_ptr failure;
  std::thread workers([&] {
    try {
      mine = parallel::drain(
          list, [&] { return queue.next(); }, threads, simulate);
    } catch (...) {
      failure = std::current_exception();
    }
  });
  queue.serve();
  workers.join();
  if (failure)
    std::rethrow_exception(failure);
  return mine;
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
  const Batch mine{is_root() ? drain_as_root(list, queue, threads, simulate)
                             : parallel::drain(
                                   list, [&] { return queue.next(); }, threads, simulate)};
  if (!is_root()) {
    boost::mpi::reduce(mpi_->world, mine, Concatenate(), 0);
    return {};
  }
  Batch all;
  boost::mpi::reduce(mpi_->world, mine, all, Concatenate(), 0);
  return parallel::in_input_order(list, all.results);
}

void Cluster::abort(int exit_code) const {
  if (mpi_)
    mpi_->environment.abort(exit_code);
  std::_Exit(exit_code);
}

} // namespace kerncast::cluster
