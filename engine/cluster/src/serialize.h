// SM results as messages between ranks.
#pragma once

#include <boost/serialization/array.hpp>
#include <boost/serialization/vector.hpp>

#include "parallel/run.h"
#include "pdes/gpu.h"
#include "pdes/shared_gpu.h"

namespace boost::serialization {

template <class Archive> void serialize(Archive& archive, kerncast::engine::OpResult& o, unsigned) {
  archive& o.issued& o.state_cycles;
}

template <class Archive> void serialize(Archive& archive, kerncast::engine::Residency& r, unsigned) {
  archive& r.bin_cycles& r.warp_cycles;
}

template <class Archive> void serialize(Archive& archive, kerncast::engine::Continuation& c, unsigned) {
  archive& c.ctas& c.all_ctas& c.iterations& c.all_iterations& c.error;
}

template <class Archive> void serialize(Archive& archive, kerncast::engine::SmResult& r, unsigned) {
  archive& r.cycles& r.trigger_cycles& r.prologue_cycles;
  archive& r.warp_instructions& r.warp_state_cycles& r.resident_warp_cycles& r.unit_busy_cycles& r.l2_bytes& r
      .l2_data_bytes& r.l2_request_bytes& r.l2_fetched_bytes& r.dram_bytes& r.hottest_turns& r
      .dram_queueing& r.issue_cycles& r.memory_port_cycles& r.broken_barriers& r
      .simulated_warp_instructions& r.continued& r.ops& r.residency& r.others;
}

template <class Archive> void serialize(Archive& archive, kerncast::parallel::Completed& c, unsigned) {
  archive& c.index& c.result;
}

template <class Archive> void serialize(Archive& archive, kerncast::pdes::SliceLoad& s, unsigned) {
  archive& s.l2_bytes& s.dram_bytes;
}

template <class Archive> void serialize(Archive& archive, kerncast::pdes::Statistics& s, unsigned) {
  archive& s.windows& s.events& s.sent& s.idle_windows& s.busy_windows& s.end;
}

template <class Archive> void serialize(Archive& archive, kerncast::pdes::CacheCounts& c, unsigned) {
  archive& c.by_lines& c.by_rates& c.l1_requested& c.l1_hit& c.l2_loaded& c.l2_hit& c.stored& c.written_back;
}

template <class Archive> void serialize(Archive& archive, kerncast::pdes::GpuResult& r, unsigned) {
  archive& r.cycles& r.sms& r.ctas& r.slices& r.caches& r.statistics;
}

template <class Archive> void serialize(Archive& archive, kerncast::pdes::KernelTimes& k, unsigned) {
  archive& k.begin& k.end;
}

template <class Archive> void serialize(Archive& archive, kerncast::pdes::SharedGpuResult& r, unsigned) {
  archive& r.kernels& r.all;
}

} // namespace boost::serialization
