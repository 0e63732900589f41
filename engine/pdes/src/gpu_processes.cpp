#include "gpu_processes.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "caches/sectored_cache.h"
#include "engine/l2_rates.h"

namespace kerncast::pdes {

using engine::admit;
using engine::l2_service;
using engine::service_time;
using Kind = GpuMessage::Kind;

namespace {

// An access goes to slices by lines.
constexpr std::uint32_t line_bytes = 128;

bool is_far(const GpuSurroundings& gpu, std::uint32_t slice, std::uint32_t sm) {
  return slice % gpu.partitions != sm % gpu.partitions;
}

// Of as many neighbouring lines as there are slices one goes to each, in an order that a hash turns.
std::uint32_t slice_of(std::uint64_t run, std::uint64_t in_run, std::uint32_t slices) {
  return static_cast<std::uint32_t>((caches::hash_line(run) % slices + in_run) % slices);
}

// The time in which turns at one address pass.
Time turns_of(double turns, const GpuSurroundings& gpu) {
  return static_cast<Time>(turns * static_cast<double>(gpu.atomic_interval));
}

} // namespace

void SmProcess::handle(const GpuEvent& event, GpuOutbox& out) {
  const GpuMessage& message = event.payload;
  if (message.kind == Kind::cta) {
    ++ctas_;
    if (l1_)
      l1_->start_cta(message.number, message.detail, message.place);
    sm_.place(message.number, message.detail, event.time, message.time);
  } else if (message.kind == Kind::line_data) {
    take_lines(event, out);
  } else if (event.source == number_ || --parts_left_[message.number] == 0) {
    sm_.arrive(message.number, event.time);
  }
}

void SmProcess::take_lines(const GpuEvent& event, GpuOutbox& out) {
  done_.clear();
  l1_->arrive(event.payload.number, event.time, done_);
  for (const SmL1::Done& done : done_) {
    if (done.at > event.time)
      out.send(number_, done.at, {.kind = Kind::data, .number = done.number});
    else
      sm_.arrive(done.number, event.time);
  }
}

void SmProcess::advance(Time end, GpuOutbox& out) {
  sm_.run_until(engine::cycle_of(end));
  for (const engine::SmMiss& miss : sm_.misses())
    miss.access == engine::SmMiss::by_rates ? send_miss(miss, out) : send_lines(miss, out);
  sm_.misses().clear();
  if (l1_)
    l1_->forget_before(end);
  for (const engine::EndedCta& ended : sm_.ended()) {
    if (l1_)
      l1_->end_cta(ended.slot);
    out.send(cta_scheduler(gpu_), ended.end + gpu_.lookahead,
             {.kind = Kind::cta_ended, .number = ended.slot, .time = ended.end + gpu_.cta_launch_latency});
  }
  sm_.ended().clear();
}

Time SmProcess::next_action() const {
  const std::int64_t cycle = sm_.next_cycle();
  return cycle == INT64_MAX ? never : engine::begin_of(cycle);
}

void SmProcess::send_miss(const engine::SmMiss& miss, GpuOutbox& out) {
  const auto parts = static_cast<std::uint32_t>(std::max(1.0, std::ceil(miss.l2_bytes / line_bytes)));
  if (miss.number != engine::SmMiss::unawaited) {
    if (parts_left_.size() <= miss.number)
      parts_left_.resize(miss.number + 1);
    parts_left_[miss.number] = parts;
  }
  const float hottest_turns = take_hottest_turns(requests_[miss.request]);
  for (std::uint32_t i = 0; i < parts; ++i) {
    const bool is_at_hottest = i == 0 && hottest_turns > 0;
    const std::uint32_t slice = is_at_hottest ? 0 : next_slice();
    const bool far_hit = miss.dram_bytes == 0 && is_far(gpu_, slice, number_);
    out.send(first_slice(gpu_) + slice, miss.departs + gpu_.one_way,
             {.kind = Kind::access,
              .writes = miss.writes,
              .number = miss.number,
              .detail = miss.request,
              .hottest_turns = is_at_hottest ? hottest_turns : 0,
              .time = miss.latency - gpu_.one_way + (far_hit ? gpu_.far_extra : 0),
              .l2_bytes = static_cast<float>(miss.l2_bytes / parts),
              .dram_bytes = static_cast<float>(miss.dram_bytes / parts)});
  }
}

// Of accesses by rates so many go to the hottest address or line, in the first slice, with all lanes as it
// has their share.
float SmProcess::take_hottest_turns(const memory_model::Request& request) {
  if (request.hottest_turns == 0)
    return 0;
  hottest_turns_ += request.hottest_turns;
  if (hottest_turns_ < request.turns)
    return 0;
  hottest_turns_ -= request.turns;
  return static_cast<float>(request.turns);
}

void SmProcess::send_lines(const engine::SmMiss& miss, GpuOutbox& out) {
  const SmL1::Departure departure = l1_->depart(miss.access);
  for (const LineRequest& one : departure.lines)
    out.send(first_slice(gpu_) + slice_of(one.line / gpu_.slices, one.line, gpu_.slices),
             miss.departs + gpu_.one_way,
             {.kind = Kind::line,
              .loads = departure.loads,
              .stores = departure.stores,
              .number = one.fetch,
              .detail = miss.request,
              .sectors = one.sectors,
              .parts = one.parts,
              .place = one.line,
              .most_wanted = one.most_wanted});
}

// As if its lines followed each other.
std::uint32_t SmProcess::next_slice() {
  const std::uint64_t line = lines_++;
  return slice_of((std::uint64_t{number_} << 40) + line / gpu_.slices, line, gpu_.slices);
}

SliceProcess::SliceProcess(const GpuSurroundings& gpu, const engine::SmWorkload& sm, const Kernels& kernels,
                           std::uint32_t number, caches::SectoredCache* l2)
    : gpu_(gpu), kernels_(kernels), number_(number), l2_(l2), mshrs_free_at_(gpu.mshrs, 0),
      drained_at_(kernels.size(), 0) {
  for (const memory_model::Request& request : sm.program->requests)
    levels_.push_back(level_of(request, sm.config.dram_queueing));
  if (l2_ == nullptr)
    return;
  const configs::Gpu& described = gpu_of_lines(kernels);
  sector_bytes_ = described.l2.sector_bytes;
  parts_per_sector_ = hit_rates::parts_per_sector(described.l2);
  asked_bytes_ = std::min(described.l1.sector_bytes, sector_bytes_);
}

SliceProcess::Level SliceProcess::level_of(const memory_model::Request& request, double dram_queueing) const {
  return {.l2 = engine::to_time(request.levels[1].latency) - gpu_.one_way,
          .dram = engine::to_time(request.levels[2].latency + dram_queueing) - gpu_.one_way,
          .turns = turns_of(request.same_address_turns, gpu_),
          .turns_of_sector = request.hottest_turns > 0 && !request.writes
                                 ? turns_of(request.turns / request.sectors, gpu_)
                                 : 0,
          .of_byte = engine::l2_access(request, 1)};
}

void SliceProcess::handle(const GpuEvent& event, GpuOutbox& out) {
  if (event.payload.kind == Kind::line)
    use_line(event, out);
  else
    access(event, out);
}

// As of the SM's own servers in simulate_sm, an access waits for the one that is busy longest.
Time SliceProcess::begin_of(const Bytes& bytes, std::uint32_t request, Time now) {
  const std::uint32_t kernel = kernel_of(kernels_, &engine::MergedKernel::first_request, request);
  load_.l2_bytes += bytes.at_l2.bytes;
  load_.dram_bytes += bytes.of_dram;
  const Time l2 = admit(l2_free_at_, l2_service(bytes.at_l2, gpu_.l2_bytes_per_clock, gpu_.l2_requests), now);
  const Time service = service_time(bytes.of_dram, kernels_[kernel].dram_bytes_per_clock);
  const Time dram =
      bytes.misses > 0 ? read_dram(bytes.misses, service, now) : admit(dram_free_at_, service, now);
  if (drained_at_.size() > 1) {
    Time& drained = drained_at_[kernel];
    drained =
        std::max({drained, l2_free_at_.data, l2_free_at_.requests, bytes.of_dram > 0 ? dram_free_at_ : 0});
  }
  return std::max(l2, dram);
}

// A line waits for the register that is free first: they are taken and given back in turn.
Time SliceProcess::read_dram(double misses, Time service, Time now) {
  if (mshrs_free_at_.empty())
    return admit(dram_free_at_, service, now);
  Time& free_at = mshrs_free_at_[next_mshr_];
  next_mshr_ = (next_mshr_ + 1) % mshrs_free_at_.size();
  const Time begin = admit(dram_free_at_, service, std::max(now, free_at));
  free_at = begin + static_cast<Time>(misses * static_cast<double>(gpu_.miss_time));
  return begin;
}

void SliceProcess::access(const GpuEvent& event, GpuOutbox& out) {
  const GpuMessage& access = event.payload;
  const double missed = access.dram_bytes > 0 ? std::min(1.0F, access.dram_bytes / access.l2_bytes) : 0.0F;
  engine::L2Access at_l2 = levels_[access.detail].of_byte;
  at_l2.bytes = access.l2_bytes;
  const Time served =
      begin_of({.at_l2 = at_l2, .of_dram = access.dram_bytes, .misses = access.writes ? 0.0 : missed},
               access.detail, event.time);
  const Time turns = turns_of(access.hottest_turns, gpu_);
  const Time begin = std::max(served, take_turns(hottest_free_at_, turns, access.detail, event.time));
  if (access.number != engine::SmMiss::unawaited)
    out.send(event.source, begin + access.time, {.kind = Kind::data, .number = access.number});
}

// What a line that has to go leaves dirty, or one that must not stay so, is written behind what was asked
// for.
void SliceProcess::use_line(const GpuEvent& event, GpuOutbox& out) {
  const GpuMessage& asked = event.payload;
  forget_fills(event.time);
  caches::SectorMask evicted = 0;
  caches::CacheLine& line = l2_->find_or_add(asked.place, evicted);
  const caches::SectorMask loaded = asked.loads ? asked.sectors : 0;
  const caches::SectorMask hit = line.load(loaded);
  const caches::SectorMask cleaned =
      asked.stores ? l2_->write(line, asked.sectors, asked.parts, parts_per_sector_) : 0;
  const auto sectors = [](caches::SectorMask mask) {
    return static_cast<std::uint64_t>(std::popcount(mask));
  };
  const std::uint64_t missed = sectors(loaded & ~hit);
  counts_.l2_loaded += sectors(loaded);
  counts_.l2_hit += sectors(hit);
  counts_.stored += asked.loads ? 0 : sectors(asked.sectors);
  const std::uint64_t written_back = sectors(evicted) + sectors(cleaned);
  counts_.written_back += written_back;
  const double bytes = sector_bytes_;
  const double asked_bytes = double{1} * asked_bytes_ * static_cast<double>(sectors(asked.sectors));
  const Time served = begin_of(
      {.at_l2 = {asked_bytes, asked.stores, line_bytes / asked_bytes,
                 std::max(levels_[asked.detail].of_byte.sent_bytes_per_byte, asked_bytes_ / asked_bytes)},
       .of_dram = bytes * static_cast<double>(missed),
       .misses = missed > 0 && gpu_.mshrs > 0 && !filled_at_.contains(asked.place) ? 1.0 : 0.0},
      asked.detail, event.time);
  if (written_back > 0)
    begin_of({.of_dram = bytes * static_cast<double>(written_back)}, asked.detail, event.time);
  if (!asked.loads)
    return;
  const Level& level = levels_[asked.detail];
  const Time begin = wait_for_turns(asked, sectors(asked.sectors), event.time, served);
  Time at = begin + level.dram;
  if (missed > 0) {
    filled_at_[asked.place] = at;
    fills_.push_back({at, asked.place});
  } else {
    at = data_at(asked.place, begin + level.l2 + (is_far(gpu_, number_, event.source) ? gpu_.far_extra : 0));
  }
  out.send(event.source, at, {.kind = Kind::line_data, .number = asked.number});
}

// An atomic waits for those before it. Its lanes' own turns are part of its latency.
Time SliceProcess::take_turns(Time& free_at, Time turns, std::uint32_t request, Time now) {
  if (turns == 0)
    return now;
  const Time begin = admit(free_at, turns, now);
  turns_end_ = std::max(turns_end_, free_at);
  if (drained_at_.size() > 1) {
    Time& drained = drained_at_[kernel_of(kernels_, &engine::MergedKernel::first_request, request)];
    drained = std::max(drained, free_at);
  }
  return begin;
}

// Atomics wait for their address, loads for their line.
Time SliceProcess::wait_for_turns(const GpuMessage& asked, std::uint64_t sectors, Time now, Time served) {
  const Level& level = levels_[asked.detail];
  if (!asked.stores && level.turns_of_sector > 0)
    return take_turns(turns_at(asked.place * std::uint64_t{line_bytes}, now),
                      static_cast<Time>(sectors) * level.turns_of_sector, asked.detail, served);
  if (asked.stores && asked.most_wanted != hit_rates::no_address)
    return take_turns(turns_at(asked.most_wanted, now), level.turns, asked.detail, served);
  return served;
}

// When they end.
Time& SliceProcess::turns_at(std::uint64_t address, Time now) {
  if (turns_end_at_.size() > most_kept_) {
    std::erase_if(turns_end_at_, [&](const auto& end) { return end.second <= now; });
    most_kept_ = std::max(most_kept_, 2 * turns_end_at_.size());
  }
  return turns_end_at_[address];
}

// Of a line that L2 has or that is on its way there.
Time SliceProcess::data_at(std::uint64_t line, Time hit_at) const {
  if (filled_at_.empty())
    return hit_at;
  const auto filled = filled_at_.find(line);
  return filled == filled_at_.end() ? hit_at : std::max(hit_at, filled->second);
}

void SliceProcess::forget_fills(Time now) {
  for (; !fills_.empty() && fills_.front().at <= now; fills_.pop_front())
    if (const auto filled = filled_at_.find(fills_.front().line);
        filled != filled_at_.end() && filled->second == fills_.front().at)
      filled_at_.erase(filled);
}

std::uint32_t CtasInOrder::next() {
  while (run_done_ == ctas_[run_].count) {
    ++run_;
    run_done_ = 0;
  }
  ++run_done_;
  ++taken_;
  return ctas_[run_].kind;
}

CtaScheduler::CtaScheduler(const GpuWorkload& workload, std::uint64_t placed)
    : workload_(workload), ctas_(workload.sm.ctas),
      next_first_issue_(workload.surroundings.cta_launch_latency +
                        static_cast<Time>(placed) * workload.surroundings.cta_launch_interval) {
  for (std::uint64_t i = 0; i < placed; ++i)
    ctas_.next();
}

void CtaScheduler::handle(const GpuEvent& event, GpuOutbox& out) {
  if (ctas_.is_done())
    return;
  const std::uint32_t kind = ctas_.next();
  const Time there = event.time + workload_.surroundings.lookahead;
  const Time first_issue = std::max({there, event.payload.time, next_first_issue_});
  next_first_issue_ = first_issue + workload_.surroundings.cta_launch_interval;
  out.send(event.source, there,
           {.kind = Kind::cta,
            .number = event.payload.number,
            .detail = kind,
            .time = first_issue,
            .place = ctas_.taken() - 1});
}

} // namespace kerncast::pdes
