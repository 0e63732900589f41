// One command of the program: what it accepts and what runs it. Each lies in a file of its own.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "cli.h"
#include "cluster/cluster.h"
#include "configs/loader.h"
#include "outcome.h"

namespace kerncast::app {

// What commands share.
struct Session {
  const cluster::Cluster& cluster;
  configs::ConfigPath configs;
};

using Run = std::function<Outcome(const Session&)>;

// Adds the command to the command line; what it returns runs it after parsing.
struct Command {
  std::string_view name;
  std::string_view summary;
  Run (*add)(CLI::App& command);
};

Run add_check(CLI::App& command);
Run add_gpus(CLI::App& command);
Run add_microbench(CLI::App& command);
Run add_occupancy(CLI::App& command);
Run add_predict(CLI::App& command);
Run add_run(CLI::App& command);
Run add_scale(CLI::App& command);
Run add_tasklist(CLI::App& command);
Run add_validate(CLI::App& command);

std::span<const Command> commands();

} // namespace kerncast::app
