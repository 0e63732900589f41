// Parts of a work that wait until each of `workers` threads of all ranks is at one: mpirun -n N
// parts_of_all_ranks FOLDER THREADS says what came of them, in their order. Without that it ends with exit
// code 1 after a minute.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cluster/cluster.h"

int main(int argc, char** argv) {
  using namespace kerncast;
  namespace fs = std::filesystem;
  const cluster::Cluster cluster(argc, argv);
  const fs::path folder = argv[1];
  const auto threads = static_cast<std::size_t>(std::atoi(argv[2]));
  const std::size_t workers = threads * static_cast<std::size_t>(cluster.ranks());
  const auto last = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  const auto at_work = [&] {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  };
  const std::vector<std::string> parts = cluster.compute(3 * workers, threads, [&](std::size_t part) {
    std::ofstream(folder / std::to_string(part)) << "begun";
    while (at_work() < workers && std::chrono::steady_clock::now() < last)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::to_string(part) + ' ';
  });
  for (const std::string& part : parts)
    std::fputs(part.c_str(), stdout);
  return std::chrono::steady_clock::now() < last ? 0 : 1;
}
