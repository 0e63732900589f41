// Reads application files (kerncast-app/1): one JSON document, or JSON lines with a header and then one
// event a line (the name, but for .zst, ends in .jsonl).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "application/application.h"
#include "support/diagnostics.h"

namespace kerncast::application {

inline constexpr std::string_view format_name = "kerncast-app/1";

// Beyond these a file is a mistake, not an application.
inline constexpr std::uint64_t max_bytes = std::uint64_t{1} << 50;  // of a buffer or a copy
inline constexpr std::uint64_t max_dynamic_shared_bytes = 16 << 20; // of a CTA
inline constexpr std::uint64_t max_registers = 255;                 // per thread, in the instruction encoding
inline constexpr std::uint64_t max_spill_store_bytes = 1U << 20;    // of a thread's code
inline constexpr std::uint64_t max_launches = 100'000'000;          // repeats included
inline constexpr std::uint64_t max_stream = 1'000'000;
inline constexpr std::uint64_t max_graph_streams = 1000; // of one graph
inline constexpr std::uint64_t max_graph_launch_streams =
    40; // that graphs with several streams are launched to
inline constexpr std::int64_t max_stride_bytes = std::int64_t{1} << 40; // from lane to lane
inline constexpr std::uint64_t max_loop_trips = 1'000'000'000'000;
inline constexpr std::uint64_t max_ranks = 65536;
inline constexpr std::uint64_t max_repeated_events = 10'000'000; // of a rank; of all graphs' launches
// Of all ranks together: what each does, some 5 GB of exchanges; and events that differ from rank to rank,
// some 1 GB.
inline constexpr std::uint64_t max_events_of_ranks = 200'000'000;
inline constexpr std::uint64_t max_different_events = 20'000'000;

// What takes the place of what an application of several ranks states.
struct RankOptions {
  std::optional<std::uint32_t> ranks;
  std::map<std::string, std::string> let; // expressions of numbers that its `let` defines
  std::set<std::string> grow_with_ranks;  // of these numbers: stated for one rank
};

// Every error of the file up to the limit (0: all).
Expected<Application> read_application(SourceText source, std::size_t error_limit = 20,
                                       const RankOptions& ranks = {});

// Likewise, and checks that the files it names for buffers are there and of the right size.
Expected<Application> load_application(SourceText source, std::size_t error_limit = 20,
                                       const RankOptions& ranks = {});

} // namespace kerncast::application
