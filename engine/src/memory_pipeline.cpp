// The SM's memory pipeline as a chain of finite-rate servers; see the header for what is left out.
#include "memory_pipeline.h"

#include <algorithm>

namespace kerncast::engine {
namespace {

// The largest of that share of the 2^64 draws; of none: 0, which is itself a draw, but one in 2^64.
std::uint64_t share_of_draws(double share) {
  constexpr double draws = 18446744073709551616.0; // 2^64
  return share >= 1 ? UINT64_MAX : static_cast<std::uint64_t>(std::max(0.0, share) * draws);
}

} // namespace

MemoryPipeline::MemoryPipeline(const SmConfig& config, const std::vector<memory_model::Request>& requests,
                               bool remote)
    : config_(config), port_free_at_(std::max(1U, config.memory_ports), 0),
      in_flight_limit_(config.in_flight_bytes) {
  if (remote)
    remote_.emplace(config.in_flight_bytes);
  requests_.reserve(requests.size());
  for (const memory_model::Request& request : requests)
    requests_.push_back(timed(request));
}

MemoryPipeline::Level MemoryPipeline::level_of(const memory_model::ServedBy& served,
                                               const memory_model::Request& request) const {
  Level level{
      .latency = to_time(served.latency),
      .l2_bytes = served.l2_bytes,
      .link = service_time(served.l2_bytes, config_.link_bytes_per_clock),
      .l2 = l2_service(l2_access(request, served.l2_bytes), config_.l2_bytes_per_clock, config_.l2_requests),
      .hottest =
          served.l2_bytes > 0 ? service_time(request.hottest_turns, config_.hottest_turns_per_clock) : 0,
      .dram = service_time(served.dram_bytes, config_.dram_bytes_per_clock),
      .dram_bytes = served.dram_bytes};
  if (request.ends_with_last_byte)
    level.latency += std::max({level.link, level.l2.data, level.l2.requests, level.dram});
  return level;
}

MemoryPipeline::Timed MemoryPipeline::timed(const memory_model::Request& request) const {
  Timed out{.wavefronts = request.wavefronts,
            .writes = request.writes,
            .hottest_turns = request.hottest_turns,
            .load_per_byte = engine::l2_load(l2_access(request, 1), config_.l2_requests)};
  const auto& [l1, l2, dram] = request.levels;
  if (l1.share + l2.share + dram.share == 0) {
    const double latency = request.latency + request.dram_share * config_.dram_queueing;
    out.levels[0] = level_of({1, latency, request.l2_bytes, request.dram_bytes}, request);
    out.below = {UINT64_MAX, UINT64_MAX};
    return out;
  }
  for (std::size_t i = 0; i < out.levels.size(); ++i)
    out.levels[i] = level_of(request.levels[i], request);
  out.levels.back().latency += to_time(config_.dram_queueing);
  out.below = {share_of_draws(l1.share), share_of_draws(l1.share + l2.share)};
  return out;
}

void MemoryPipeline::InFlight::push(const Miss& miss) {
  if (end_ - first_ == ring_.size()) {
    std::vector<Miss> larger(ring_.size() * 2);
    for (std::uint64_t i = first_; i < end_; ++i)
      larger[i & (larger.size() - 1)] = ring_[i & mask_];
    ring_ = std::move(larger);
    mask_ = ring_.size() - 1;
  }
  ring_[end_++ & mask_] = miss;
}

// Misses return in the order they left, so the oldest ones make room.
Time MemoryPipeline::admit_miss(double bytes, Time now) {
  while (!in_flight_.empty()) {
    const bool full = in_flight_bytes_ + bytes > in_flight_limit_;
    if (!full && in_flight_.front().done > now)
      break;
    now = std::max(now, full ? in_flight_.front().done : now);
    in_flight_bytes_ -= in_flight_.front().bytes;
    in_flight_.pop();
  }
  return now;
}

Time MemoryPipeline::serve_miss(const Level& level, std::uint32_t request, bool writes, Time now,
                                bool returns_data) {
  if (remote_)
    return remote_->take({.latency = level.latency,
                          .number = SmMiss::unawaited,
                          .writes = writes,
                          .l2_bytes = level.l2_bytes,
                          .dram_bytes = level.dram_bytes,
                          .request = request},
                         level.link, now, returns_data);
  const bool counted = returns_data && in_flight_limit_ > 0;
  if (counted)
    now = admit_miss(level.l2_bytes, now);
  const Time done = level.latency + std::max({admit(link_free_at_, level.link, now),
                                              admit(l2_, level.l2, now, config_.others_share),
                                              admit(hottest_, level.hottest, now, config_.others_share),
                                              admit(dram_, level.dram, now, config_.others_share)});
  if (counted) {
    in_flight_.push({done, level.l2_bytes});
    in_flight_bytes_ += level.l2_bytes;
  }
  return done;
}

Time MemoryPipeline::serve_known(std::uint32_t request, const KnownAccesses::Found& found, Time start,
                                 Time wavefront, bool returns_data) {
  const Timed& timed = requests_[request];
  const Time now = leave_port(start, timed.wavefronts, wavefront);
  if (found.where == KnownAccesses::Where::l1)
    return std::max(now + timed.levels[0].latency, found.at);
  if (found.where == KnownAccesses::Where::coming)
    return remote_->join();
  other_l2_bytes_ += found.l2_bytes;
  other_load_.data += timed.load_per_byte.data * found.l2_bytes;
  other_load_.requests += timed.load_per_byte.requests * found.l2_bytes;
  other_hottest_turns_ += timed.hottest_turns;
  return remote_->take(
      {.number = SmMiss::unawaited, .l2_bytes = found.l2_bytes, .access = found.access, .request = request},
      service_time(found.l2_bytes, config_.link_bytes_per_clock), now, returns_data);
}

Time MemoryPipeline::fetch(double bytes, double of_l2, Time now) {
  fetched_bytes_ += of_l2;
  Time& link_free_at = remote_ ? remote_->link_free_at() : link_free_at_;
  return std::max(admit(link_free_at, service_time(bytes, config_.link_bytes_per_clock), now),
                  admit(l2_, l2_service({of_l2}, config_.l2_bytes_per_clock, config_.l2_requests), now,
                        config_.others_share));
}

template <class Bytes> double MemoryPipeline::sum_of_levels(Bytes&& bytes) const {
  double sum = 0;
  for (const Timed& request : requests_)
    for (const Level& level : request.levels)
      sum += static_cast<double>(level.served) * bytes(request, level);
  return sum;
}

double MemoryPipeline::l2_bytes() const {
  return fetched_bytes_ + other_l2_bytes_ +
         sum_of_levels([](const Timed&, const Level& level) { return level.l2_bytes; });
}

L2Ways<double> MemoryPipeline::l2_load() const {
  const auto sum = [&](double L2Ways<double>::*way) {
    return other_load_.*way + engine::l2_load({fetched_bytes_}, config_.l2_requests).*way +
           sum_of_levels([way](const Timed& request, const Level& level) {
             return request.load_per_byte.*way * level.l2_bytes;
           });
  };
  return {sum(&L2Ways<double>::data), sum(&L2Ways<double>::requests)};
}

double MemoryPipeline::dram_bytes() const {
  return sum_of_levels([](const Timed&, const Level& level) { return level.dram_bytes; });
}

double MemoryPipeline::hottest_turns() const {
  return other_hottest_turns_ + sum_of_levels([](const Timed& request, const Level& level) {
           return level.l2_bytes > 0 ? request.hottest_turns : 0;
         });
}

Time MemoryPipeline::drained_at() const {
  return std::max({last_departure_, remote_ ? remote_->link_free_at() : link_free_at_, l2_.data.free_at,
                   l2_.requests.free_at, hottest_.free_at, dram_.free_at});
}

} // namespace kerncast::engine
