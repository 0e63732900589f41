// An application as its file states it: modules, buffers, and what happens in order (kerncast-app/1).
//
// Equal launches (kernel, geometry, arguments, facts, hit rates) are stored once; events refer to them by
// number. Kernel names are not yet looked up in the modules; places say where the file names them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "application/contents.h"
#include "memory_model/request.h"
#include "support/diagnostics.h"
#include "tasklist/image.h"
#include "tasklist/launch.h"
#include "timeline/rank_program.h"
#include "timeline/timeline.h"

namespace kerncast::application {

struct ModuleFile {
  std::filesystem::path path; // relative paths are relative to the application file's folder
  Place place;
};

struct Buffer {
  std::string name;
  std::uint64_t bytes = 0;
  Contents contents; // its path: like ModuleFile::path
  Place init_place;
};

struct DistinctLaunch {
  std::string kernel;
  tasklist::Launch launch;
  std::optional<memory_model::HitRates> hit_rates;
  std::uint64_t launches = 0; // how often it happens, repeats included
  Place kernel_place;         // of the kernel's name in the first event that launches it
  Place arguments_place;      // of that event's args, else of the name
};

// A memset that says which buffer it fills.
struct BufferFill {
  std::size_t event = 0; // index into Application::events
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint8_t value = 0;
};

struct Application {
  SourceText source; // for diagnostics that point into the file
  std::string name;
  std::vector<ModuleFile> modules;
  std::vector<Buffer> buffers;
  // Variables of the modules, .const and .global, and what the host copies there.
  std::vector<Buffer> variables;
  std::vector<tasklist::Image> textures;          // and surfaces; their handles: tasklist::image_handle
  std::optional<std::uint64_t> malloc_heap_bytes; // cudaLimitMallocHeapSize, where the host sets it
  std::vector<DistinctLaunch> launches;
  std::vector<timeline::Event> events; // of an application of one GPU
  std::vector<BufferFill> fills;       // in the order of their events
  std::vector<std::string> graphs;     // names, by the numbers of graph events
  std::uint32_t devices = 1;           // GPUs of the one process
  timeline::RankProgram program;       // of one of several ranks
};

} // namespace kerncast::application
