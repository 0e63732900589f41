// The table of keys. A new key is a member of Gpu and a row here.
//
// Bounds keep out mistakes of unit and sign (MHz as Hz, bytes as KiB, microseconds as cycles), not unusual
// machines: from the oldest GPU of the database downwards to about ten times the newest one.
#include "gpu_keys.h"

#include <array>
#include <type_traits>

namespace kerncast::configs {
namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;
constexpr double gib = 1024 * mib;
constexpr double min_mhz = 10;
constexpr double max_mhz = 1e4; // 10 GHz
constexpr double max_dram_mhz = 4e4;
constexpr double near_cycles = 1e4; // inside an SM
constexpr double far_cycles = 5e4;  // beyond it
constexpr double max_kib = 16384;   // of an SM
constexpr double max_registers = 1 << 22;
constexpr double max_shared_bytes = 1 << 24;

constexpr auto required = Presence::required;
constexpr auto optional = Presence::optional;
constexpr auto derived = Presence::derived;
constexpr auto whole = KeyKind::whole;
constexpr auto number = KeyKind::number;
constexpr auto text_kind = KeyKind::text;

constexpr Absent not_known = {"not known"};
constexpr Absent no_check = {"not checked"};
constexpr Absent no_clock = {"not stated", "not published"};
constexpr Absent sm_clock = {"the SM clock"};
constexpr Absent as_asked = {"as the unit asks"};
constexpr Absent with_reads = {"l2.bytes_per_clock, reads among them"};
constexpr Absent as_a_kernels_launch = {"launch_overhead_us"};
constexpr Absent no_nvlink = {"not known", "none"};

constexpr std::array<std::string_view, 5> scheduler_names = {"lrr", "gto", "oldest", "two-level", "gty"};
constexpr std::array<std::string_view, 2> replacement_names = {"lru", "random"};
constexpr std::array<std::string_view, 2> warp_end_names = {"last-completion", "last-issue"};
constexpr std::array<std::string_view, 3> clock_names = {"stated", "base", "boost"};
constexpr std::array<std::string_view, 2> allocation_names = {"warp", "cta"};
constexpr std::array<std::string_view, 2> scope_names = {"sub-core", "sm"};

template <auto first, auto... rest> auto& member(auto& object) {
  if constexpr (sizeof...(rest) == 0)
    return object.*first;
  else
    return member<rest...>(object.*first);
}

// The row of a key whose value lies in the member that the path leads to.
template <class Object, auto... path> constexpr Key<Object> row(KeyFacts facts) {
  using Member = std::remove_cvref_t<decltype(member<path...>(std::declval<Object&>()))>;
  if constexpr (std::is_same_v<Member, std::string> || std::is_same_v<Member, bool>)
    return {facts, [](const Object& o) { return Value(member<path...>(o)); },
            [](Object& o, const Value& v) { member<path...>(o) = std::get<Member>(v); }};
  else
    return {facts, [](const Object& o) { return Value(static_cast<double>(member<path...>(o))); },
            [](Object& o, const Value& v) { member<path...>(o) = static_cast<Member>(std::get<double>(v)); }};
}

// A row of which 0 is no number: a file states a word instead.
template <class Object> constexpr Key<Object> worded(const Absent& absent, Key<Object> key) {
  key.facts.absent = absent;
  return key;
}

// The row of a size stated in a multiple of bytes.
template <std::uint64_t scale, auto... path> constexpr Key<Gpu> size_row(KeyFacts facts) {
  return {facts, [](const Gpu& g) { return Value(static_cast<double>(member<path...>(g)) / double{scale}); },
          [](Gpu& g, const Value& v) {
            member<path...>(g) = static_cast<std::uint64_t>(std::get<double>(v) * double{scale});
          }};
}

// The row of an enumeration whose values have the names given, in order.
template <const auto& names, class Object, auto... path> constexpr Key<Object> choice_row(KeyFacts facts) {
  facts.choices = names;
  return {
      facts,
      [](const Object& o) { return Value(std::string(names[static_cast<std::size_t>(member<path...>(o))])); },
      [](Object& o, const Value& v) {
        auto& choice = member<path...>(o);
        for (std::size_t i = 0; i < names.size(); ++i)
          if (names[i] == std::get<std::string>(v))
            choice = static_cast<std::remove_cvref_t<decltype(choice)>>(i);
      }};
}

template <auto... path> constexpr auto gpu = row<Gpu, path...>;
template <auto path> constexpr auto limit = row<Gpu, &Gpu::limits, path>;
template <auto path> constexpr auto unit = row<Unit, path>;

const Key<Gpu> keys[] = {
    gpu<&Gpu::product>({"product", "", "name under which the GPU is sold", text_kind}),
    gpu<&Gpu::architecture>({"architecture", "", "ISA table: configs/isa/ARCHITECTURE.toml", text_kind}),
    gpu<&Gpu::compute_capability_major>(
        {"compute_capability.major", "", "compute capability before the dot", whole, required, 1, 99}),
    gpu<&Gpu::compute_capability_minor>(
        {"compute_capability.minor", "", "compute capability after the dot", whole, required, 0, 9}),
    gpu<&Gpu::sms>({"sms", "", "streaming multiprocessors that are enabled", whole, required, 1, 4096}),
    gpu<&Gpu::clock_mhz>({"clock_mhz", "MHz", "SM clock; every cycle of the description is one of it", number,
                          derived, min_mhz, max_mhz}),
    worded(no_clock, gpu<&Gpu::base_clock_mhz>({"base_clock_mhz", "MHz", "guaranteed SM clock", number,
                                                optional, min_mhz, max_mhz})),
    worded(no_clock, gpu<&Gpu::boost_clock_mhz>({"boost_clock_mhz", "MHz", "published boost clock of the SM",
                                                 number, optional, min_mhz, max_mhz})),
    choice_row<clock_names, Gpu, &Gpu::clock>(
        {"clock", "", "which of the clocks clock_mhz is; a nearer clock_mhz makes it stated", text_kind,
         optional}),
    gpu<&Gpu::sub_cores_per_sm>(
        {"sub_cores_per_sm", "", "sub-cores of an SM, each with one warp scheduler", whole, required, 1, 32}),
    gpu<&Gpu::issue_width>({"issue_width", "instructions/cycle",
                            "a scheduler's instructions per cycle, from any of its warps", whole, optional, 1,
                            16}),
    gpu<&Gpu::dual_issue>({"dual_issue", "",
                           "two independent instructions of one warp may issue in one cycle",
                           KeyKind::boolean, optional}),
    gpu<&Gpu::warp_issue_distance>({"warp_issue_distance", "cycles",
                                    "least distance between two issues of one warp", number, optional, 0,
                                    1000}),
    gpu<&Gpu::issue_interval>({"issue_interval", "cycles", "from one issue slot of a scheduler to the next",
                               whole, optional, 1, 64}),
    gpu<&Gpu::guard_latency>(
        {"guard_latency", "cycles",
         "issue of what computes a predicate until an operation that it guards, or a branch, may issue; "
         "0: as other results",
         number, optional, 0, 1000}),
    gpu<&Gpu::branch_latency>(
        {"branch_latency", "cycles",
         "issue of a branch until its warp may issue again; 0: as after other operations", number, optional,
         0, 1000}),
    gpu<&Gpu::register_reads_per_cycle>(
        {"register_reads_per_cycle", "",
         "registers of 32 lanes that a sub-core reads as operands, one a bank; 0: not limited", number,
         optional, 0, 64}),
    choice_row<scheduler_names, Gpu, &Gpu::scheduler>(
        {"scheduler", "", "policy by which a scheduler picks among ready warps", text_kind, optional}),
    choice_row<warp_end_names, Gpu, &Gpu::warp_end>(
        {"warp_end", "",
         "a warp leaves the SM when its results are there, or when its last instruction has issued",
         text_kind, optional}),
    gpu<&Gpu::cta_launch_latency>({"cta_launch_latency", "cycles",
                                   "from a CTA's placement on an SM to its first issue", number, required, 0,
                                   far_cycles}),
    gpu<&Gpu::cta_launch_interval>({"cta_launch_interval", "cycles",
                                    "between two CTAs that the GPU starts, on whatever SMs; 0: not limited",
                                    number, optional, 0, far_cycles}),
    gpu<&Gpu::launch_overhead_us>({"launch_overhead_us", "us",
                                   "of one kernel launch, beside the kernel's own time", number, required, 0,
                                   1e4}),
    gpu<&Gpu::kernel_gap_us>({"kernel_gap_us", "us",
                              "from the end of a kernel to the start of the next one of its stream, at least",
                              number, optional, 0, 1e4}),
    worded(as_a_kernels_launch,
           gpu<&Gpu::graph, &GraphCosts::launch_overhead_us>({"graph.launch_overhead_us", "us",
                                                              "of one launch of a CUDA graph, on the host",
                                                              number, optional, 0.001, 1e4})),
    worded(not_known, gpu<&Gpu::graph, &GraphCosts::node_overhead_us>(
                          {"graph.node_overhead_us", "us",
                           "from the end of what a node of a graph waits for to its own start", number,
                           optional, 0.001, 1e3})),

    limit<&ResidencyLimits::ctas_per_sm>(
        {"limits.ctas_per_sm", "", "resident CTAs per SM at most", whole, required, 1, 1024}),
    limit<&ResidencyLimits::warps_per_sm>(
        {"limits.warps_per_sm", "", "resident warps per SM at most", whole, required, 1, 2048}),
    limit<&ResidencyLimits::threads_per_sm>(
        {"limits.threads_per_sm", "", "resident threads per SM at most", whole, required, 32, 65536}),
    limit<&ResidencyLimits::threads_per_cta>(
        {"limits.threads_per_cta", "", "threads of a CTA at most", whole, required, 32, 65536}),
    limit<&ResidencyLimits::registers_per_sm>({"limits.registers_per_sm", "registers",
                                               "32-bit registers of an SM", whole, required, 32,
                                               max_registers}),
    limit<&ResidencyLimits::registers_per_cta>({"limits.registers_per_cta", "registers",
                                                "registers that one CTA may hold", whole, required, 32,
                                                max_registers}),
    limit<&ResidencyLimits::registers_per_thread>({"limits.registers_per_thread", "registers",
                                                   "registers that one thread may hold", whole, required, 1,
                                                   8192}),
    choice_row<allocation_names, Gpu, &Gpu::limits, &ResidencyLimits::register_allocation>(
        {"limits.register_allocation", "", "what registers are granted to, rounded up", text_kind, optional}),
    limit<&ResidencyLimits::register_allocation_unit>({"limits.register_allocation_unit", "registers",
                                                       "registers are granted in multiples of it", whole,
                                                       required, 1, 4096}),
    limit<&ResidencyLimits::warp_allocation_granularity>(
        {"limits.warp_allocation_granularity", "warps",
         "partitions of the register file, each of which holds whole warps", whole, required, 1, 64}),
    limit<&ResidencyLimits::warp_check_granularity>(
        {"limits.warp_check_granularity", "warps",
         "partitions that the launch check assumes; 0: as there are", whole, optional, 0, 64}),
    limit<&ResidencyLimits::shared_bytes_per_sm>({"limits.shared_bytes_per_sm", "bytes",
                                                  "largest shared memory of an SM", whole, required, 1,
                                                  max_shared_bytes}),
    limit<&ResidencyLimits::shared_carve_outs_kib>({"limits.shared_carve_outs_kib", "KiB",
                                                    "sizes that shared memory may have, ascending, as \"0 8 "
                                                    "16\"; what the largest has more than the one "
                                                    "in use is L1; empty: L1 is fixed",
                                                    text_kind, optional}),
    limit<&ResidencyLimits::shared_bytes_per_cta>({"limits.shared_bytes_per_cta", "bytes",
                                                   "shared memory that one CTA may hold, opt-in included",
                                                   whole, required, 1, max_shared_bytes}),
    limit<&ResidencyLimits::shared_allocation_unit>({"limits.shared_allocation_unit", "bytes",
                                                     "a CTA's shared memory is rounded up to a multiple",
                                                     whole, required, 1, 16384}),
    limit<&ResidencyLimits::shared_reserved_bytes_per_cta>({"limits.shared_reserved_bytes_per_cta", "bytes",
                                                            "shared memory of a CTA that the system takes",
                                                            whole, required, 0, 16384}),

    size_row<1024, &Gpu::l1, &Cache::bytes>({"l1.kib", "KiB",
                                             "data cache of an SM, beside the largest shared memory", whole,
                                             required, 1, max_kib, kib}),
    gpu<&Gpu::l1, &Cache::latency>(
        {"l1.latency", "cycles", "of a hit, from issue", number, required, 1, near_cycles}),
    gpu<&Gpu::l1, &Cache::bytes_per_clock>(
        {"l1.bytes_per_clock", "bytes/cycle", "hits of one SM", number, required, 0.1, 1e5}),
    worded(as_asked, gpu<&Gpu::l1, &Cache::lines_per_clock>(
                         {"l1.lines_per_clock", "lines/cycle",
                          "that loads of an SM look up; a load takes at least its unit's issue interval",
                          number, optional, 0.01, 1024})),
    gpu<&Gpu::l1, &Cache::line_bytes>(
        {"l1.line_bytes", "bytes", "line, of up to 32 sectors", whole, optional, 4, 4096}),
    gpu<&Gpu::l1, &Cache::sector_bytes>(
        {"l1.sector_bytes", "bytes", "part of a line that is fetched alone", whole, optional, 4, 4096}),
    gpu<&Gpu::l1, &Cache::ways>(
        {"l1.ways", "", "lines of a set; 0: fully associative", whole, optional, 0, 4096}),
    choice_row<replacement_names, Gpu, &Gpu::l1, &Cache::replacement>(
        {"l1.replacement", "", "line of a full set that goes: the least recently used one, or any", text_kind,
         optional}),
    gpu<&Gpu::l1_caches_global>({"l1.caches_global", "",
                                 "plain global loads are kept; else only local, read-only and texture ones",
                                 KeyKind::boolean, optional}),
    gpu<&Gpu::l1_keeps_stores>({"l1.keeps_stores", "",
                                "sectors that a store writes whole stay in L1; else a store drops them",
                                KeyKind::boolean, optional}),
    worded(not_known, gpu<&Gpu::l1, &Cache::mshrs>({"l1.mshrs", "", "lines of an SM that are on their way",
                                                    whole, optional, 1, 65536})),
    size_row<1024 * 1024, &Gpu::l2, &Cache::bytes>(
        {"l2.mib", "MiB", "cache of the whole GPU", whole, required, 0.01, 2048, mib}),
    gpu<&Gpu::l2, &Cache::latency>(
        {"l2.latency", "cycles", "of an L1 miss that hits L2, from issue", number, required, 1, far_cycles}),
    gpu<&Gpu::l2, &Cache::bytes_per_clock>(
        {"l2.bytes_per_clock", "bytes/cycle", "hits of the whole GPU", number, required, 0.1, 1e6}),
    worded(with_reads,
           gpu<&Gpu::l2_requests, &L2Requests::write_bytes_per_clock>(
               {"l2.write_bytes_per_clock", "bytes/cycle",
                "written to L2, on the way of requests, beside what is read", number, optional, 0.1, 1e6})),
    gpu<&Gpu::l2_requests, &L2Requests::fraction_of_reads>(
        {"l2.read_request_fraction", "",
         "of what a line written takes on the way of requests, what a request does", number, optional, 0, 1}),
    worded(not_known, gpu<&Gpu::l2_atomic_interval>({"l2.atomic_interval", "cycles",
                                                     "of L2, between atomic operations on one address",
                                                     number, optional, 0.01, 1e4})),
    worded(not_known,
           gpu<&Gpu::l2_line_bytes_per_clock>({"l2.line_bytes_per_clock", "bytes/cycle",
                                               "that a slice sends of one line that many loads past L1 read; "
                                               "taken only with l2.atomic_interval",
                                               number, optional, 0.1, 1e4})),
    gpu<&Gpu::l2, &Cache::line_bytes>(
        {"l2.line_bytes", "bytes", "line, of up to 32 sectors", whole, optional, 4, 4096}),
    gpu<&Gpu::l2, &Cache::sector_bytes>(
        {"l2.sector_bytes", "bytes", "part of a line that is fetched alone", whole, optional, 4, 4096}),

    gpu<&Gpu::l2, &Cache::ways>(
        {"l2.ways", "", "lines of a set; 0: fully associative", whole, optional, 0, 4096}),
    choice_row<replacement_names, Gpu, &Gpu::l2, &Cache::replacement>(
        {"l2.replacement", "", "line of a full set that goes: the least recently used one, or any", text_kind,
         optional}),
    gpu<&Gpu::l2, &Cache::dirty_fraction>({"l2.dirty_fraction", "",
                                           "of the lines of a set that may be dirty; beyond it the one used "
                                           "longest ago is written back, and stays",
                                           number, optional, 0.01, 1}),
    worded(not_known,
           gpu<&Gpu::l2, &Cache::mshrs>({"l2.mshrs", "", "lines of a slice that are on their way from DRAM",
                                         whole, optional, 1, 65536})),
    worded(not_known,
           gpu<&Gpu::l2_layout, &L2Layout::slices>(
               {"l2.slices", "", "parts over which addresses are spread", whole, optional, 1, 4096})),
    gpu<&Gpu::l2_layout, &L2Layout::partitions>(
        {"l2.partitions", "", "groups of slices, of which an SM is near to one", whole, optional, 1, 64}),
    gpu<&Gpu::l2_layout, &L2Layout::far_latency>({"l2.far_latency", "cycles",
                                                  "of a hit in another partition, from issue; 0: as near",
                                                  number, optional, 0, far_cycles}),
    worded(sm_clock, gpu<&Gpu::l2_layout, &L2Layout::clock_mhz>(
                         {"l2.clock_mhz", "MHz",
                          "clock of L2, whose cycles l2.bytes_per_clock, l2.write_bytes_per_clock and "
                          "l2.latency beyond L1's count",
                          number, optional, min_mhz, max_mhz})),
    worded(not_known, size_row<1024, &Gpu::instruction_cache, &InstructionCache::bytes>(
                          {"instruction_cache.kib", "KiB", "instruction cache of an SM, all levels before L2",
                           whole, optional, 0.125, max_kib, kib})),
    gpu<&Gpu::instruction_cache, &InstructionCache::miss_latency>({"instruction_cache.miss_latency", "cycles",
                                                                   "of a fetch from L2; 0: fetches are free",
                                                                   number, optional, 0, far_cycles}),
    gpu<&Gpu::instruction_cache, &InstructionCache::sms>(
        {"instruction_cache.sms", "",
         "SMs that fetch in step through one cache before L2, which asks L2 once for all of them", number,
         optional, 1, 1024}),
    worded(not_known,
           size_row<1024 * 1024, &Gpu::tlb, &Tlb::reach_bytes>(
               {"tlb.reach_mib", "MiB", "device memory that the entries of the last level cover, 2 MiB each",
                whole, optional, 1, 1e8, mib})),
    worded(not_known, gpu<&Gpu::tlb, &Tlb::miss_latency>({"tlb.miss_latency", "cycles",
                                                          "of a miss, on top of the access", number, optional,
                                                          1, far_cycles})),
    worded(not_known, gpu<&Gpu::interconnect_latency>({"interconnect.latency", "cycles",
                                                       "one way between an SM and a slice of L2", number,
                                                       optional, 1, near_cycles})),

    gpu<&Gpu::shared, &SharedMemory::latency>({"shared.latency", "cycles",
                                               "of a load without conflict, from issue", number, required, 1,
                                               near_cycles}),
    worded(as_asked, gpu<&Gpu::shared, &SharedMemory::bytes_per_clock>(
                         {"shared.bytes_per_clock", "bytes/cycle",
                          "of one SM; an access takes at least its unit's issue interval", number, optional,
                          0.1, 1e5})),
    gpu<&Gpu::shared, &SharedMemory::banks>({"shared.banks", "", "banks", whole, optional, 1, 1024}),
    gpu<&Gpu::shared, &SharedMemory::bank_bytes>(
        {"shared.bank_bytes", "bytes", "width of a bank", whole, optional, 1, 1024}),
    worded(not_known, size_row<1024, &Gpu::constant_bytes>(
                          {"constant.kib", "KiB", "constant cache of an SM; what misses it goes to L2", whole,
                           optional, 1, max_kib, kib})),
    gpu<&Gpu::constant_latency>(
        {"constant.latency", "cycles", "of a constant load (ld.const)", number, required, 1, near_cycles}),
    gpu<&Gpu::texture_latency>(
        {"texture.latency", "cycles", "of a texture fetch", number, required, 1, far_cycles}),

    size_row<1024 * 1024 * 1024, &Gpu::dram, &Dram::bytes>(
        {"dram.gib", "GiB", "device memory", whole, required, 0.01, 65536, gib}),
    gpu<&Gpu::dram, &Dram::latency>(
        {"dram.latency", "cycles", "of an L2 miss, from issue", number, required, 1, far_cycles}),
    gpu<&Gpu::dram, &Dram::bandwidth_gbps>(
        {"dram.bandwidth_gbps", "1e9 bytes/s", "pin bandwidth", number, required, 0.1, 1e5}),
    gpu<&Gpu::dram, &Dram::sustained_fraction>({"dram.sustained_fraction", "",
                                                "of the pin bandwidth that streams in one direction reach",
                                                number, required, 0.05, 1}),
    gpu<&Gpu::dram, &Dram::mixed_loss>({"dram.mixed_loss", "",
                                        "streams that write half of their bytes reach 1 / (1 + it) of that",
                                        number, optional, 0, 4}),
    gpu<&Gpu::dram, &Dram::write_wait>({"dram.write_wait", "cycles",
                                        "that a read waits, times the share of the sustained bandwidth that "
                                        "writes take",
                                        number, optional, 0, far_cycles}),
    worded(no_check,
           gpu<&Gpu::dram, &Dram::bus_width_bits>(
               {"dram.bus_width_bits", "bits", "width of the memory bus", whole, optional, 8, 65536})),
    worded(no_check, gpu<&Gpu::dram, &Dram::data_rate_gtps>({"dram.data_rate_gtps", "1e9 transfers/s",
                                                             "of one pin", number, optional, 0.01, 200})),
    worded(no_check, gpu<&Gpu::dram, &Dram::clock_mhz>(
                         {"dram.clock_mhz", "MHz", "memory clock", number, optional, min_mhz, max_dram_mhz})),
    worded(no_check, gpu<&Gpu::dram, &Dram::transfers_per_clock>({"dram.transfers_per_clock", "",
                                                                  "transfers of one pin per memory clock",
                                                                  number, optional, 1, 64})),

    worded(not_known, gpu<&Gpu::dram, &Dram::loaded_latency, &LoadedLatency::a>(
                          {"dram.loaded_latency.a", "cycles",
                           "latency a + b x / (c - x) where x of the sustained bandwidth is in use", number,
                           optional, 1e-3, far_cycles})),
    gpu<&Gpu::dram, &Dram::loaded_latency, &LoadedLatency::b>(
        {"dram.loaded_latency.b", "cycles", "see dram.loaded_latency.a; b / a of dram.latency is added",
         number, optional, 0, far_cycles}),
    worded(not_known, gpu<&Gpu::dram, &Dram::loaded_latency, &LoadedLatency::c>(
                          {"dram.loaded_latency.c", "",
                           "share of the sustained bandwidth at which the latency has no bound", number,
                           optional, 0.1, 10})),

    gpu<&Gpu::memory, &MemoryPorts::ports_per_sm>(
        {"memory.ports_per_sm", "", "warps whose requests L1 takes at a time", whole, required, 1, 64}),
    gpu<&Gpu::memory, &MemoryPorts::to_l2_bytes_per_clock>(
        {"memory.to_l2_bytes_per_clock", "bytes/cycle", "one SM's link to L2", number, required, 0.1, 1e5}),
    gpu<&Gpu::memory, &MemoryPorts::in_flight_bytes_per_sm>({"memory.in_flight_bytes_per_sm", "bytes",
                                                             "misses under way; further ones queue", whole,
                                                             required, 32, 1e8}),
    gpu<&Gpu::memory, &MemoryPorts::loads_per_warp>({"memory.loads_per_warp", "",
                                                     "loads of one warp under way; 0: not limited", whole,
                                                     optional, 0, 1024}),
    gpu<&Gpu::host_link, &HostLink::bandwidth_gbps>(
        {"host_link.bandwidth_gbps", "1e9 bytes/s", "sustained, one direction", number, required, 0.01, 1e4}),
    gpu<&Gpu::host_link, &HostLink::latency_us>(
        {"host_link.latency_us", "us", "of one copy", number, required, 0, 1e5}),
    gpu<&Gpu::copy_engines>({"copy_engines", "",
                             "host copies at a time, beside kernels; 1: in one direction at a time, 0: not "
                             "beside kernels",
                             whole, optional, 0, 64}),
    gpu<&Gpu::resident_grids>(
        {"resident_grids", "", "kernels of different streams that run at a time", whole, optional, 1, 1024}),
    worded(no_nvlink,
           gpu<&Gpu::nvlink, &NvLink::links>(
               {"nvlink.links", "", "between GPUs; all of them serve one copy", whole, optional, 1, 256})),
    worded(no_nvlink, gpu<&Gpu::nvlink, &NvLink::link_bandwidth_gbps>(
                          {"nvlink.link_bandwidth_gbps", "1e9 bytes/s",
                           "of one link, one direction; times links: of copies between GPUs, and of clusters "
                           "whose peers are linked by it",
                           number, optional, 0.01, 1e5})),

    gpu<&Gpu::peak, &Peak::fp32_gflops>({"peak.fp32_gflops", "1e9 operations/s",
                                         "published f32 peak, else that of units and clock", number, derived,
                                         0, 1e8}),
    gpu<&Gpu::peak, &Peak::fp64_gflops>({"peak.fp64_gflops", "1e9 operations/s",
                                         "published f64 peak, else that of units and clock", number, derived,
                                         0, 1e8}),
};

const Key<Unit> keys_of_units[] = {
    choice_row<scope_names, Unit, &Unit::scope>(
        {"scope", "", "whether each sub-core has the unit or its sub-cores share it", text_kind, required}),
    unit<&Unit::count>({"count", "", "identical pipelines", whole, optional, 1, 256}),
    unit<&Unit::latency>({"latency", "cycles",
                          "issue until a dependent may issue, where the ISA table states no other", number,
                          required, 1, near_cycles}),
    unit<&Unit::issue_interval>({"issue_interval", "cycles", "one warp instruction holds a pipeline so long",
                                 number, required, 1.0 / 64, near_cycles}),
    worded(no_check,
           unit<&Unit::lanes>({"lanes", "", "lanes of a pipeline: 32 / lanes is its shortest issue_interval",
                               whole, optional, 1, 1024})),
    unit<&Unit::cross_latency>({"cross_latency", "cycles",
                                "issue until a dependent on another unit may issue; 0: as latency", number,
                                optional, 0, near_cycles}),
    unit<&Unit::queue>({"queue", "instructions",
                        "that wait for it, in a sub-core or the SM by scope, and hold up no scheduler", whole,
                        optional, 0, 1024}),
};

} // namespace

std::span<const Key<Gpu>> gpu_keys() { return keys; }
std::span<const Key<Unit>> unit_keys() { return keys_of_units; }

} // namespace kerncast::configs
