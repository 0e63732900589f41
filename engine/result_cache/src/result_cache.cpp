// A lost or unreadable file costs one simulation and nothing else, so that errors after opening are not
// reported and nothing is flushed to the disk.
#include "result_cache/result_cache.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "encode.h"
#include "engine/simulate_sm.h"
#include "simulator_version.h"
#include "support/files.h"

namespace kerncast::engine {
namespace {

namespace fs = std::filesystem;

// Workloads of fewer instructions are simulated faster than a file is read.
constexpr std::uint64_t instructions_worth_storing = 4096;
constexpr std::uintmax_t largest_result_bytes = std::uintmax_t{1} << 28;

struct StoredFile {
  fs::path path;
  fs::file_time_type used;
  std::uint64_t bytes = 0;
};

constexpr std::string_view results_prefix = "kerncast-results-";

void add_files_of(const fs::path& results, std::vector<StoredFile>& files) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(results, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone; // another process may remove it meanwhile
    if (!at->is_regular_file(gone))
      continue;
    StoredFile file{at->path(), at->last_write_time(gone), at->file_size(gone)};
    if (!gone)
      files.push_back(std::move(file));
  }
}

// Of all simulators, and nothing else that may lie in the user's folder.
std::vector<StoredFile> stored_files(const fs::path& folder) {
  std::vector<StoredFile> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with(results_prefix))
      add_files_of(at->path(), files);
  return files;
}

// Of a file that no other thread or process writes.
std::string unfinished_suffix() {
  static std::atomic<std::uint64_t> files = 0;
  return fmt::format(".{}-{}", ::getpid(), files++);
}

} // namespace

ResultCache::ResultCache(fs::path folder, std::uint64_t max_bytes)
    : folder_(std::move(folder)), results_(folder_ / fmt::format("{}{}", results_prefix, simulator_version)),
      max_bytes_(max_bytes) {}

Expected<ResultCache> ResultCache::open(const fs::path& folder, std::uint64_t max_bytes) {
  ResultCache cache(folder, max_bytes);
  std::error_code error;
  fs::create_directories(cache.results_, error);
  if (error || ::access(cache.results_.c_str(), W_OK) != 0)
    return fail(fmt::format("--cache: nothing can be written to {}", folder.string()),
                "name a folder that can be written to, or one that can be created");
  return cache;
}

fs::path ResultCache::file_of(const WorkloadKey& key) const {
  // Folders of 256 keep directories short.
  return results_ / fmt::format("{:02x}", key.high >> 56) / fmt::format("{:016x}{:016x}", key.high, key.low);
}

SmResult ResultCache::simulate(const SmWorkload& workload) const {
  if (expected_instructions(workload) < instructions_worth_storing)
    return simulate_sm(workload);
  const WorkloadKey key = workload_key(workload);
  if (std::optional<SmResult> stored = find(key))
    return *std::move(stored);
  SmResult result = simulate_sm(workload);
  store(key, result);
  return result;
}

std::optional<SmResult> ResultCache::find(const WorkloadKey& key) const {
  const fs::path path = file_of(key);
  std::error_code error;
  if (!fs::exists(path, error))
    return std::nullopt;
  const Expected<std::string> bytes = read_file(path, largest_result_bytes);
  if (!bytes)
    return std::nullopt;
  std::optional<SmResult> result = decode(key, *bytes);
  if (result)
    fs::last_write_time(path, fs::file_time_type::clock::now(), error); // used now: trim takes others first
  return result;
}

void ResultCache::store(const WorkloadKey& key, const SmResult& result) const {
  const fs::path path = file_of(key);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const fs::path unfinished = path.string() + unfinished_suffix();
  {
    std::ofstream out(unfinished, std::ios::binary);
    out << encode(key, result);
    out.close();
    if (!out) {
      fs::remove(unfinished, error);
      return;
    }
  }
  fs::rename(unfinished, path, error);
  if (error)
    fs::remove(unfinished, error);
}

void ResultCache::trim() const {
  std::vector<StoredFile> files = stored_files(folder_);
  std::uint64_t bytes = 0;
  for (const StoredFile& file : files)
    bytes += file.bytes;
  if (bytes <= max_bytes_)
    return;
  std::sort(files.begin(), files.end(), [](const StoredFile& a, const StoredFile& b) {
    return a.used != b.used ? a.used < b.used : a.path < b.path;
  });
  for (const StoredFile& file : files) {
    if (bytes <= max_bytes_)
      return;
    std::error_code error;
    if (fs::remove(file.path, error))
      bytes -= file.bytes;
  }
}

} // namespace kerncast::engine
