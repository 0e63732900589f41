// kerncast: predicts how long CUDA kernels and applications take on a GPU that is only described.
//
// Under mpirun every rank runs the same command; ranks agree on how it ended, and rank 0 prints.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "allocator/freed_memory.h"
#include "command_line.h"
#include "print.h"

namespace {

using namespace kerncast;

app::Outcome run(int argc, char** argv, const cluster::Cluster& cluster) {
  try {
    const app::Session session{cluster, configs::ConfigPath::standard()};
    return app::run_command_line({argv + 1, argv + argc}, session);
  } catch (const std::exception& e) {
    return {app::exit_internal, {}, std::string("error: internal: ") + e.what() + "\n", {}, false};
  }
}

} // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  cluster::Cluster cluster(argc, argv);
  app::Outcome outcome = run(argc, argv, cluster);
  if (outcome.exit_code == app::exit_internal && cluster.ranks() > 1) {
    // The other ranks may wait for this one in the middle of the command.
    std::fputs(outcome.err.c_str(), stderr);
    cluster.abort(app::exit_internal);
  }
  if (!outcome.agreed) {
    const cluster::Status status = cluster.agree({outcome.exit_code, outcome.err});
    if (status.exit_code != app::exit_done)
      outcome = {status.exit_code, {}, status.message, {}, true};
  }
  return cluster.is_root() ? app::print(outcome) : outcome.exit_code;
}
