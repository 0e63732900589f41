// Most tasks of a launch access nothing and have the rates of all: they are left out.
#include "sweep/hits.h"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "support/byte_parts.h"

namespace kerncast::app {
namespace {

using memory_model::HitRates;

struct RatesOfTask {
  std::uint64_t task = 0;
  HitRates rates;
};

struct RatesOfLaunch {
  HitRates rates;
  std::uint64_t tasks = 0;
  std::uint64_t partly_given = 0;
};

// As ranks of one program understand them.
template <class Plain> void append_plain(const Plain& plain, std::string& bytes) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  bytes.append(reinterpret_cast<const char*>(&plain), sizeof plain);
}

template <class Plain> Plain take_plain(std::string_view& bytes) {
  assert(bytes.size() >= sizeof(Plain) && "hit rates are decoded from all that they were encoded to");
  Plain plain;
  std::memcpy(&plain, bytes.data(), sizeof plain);
  bytes.remove_prefix(sizeof plain);
  return plain;
}

std::string encode_launch(const hit_rates::LaunchHits& hits) {
  assert(!hits.bounds && "hit rates of sweeps have no bounds");
  std::string bytes, of_tasks;
  append_plain(RatesOfLaunch{hits.rates, hits.by_task.size(), hits.partly_given}, bytes);
  for (std::uint64_t task = 0; task < hits.by_task.size(); ++task)
    if (hits.by_task[task] != hits.rates)
      append_plain(RatesOfTask{task, hits.by_task[task]}, of_tasks);
  append_part(of_tasks, bytes);
  for (const std::string& note : hits.notes)
    append_part(note, bytes);
  return bytes;
}

hit_rates::LaunchHits decode_launch(std::string_view bytes) {
  const auto launch = take_plain<RatesOfLaunch>(bytes);
  hit_rates::LaunchHits hits;
  hits.rates = launch.rates;
  hits.by_task.assign(launch.tasks, launch.rates);
  hits.partly_given = launch.partly_given != 0;
  for (std::string_view of_tasks = take_part(bytes); !of_tasks.empty();) {
    const auto one = take_plain<RatesOfTask>(of_tasks);
    hits.by_task[one.task] = one.rates;
  }
  while (!bytes.empty())
    hits.notes.emplace_back(take_part(bytes));
  return hits;
}

} // namespace

std::string encode(const Hits& hits) {
  std::string bytes;
  for (const std::optional<hit_rates::LaunchHits>& launch : hits)
    append_part(launch ? encode_launch(*launch) : "", bytes);
  return bytes;
}

Hits decode_hits(std::string_view bytes) {
  Hits hits;
  while (!bytes.empty()) {
    const std::string_view launch = take_part(bytes);
    hits.emplace_back();
    if (!launch.empty())
      hits.back() = decode_launch(launch);
  }
  return hits;
}

} // namespace kerncast::app
