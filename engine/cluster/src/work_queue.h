// A dynamic queue over ranks: rank 0 counts, every thread of every rank asks for the next number.
//
// On rank 0 one thread answers the other ranks (`serve`) while its workers take numbers directly. On the
// other ranks a worker sends a request and waits for the answer, one at a time (MPI_THREAD_SERIALIZED).
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>

#include <boost/mpi/communicator.hpp>

namespace kerncast::cluster {

class WorkQueue {
public:
  WorkQueue(boost::mpi::communicator world, std::size_t count) : world_(std::move(world)), count_(count) {}

  // The next number, nothing when all are given out.
  std::optional<std::size_t> next();

  // Rank 0: answers the other ranks until each has been told that nothing is left.
  void serve();

private:
  std::optional<std::size_t> take();
  std::optional<std::size_t> ask_root();

  boost::mpi::communicator world_;
  std::size_t count_;
  std::atomic<std::size_t> given_ = 0; // rank 0
  std::mutex asking_;                  // other ranks
  bool exhausted_ = false;             // other ranks, guarded by asking_
};

} // namespace kerncast::cluster
