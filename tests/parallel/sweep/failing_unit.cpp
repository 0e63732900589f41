// Work of which a part fails, on one thread of rank 0, while all others would go on: says what failed and
// ends the job with exit code 3.
//
//   failing_unit unit                    the first unit, while other threads are told to ask again
//   failing_unit delivery                what keeps the results
//   mpirun -n 2 failing_unit question    the answer to another rank
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "cluster/distribution.h"

using namespace kerncast;

int main(int argc, char** argv) {
  const cluster::Cluster cluster(argc, argv);
  const std::string_view failing = argv[1];
  const auto fail_if = [&](std::string_view part) {
    if (failing == part)
      throw std::runtime_error("out of luck");
  };
  std::atomic<int> asked = 0;
  try {
    cluster::distribute(cluster,
                        {.threads = 2,
                         .next = [&](const std::string&) -> cluster::Answer {
                           using Kind = cluster::Answer::Kind;
                           if (++asked > 100)
                             fail_if("question");
                           return {failing == "unit" && asked > 1 ? Kind::later : Kind::unit, {}};
                         },
                         .compute = [&](const std::string&, const cluster::Emit& emit) -> std::string {
                           std::this_thread::sleep_for(std::chrono::milliseconds(50));
                           fail_if("unit");
                           emit("result");
                           return {};
                         },
                         .deliver = [&](const std::vector<std::string>&) { fail_if("delivery"); },
                         .tick = [] {}});
  } catch (const std::runtime_error& error) {
    std::puts(error.what());
    std::fflush(stdout);
    if (cluster.ranks() > 1)
      cluster.abort(3);
    return 3;
  }
  return 0;
}
