// {"op": "kernel", "kernel": "hotspot", "grid": [86, 86, 1], "block": [16, 16, 1], ...}
#include <fmt/format.h>

#include "application/geometry.h"
#include "application/read.h"
#include "parts.h"

namespace kerncast::application {
namespace {

struct KernelDraft {
  const Draft& draft;
  DistinctLaunch distinct;
  timeline::KernelEvent event;
};

void read_name(ValueReader& reader, NodeId value, KernelDraft& into) {
  into.distinct.kernel = reader.string(value, "kernel").value_or("");
  into.distinct.kernel_place = reader.place(value);
  into.distinct.arguments_place = into.distinct.kernel_place;
}

// [X], [X, Y] or [X, Y, Z].
void read_extent(ValueReader& reader, NodeId array, std::string_view what,
                 std::string (*error)(const std::uint64_t (&)[3]), tasklist::Dim3& into) {
  if (!reader.expect(array, json::Kind::array, what))
    return;
  std::uint64_t extent[3] = {1, 1, 1};
  std::size_t count = 0;
  bool numbers = true;
  reader.for_each_element(array, [&](NodeId element) {
    const auto number = reader.natural(element, what, {0, UINT32_MAX});
    numbers = numbers && number;
    if (number && count < 3)
      extent[count] = *number;
    ++count;
  });
  if (!numbers)
    return;
  const std::string message = count == 0 || count > 3
                                  ? fmt::format("{} must have one to three numbers, not {}", what, count)
                                  : error(extent);
  if (message.empty())
    into = to_dim3(extent);
  else
    reader.error(array, message, {"write [X, Y, Z]"});
}

void read_grid(ValueReader& reader, NodeId value, KernelDraft& into) {
  read_extent(reader, value, "grid", grid_error, into.distinct.launch.grid);
}

void read_block(ValueReader& reader, NodeId value, KernelDraft& into) {
  read_extent(reader, value, "block", block_error, into.distinct.launch.block);
}

void read_dynamic_smem(ValueReader& reader, NodeId value, KernelDraft& into) {
  into.distinct.launch.dynamic_shared_bytes = static_cast<std::uint32_t>(
      reader.natural(value, "dynamic_smem_bytes", {0, max_dynamic_shared_bytes}).value_or(0));
}

void read_registers(ValueReader& reader, NodeId value, KernelDraft& into) {
  if (const auto registers = reader.natural(value, "registers", {1, max_registers}))
    into.distinct.launch.registers = static_cast<std::uint32_t>(*registers);
}

void read_spills(ValueReader& reader, NodeId value, KernelDraft& into) {
  if (const auto bytes = reader.natural(value, "spill_store_bytes", {0, max_spill_store_bytes}))
    into.distinct.launch.spill_store_bytes = static_cast<std::uint32_t>(*bytes);
}

void read_args(ValueReader& reader, NodeId value, KernelDraft& into) {
  into.distinct.arguments_place = reader.place(value);
  read_arguments(reader, value, into.draft, into.distinct.launch);
}

void read_kernel_stream(ValueReader& reader, NodeId value, KernelDraft& into) {
  read_stream(reader, value, into.event);
}

void read_kernel_device(ValueReader& reader, NodeId value, KernelDraft& into) {
  read_device(reader, value, into.event);
}

void read_repeat(ValueReader& reader, NodeId value, KernelDraft& into) {
  into.event.repeat = reader.natural(value, "repeat", {1, max_launches}).value_or(1);
}

void read_programmatic(ValueReader& reader, NodeId value, KernelDraft& into) {
  into.event.is_programmatic = reader.boolean(value, "programmatic").value_or(false);
}

void read_l1(ValueReader& reader, NodeId value, memory_model::HitRates& into) {
  into.l1 = reader.real(value, "hit rate l1", 0, 1).value_or(0);
}

void read_l2(ValueReader& reader, NodeId value, memory_model::HitRates& into) {
  into.l2 = reader.real(value, "hit rate l2", 0, 1).value_or(0);
}

constexpr Field<memory_model::HitRates> hit_rate_fields[] = {{"l1", Need::required, read_l1},
                                                             {"l2", Need::required, read_l2}};

void read_hit_rates(ValueReader& reader, NodeId value, KernelDraft& into) {
  read_object(reader, value, "hit_rates", hit_rate_fields, into.distinct.hit_rates.emplace());
}

void read_taken(ValueReader& reader, NodeId value, double& into) {
  into = reader.real(value, "taken", 0, 1).value_or(0);
}

constexpr Field<double> branch_fields[] = {{"taken", Need::required, read_taken}};

void read_branches(ValueReader& reader, NodeId object, KernelDraft& into) {
  if (!reader.expect(object, json::Kind::object, "branches"))
    return;
  reader.refuse_repeated_keys(object);
  reader.for_each_member(object, [&](NodeId key, NodeId value) {
    double& taken = into.distinct.launch.facts.branch_taken[reader.tree().text(key)];
    read_object(reader, value, "branch", branch_fields, taken);
  });
}

void read_loops(ValueReader& reader, NodeId object, KernelDraft& into) {
  if (!reader.expect(object, json::Kind::object, "loops"))
    return;
  reader.refuse_repeated_keys(object);
  reader.for_each_member(object, [&](NodeId key, NodeId value) {
    if (const auto trips = reader.natural(value, "loop trips", {0, max_loop_trips}))
      into.distinct.launch.facts.loop_trips[reader.tree().text(key)] = *trips;
  });
}

constexpr std::string_view spreads = "\"scattered\", \"coalesced\", \"broadcast\" or {\"stride\": BYTES}";

void read_stride(ValueReader& reader, NodeId value, tasklist::AddressFact& into) {
  constexpr std::int64_t most = max_stride_bytes;
  const json::Node& node = reader.node(value);
  into.spread = tasklist::AddressFact::Spread::strided;
  into.stride = node.kind == json::Kind::negative ? node.negative : static_cast<std::int64_t>(node.natural);
  if ((node.kind != json::Kind::natural && node.kind != json::Kind::negative) || into.stride > most ||
      into.stride < -most)
    reader.error(value, fmt::format("stride must be a whole number from {} to {}", -most, most));
}

constexpr Field<tasklist::AddressFact> stride_fields[] = {{"stride", Need::required, read_stride}};

void read_spread(ValueReader& reader, NodeId value, tasklist::AddressFact& into) {
  if (reader.node(value).kind == json::Kind::object)
    return read_object(reader, value, "addresses", stride_fields, into);
  const auto spread = reader.node(value).kind == json::Kind::string
                          ? tasklist::find_spread(reader.tree().text(value))
                          : std::nullopt;
  if (!spread)
    return reader.error(value, fmt::format("addresses must be {}", spreads));
  into.spread = *spread;
}

void read_addresses(ValueReader& reader, NodeId object, KernelDraft& into) {
  if (!reader.expect(object, json::Kind::object, "addresses"))
    return;
  reader.refuse_repeated_keys(object);
  reader.for_each_member(object, [&](NodeId key, NodeId value) {
    read_spread(reader, value, into.distinct.launch.facts.addresses[reader.tree().text(key)]);
  });
}

// By the names of buffers.
void read_buffer_addresses(ValueReader& reader, NodeId object, KernelDraft& into) {
  if (!reader.expect(object, json::Kind::object, "buffer_addresses"))
    return;
  reader.refuse_repeated_keys(object);
  reader.for_each_member(object, [&](NodeId key, NodeId value) {
    if (const std::uint32_t* buffer = find_by_text(reader, key, "buffer", into.draft.buffer_numbers))
      read_spread(reader, value, into.distinct.launch.facts.buffer_addresses[*buffer]);
  });
}

// [X], [X, Y] or [X, Y, Z] CTAs.
void read_cluster(ValueReader& reader, NodeId value, KernelDraft& into) {
  read_extent(reader, value, "cluster", cluster_error, into.distinct.launch.cluster.emplace());
}

// `op` has chosen the table.
constexpr Field<KernelDraft> kernel_fields[] = {{"op", Need::required, json::read_nothing<KernelDraft>},
                                                {"kernel", Need::required, read_name},
                                                {"grid", Need::required, read_grid},
                                                {"block", Need::required, read_block},
                                                {"dynamic_smem_bytes", Need::optional, read_dynamic_smem},
                                                {"registers", Need::optional, read_registers},
                                                {"spill_store_bytes", Need::optional, read_spills},
                                                {"args", Need::optional, read_args},
                                                {"device", Need::optional, read_kernel_device},
                                                {"stream", Need::optional, read_kernel_stream},
                                                {"repeat", Need::optional, read_repeat},
                                                {"programmatic", Need::optional, read_programmatic},
                                                {"hit_rates", Need::optional, read_hit_rates},
                                                {"cluster", Need::optional, read_cluster},
                                                {"branches", Need::optional, read_branches},
                                                {"addresses", Need::optional, read_addresses},
                                                {"buffer_addresses", Need::optional, read_buffer_addresses},
                                                {"loops", Need::optional, read_loops},
                                                {"when", Need::optional, json::read_nothing<KernelDraft>}};

} // namespace

void count_launches(ValueReader& reader, NodeId object, std::uint64_t launches, Draft& draft) {
  draft.total_launches += launches;
  if (draft.total_launches > max_launches)
    reader.error(object, fmt::format("more than {} launches", max_launches),
                 {"predict a part of the application and scale it"});
}

void read_kernel_event(ValueReader& reader, NodeId object, Draft& draft) {
  KernelDraft kernel{draft, {}, {}};
  if (!read_event_fields(reader, object, "kernel event", kernel_fields, kernel, draft))
    return;
  put_on_device(reader, object, draft, kernel.event);
  kernel.distinct.launches = kernel.event.repeat * draft.times;
  count_launches(reader, object, kernel.distinct.launches, draft);
  kernel.event.launch = draft.launches.add(std::move(kernel.distinct));
  draft.app.events.emplace_back(kernel.event);
}

} // namespace kerncast::application
