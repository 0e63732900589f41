// Work of which the first unit fails, while the other threads of the rank are told to ask again: says what
// failed and ends with exit code 3.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "cluster/distribution.h"

using namespace kerncast;

int main(int argc, char** argv) {
  const cluster::Cluster cluster(argc, argv);
  std::atomic<bool> given = false;
  try {
    cluster::distribute(cluster, {.threads = 2,
                                  .next = [&](const std::string&) -> cluster::Answer {
                                    using Kind = cluster::Answer::Kind;
                                    return {given.exchange(true) ? Kind::later : Kind::unit, {}};
                                  },
                                  .compute = [](const std::string&, const cluster::Emit&) -> std::string {
                                    std::this_thread::sleep_for(std::chrono::milliseconds(50));
                                    throw std::runtime_error("out of luck");
                                  },
                                  .deliver = [](const std::vector<std::string>&) {},
                                  .tick = [] {}});
  } catch (const std::runtime_error& error) {
    std::puts(error.what());
    return 3;
  }
  return 0;
}
