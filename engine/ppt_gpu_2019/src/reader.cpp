#include "ppt_gpu_2019/reader.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "hardware.h"
#include "items.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

using json::Field;
using json::Need;
using json::NodeId;
using json::ValueReader;

constexpr std::size_t max_file_bytes = 16 << 20; // the longest published file has 135 kB
constexpr double infinite = std::numeric_limits<double>::max();

template <std::uint32_t Launch::*member, std::uint64_t least, std::uint64_t most>
void read_count(ValueReader& reader, NodeId value, Input& into) {
  into.launch.*member =
      static_cast<std::uint32_t>(reader.natural(value, reader.key(value), {least, most}).value_or(least));
}

void read_grid(ValueReader& reader, NodeId value, Input& into) {
  into.launch.grid_blocks = reader.natural(value, "grid", {1, max_grid_blocks}).value_or(1);
}

void read_block(ValueReader& reader, NodeId value, Input& into) {
  const std::uint32_t most = std::max(1U, into.hardware.max_threads_per_block);
  into.launch.threads_per_block =
      static_cast<std::uint32_t>(reader.natural(value, "block", {1, most}).value_or(1));
}

void read_l2_hit(ValueReader& reader, NodeId value, Input& into) {
  into.launch.l2_hit = reader.real(value, "phit_l2", 0, 1).value_or(0);
}

constexpr Field<Input> launch_fields[] = {
    {"grid", Need::required, read_grid},
    {"block", Need::required, read_block},
    {"regs", Need::required, read_count<&Launch::registers_per_thread, 1, max_count>},
    {"smem", Need::required, read_count<&Launch::shared_bytes_per_block, 0, hardware_shared_bound>},
    {"phit_l2", Need::required, read_l2_hit}};

template <double Recording::*member> void read_number(ValueReader& reader, NodeId value, Recording& into) {
  into.*member = reader.real(value, reader.key(value), 0, infinite).value_or(0);
}

// Counts are whole numbers that the tool sometimes prints with a decimal point.
template <std::uint64_t Recording::*member>
void read_count(ValueReader& reader, NodeId value, Recording& into) {
  into.*member = static_cast<std::uint64_t>(reader.real(value, reader.key(value), 0, 1e15).value_or(0));
}

template <std::vector<double> Recording::*member>
void read_numbers(ValueReader& reader, NodeId array, Recording& into) {
  if (!reader.expect(array, json::Kind::array, reader.key(array)))
    return;
  reader.for_each_element(array, [&](NodeId element) {
    if (const auto number = reader.real(element, reader.key(array), 0, infinite))
      (into.*member).push_back(*number);
  });
}

constexpr Field<Recording> recording_fields[] = {
    {"amat", Need::required, read_number<&Recording::amat>},
    {"cycles", Need::required, read_number<&Recording::cycles>},
    {"blocks_per_sm", Need::required, read_count<&Recording::blocks_per_sm>},
    {"warps_per_block", Need::required, read_count<&Recording::warps_per_block>},
    {"warp_instructions", Need::required, read_count<&Recording::warp_instructions>},
    {"warp_issue_events", Need::required, read_count<&Recording::warp_issue_events>},
    {"n_workloads", Need::required, read_count<&Recording::n_workloads>},
    {"block_end_computations", Need::required, read_numbers<&Recording::block_end_computations>},
    {"block_actual_end", Need::required, read_numbers<&Recording::block_actual_end>}};

struct Run {
  std::string interpreter;
  double cpu_s = 0;
};

void read_interpreter(ValueReader& reader, NodeId value, Run& into) {
  into.interpreter = reader.string(value, "interpreter").value_or("");
}

void read_cpu_time(ValueReader& reader, NodeId value, Run& into) {
  into.cpu_s = reader.real(value, "cpu_s", 0, infinite).value_or(0);
}

constexpr Field<Run> run_fields[] = {{"interpreter", Need::required, read_interpreter},
                                     {"cpu_s", Need::required, read_cpu_time}};

void read_name(ValueReader& reader, NodeId value, LanlFile& into) {
  into.input.name = reader.string(value, "app").value_or("");
}

void read_overhead(ValueReader& reader, NodeId value, LanlFile& into) {
  into.input.launch_overhead_s = reader.real(value, reader.key(value), 0, 1).value_or(0);
}

void read_hardware_field(ValueReader& reader, NodeId value, LanlFile& into) {
  read_hardware(reader, value, into.input.hardware);
}

void read_launch(ValueReader& reader, NodeId value, LanlFile& into) {
  read_object(reader, value, "launch", launch_fields, into.input);
}

void read_tasklist(ValueReader& reader, NodeId value, LanlFile& into) {
  read_items(reader, value, into.input);
}

void read_item_count(ValueReader& reader, NodeId value, LanlFile& into) {
  const std::size_t items = into.input.items.size();
  const auto stated = reader.natural(value, reader.key(value), {});
  if (stated && *stated != items && items != 0) // an absent or empty tasklist is an error of its own
    reader.error(value, fmt::format("{} items, but 'n_tasklist_items' is {}", items, *stated),
                 {"correct whichever is wrong"});
}

// The tool answers more than is compared.
void read_recording(ValueReader& reader, NodeId value, LanlFile& into) {
  read_object(reader, value, "predicted", recording_fields, into.recording.emplace(), json::Others::ignored);
}

void read_measured(ValueReader& reader, NodeId array, LanlFile& into) {
  if (!reader.expect(array, json::Kind::array, "measured"))
    return;
  reader.for_each_element(array, [&](NodeId element) {
    Run run;
    read_object(reader, element, "run", run_fields, run, json::Others::ignored);
    if (into.recording && !into.recording->python27_cpu_s && run.interpreter.starts_with("2.7"))
      into.recording->python27_cpu_s = run.cpu_s;
  });
}

// Hardware before the launch, which it bounds; the tasklist before the count of its items.
constexpr Field<LanlFile> file_fields[] = {{"app", Need::required, read_name},
                                           {"kernel_launch_overhead_s", Need::required, read_overhead},
                                           {"hw", Need::required, read_hardware_field},
                                           {"launch", Need::required, read_launch},
                                           {"tasklist", Need::required, read_tasklist},
                                           {"n_tasklist_items", Need::optional, read_item_count},
                                           {"predicted", Need::optional, read_recording},
                                           {"measured", Need::optional, read_measured},
                                           {"arch", Need::optional, json::read_nothing<LanlFile>},
                                           {"gpu", Need::optional, json::read_nothing<LanlFile>},
                                           {"source", Need::optional, json::read_nothing<LanlFile>},
                                           {"derived_not_ppt", Need::optional, json::read_nothing<LanlFile>}};

} // namespace

bool is_lanl_file(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && text[start] == '{' &&
         text.find("\"tasklist\"") != std::string_view::npos && text.find("\"hw\"") != std::string_view::npos;
}

Expected<LanlFile> read_lanl_file(const SourceText& source) {
  if (source.text().size() > max_file_bytes)
    return fail(source.error({}, 1, fmt::format("larger than {} bytes", max_file_bytes),
                             {"published files have at most 135 kB: shorten the loops written out"}));
  const Expected<json::Tree> tree = json::parse(source, 0, source.text().size());
  if (!tree)
    return tl::unexpected(tree.error());
  Diagnostics errors;
  json::ValueReader reader(source, *tree, {.hint = "compare with a published file"}, errors);
  LanlFile file;
  read_object(reader, 0, "a ppt_lanl file", file_fields, file);
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return file;
}

} // namespace kerncast::ppt_gpu_2019
