// The ranks of one job: the same command on every rank, work handed out in small messages.
//
// Under mpirun every rank reads the same files and makes the same plan. Rank 0 gives out numbers of
// workloads, the longest first, to whichever thread of whichever rank asks next; results come back along a
// tree to rank 0, which prints. Without mpirun there is one rank and no message.
// A rank that dies ends the job: the MPI runtime stops the others.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/simulate_sm.h"
#include "engine/sm_workload.h"

namespace kerncast::cluster {

// How a step of the command ended on a rank.
struct Status {
  int exit_code = 0;
  std::string message; // what stderr should say, complete lines
};

class Cluster {
public:
  // Joins the job if the process was started by an MPI launcher.
  Cluster(int& argc, char**& argv);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  int rank() const;
  int ranks() const;
  bool is_root() const { return rank() == 0; }

  // What all ranks should do next, called by all: the failure of the lowest rank that failed, else success.
  // Ranks that fail where others do not therefore end the whole run with their own message.
  Status agree(const Status& mine) const;

  // Rank 0's bytes on all ranks, called by all.
  std::string broadcast(std::string mine) const;

  // Every rank's bytes, by rank, on all ranks; called by all.
  std::vector<std::string> gather(std::string mine) const;

  // Simulates all workloads, which are equal on all ranks; called by all. On rank 0 the results in the order
  // of `workloads`; on the others nothing. Byte for byte the same for any number of ranks and threads.
  std::vector<engine::SmResult> run_workloads(std::span<const engine::SmWorkload* const> workloads,
                                              std::size_t threads,
                                              const engine::SimulateSm& simulate = engine::simulate_sm) const;

  // Ends the job on all ranks at once.
  [[noreturn]] void abort(int exit_code) const;

private:
  struct Mpi;
  std::unique_ptr<Mpi> mpi_; // null: one rank
};

} // namespace kerncast::cluster
