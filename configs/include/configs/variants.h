// One GPU of the database with other values of some keys, many times: its files are read once.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "configs/gpu.h"
#include "configs/loader.h"
#include "support/diagnostics.h"

namespace kerncast::configs {

class GpuVariants {
public:
  // `name_or_file` as load_gpu takes it. Fails if there is no such GPU; what is wrong in its files is said by
  // `with`.
  static Expected<GpuVariants> open(std::string_view name_or_file, const ConfigPath& path);

  // What load_gpu gives with these settings. May be called by several threads.
  Expected<Gpu> with(const std::vector<Setting>& settings) const;

  // Whether each key exists and takes its value; that they agree with each other is for `with` to say.
  Expected<void> check(const std::vector<Setting>& settings) const;

private:
  struct Files;
  explicit GpuVariants(std::shared_ptr<Files> files);
  std::shared_ptr<Files> files_; // what was read so far
};

} // namespace kerncast::configs
