// The applications of a sweep with all that no GPU changes: lowered kernels and what their launches do. A
// rank prepares those whose rows it computes.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "predict/input.h"
#include "sweep/fingerprint.h"
#include "sweep/stop_request.h"
#include "sweep/sweep_file.h"
#include "tasklist/behaviour.h"

namespace kerncast::app {

// What all ranks know of an application.
struct ApplicationFacts {
  std::string name;
  std::string contents; // fingerprint of all files that it consists of
  double warps = 0;     // launched in all: which applications take longest
};

struct SweepApplication {
  PredictInput input;
  std::vector<tasklist::LaunchBehaviour> behaviours; // of input.launches
  ApplicationFacts facts;
};

// Null if it was asked to stop before the application was ready.
using ReadyApplication = std::shared_ptr<const SweepApplication>;

class Applications {
public:
  explicit Applications(const sweep::SweepFile& sweep);

  std::size_t count() const { return slots_.size(); }
  // By any thread: the first who asks prepares it, the others wait. Every error of its file and launches.
  Expected<ReadyApplication> get(std::size_t number, std::size_t threads, const StopRequest& stop);

private:
  struct Slot {
    sweep::Text file;
    std::mutex preparing;
    ReadyApplication ready; // guarded by preparing
  };

  std::shared_ptr<const SourceText> sweep_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

// Reads the files only.
Expected<std::vector<PredictInput>> read_applications(const sweep::SweepFile& sweep, std::size_t threads);

// That a second application has the name of an earlier one.
Diagnostic repeated_name(const SourceText& sweep, const sweep::Text& file, const std::string& name);

} // namespace kerncast::app
