// The options of kerncast predict, checked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "application/read.h"
#include "cli.h"
#include "gpu_options.h"
#include "support/diagnostics.h"
#include "tasklist/launch.h"

namespace kerncast::app {

class Simulations;

// As the command line gives them.
struct PredictWords {
  std::string input;
  GpuOptions gpus;
  std::string model;
  std::string kernel;
  std::string entry;
  std::string grid;
  std::string block;
  std::vector<std::string> arguments;
  std::vector<std::string> branches, loops, addresses, buffer_addresses; // facts about what depends on data
  std::string cluster_ctas;
  std::string dynamic_smem;
  std::string registers;
  std::string spill_stores;
  std::string divisions;
  std::string l1_hit;
  std::string l2_hit;
  std::string assume_unknown;
  std::vector<std::string> without;
  std::string sample_ctas;
  std::string sample_launches;
  std::string repeat;
  std::string threads;
  std::string error_limit;
  std::string json;
  std::string timeline;
  std::string timeline_of;
  std::string cache;
  std::string fidelity;
  std::string cluster;
  std::string ranks;
  std::vector<std::string> let; // NAME=EXPRESSION
  bool average_hits = false;
  bool exact = false;
  bool explain = false;
  bool what_if = false;
  bool no_interval = false;
  bool strict = false;
  bool occupancy_curve = false;
};

// Whose timeline a trace is; unsaid: the SM's of a single kernel, else the application's.
enum class TimelineOf : std::uint8_t { unsaid, application, sm };

struct PredictOptions {
  std::string input;
  std::string model; // empty: the input's default
  std::string kernel;
  std::string entry;                        // which PTX of a container
  std::optional<tasklist::Launch> launch;   // of --grid, --block and what belongs to them
  std::vector<application::Buffer> buffers; // of --arg
  std::vector<tasklist::Image> textures;    // likewise
  std::uint64_t repeat = 1;                 // launches of it in a row
  bool launch_options = false;              // some option describes a launch
  std::optional<double> l1_hit;
  std::optional<double> l2_hit;
  std::optional<std::string> assume_unknown;
  std::vector<std::string> without; // steps of lowering that are left out
  std::optional<std::uint32_t> sample_ctas;
  std::optional<std::uint32_t> sample_launches; // of a kernel; all if it has no value
  std::size_t threads = 0;                      // 0: as many as the machine has
  std::size_t error_limit = 20;
  std::string json;
  std::string timeline; // file; empty: none
  TimelineOf timeline_of = TimelineOf::unsaid;
  std::string cache;   // folder of results; empty: none
  std::string cluster; // description; empty: one GPU
  application::RankOptions ranks;
  bool whole_gpu = false;    // --fidelity gpu
  bool average_hits = false; // AMAT
  bool exact = false;
  bool explain = false;
  bool what_if = false;
  bool interval = false; // how sure each launch is
  bool slow_divisions = false;
  bool strict = false;
  bool occupancy_curve = false;
  // What other predictions have simulated; null: nothing, or what --cache has kept.
  std::shared_ptr<Simulations> simulations;
};

// --kernel, --grid, --block, --arg and what else describes the launch of a PTX file's kernel.
void add_launch_options(CLI::App& command, PredictWords& words);
// --branch, --loop, --addresses, --buffer-addresses: what is known of its branches and accesses that depend
// on data.
void add_fact_options(CLI::App& command, PredictWords& words);

// --let: what an application of several ranks leaves open.
void add_rank_options(CLI::App& command, PredictWords& words);

// Every value that is out of bounds is an error of its own.
Expected<PredictOptions> check_options(const PredictWords& words);

} // namespace kerncast::app
