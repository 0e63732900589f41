// What logical processes send each other.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace kerncast::pdes {

using Time = std::int64_t; // in any unit; processes of one simulation share it
inline constexpr Time never = INT64_MAX;
using ProcessId = std::uint32_t;

// Happens at `time` in `target`. A process handles its events by time, then by source, then in the order in
// which the source sent them: an order that does not depend on who computed what when.
template <class Payload> struct Event {
  static_assert(std::is_trivially_copyable_v<Payload>, "events travel between ranks as bytes");
  Time time = 0;
  std::uint64_t sequence = 0; // of the source
  ProcessId source = 0;
  ProcessId target = 0;
  Payload payload{};

  friend bool operator<(const Event& a, const Event& b) {
    return std::tie(a.time, a.source, a.sequence) < std::tie(b.time, b.source, b.sequence);
  }
};

template <class Payload> bool is_later(const Event<Payload>& a, const Event<Payload>& b) { return b < a; }

} // namespace kerncast::pdes
