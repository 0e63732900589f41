#include "run/run.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "input_kind.h"
#include "option_values.h"
#include "predict/read_input.h"
#include "run/device_run.h"
#include "support/files.h"
#include "support/suggest.h"

namespace kerncast::app {
namespace {

// Values shown of a buffer.
constexpr std::size_t values_shown = 8;

struct Output {
  std::size_t buffer = 0;
  std::filesystem::path path;
};

Expected<Output> parse_output(const std::string& text, const std::vector<application::Buffer>& buffers) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  std::vector<std::string> names;
  for (const application::Buffer& buffer : buffers)
    names.push_back(buffer.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (equals == std::string::npos || equals + 1 == text.size())
    return fail(fmt::format("--output {} names no file", text), "write --output BUFFER=FILE");
  if (found != names.end())
    return Output{static_cast<std::size_t>(found - names.begin()), text.substr(equals + 1)};
  const std::string near = nearest(name, names);
  return fail(fmt::format("--output {}: there is no buffer '{}'", text, name),
              near.empty() ? "give a buffer's name, or its argument's number, from 1"
                           : fmt::format("did you mean '{}'?", near));
}

// Sums a launch's counts into those of its kernel.
void add(functional::RunResult&& from, functional::RunResult& into) {
  into.warp_instructions += from.warp_instructions;
  into.lane_instructions += from.lane_instructions;
  if (into.loops.empty())
    into.loops = from.loops;
  else
    for (std::size_t l = 0; l < into.loops.size(); ++l) {
      into.loops[l].warp_entries += from.loops[l].warp_entries;
      into.loops[l].warp_headers += from.loops[l].warp_headers;
      into.loops[l].lane_entries += from.loops[l].lane_entries;
      into.loops[l].lane_headers += from.loops[l].lane_headers;
    }
  for (functional::OpcodeCount& count : from.opcodes) {
    const auto same = std::find_if(into.opcodes.begin(), into.opcodes.end(),
                                   [&](const auto& o) { return o.opcode == count.opcode; });
    if (same == into.opcodes.end()) {
      into.opcodes.push_back(std::move(count));
      continue;
    }
    same->warps += count.warps;
    same->lanes += count.lanes;
  }
}

// A kernel that has been warned of is not again in later launches.
void add_warnings(const Diagnostics& of_launch, Diagnostics& of_kernel, Diagnostics& all) {
  if (!of_kernel.empty())
    return;
  of_kernel = of_launch;
  all.insert(all.end(), of_launch.begin(), of_launch.end());
}

KernelRun& row_of(const std::string& kernel, std::vector<KernelRun>& rows) {
  const auto same =
      std::find_if(rows.begin(), rows.end(), [&](const KernelRun& r) { return r.kernel == kernel; });
  return same != rows.end() ? *same : rows.emplace_back(KernelRun{kernel, 0, {}});
}

std::string checksum(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::uint8_t byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

template <class T>
std::vector<std::string> first_values(std::span<const std::uint8_t> bytes, const char* form) {
  std::vector<std::string> values;
  for (std::size_t k = 0; k < values_shown && (k + 1) * sizeof(T) <= bytes.size(); ++k) {
    T value;
    std::memcpy(&value, &bytes[k * sizeof(T)], sizeof(T));
    values.push_back(fmt::format(fmt::runtime(form), value));
  }
  return values;
}

std::vector<std::string> first_values(std::span<const std::uint8_t> bytes, application::ElementType type) {
  using Values = std::vector<std::string> (*)(std::span<const std::uint8_t>, const char*);
  // In the order of ElementType.
  constexpr Values rows[] = {first_values<float>,         first_values<double>,
                             first_values<std::int8_t>,   first_values<std::int16_t>,
                             first_values<std::int32_t>,  first_values<std::int64_t>,
                             first_values<std::uint8_t>,  first_values<std::uint16_t>,
                             first_values<std::uint32_t>, first_values<std::uint64_t>};
  return rows[static_cast<std::size_t>(type)](bytes, "{}");
}

BufferView view_of(const functional::Buffer& buffer, const application::Buffer& stated) {
  BufferView view;
  view.name = buffer.name();
  view.bytes = buffer.size();
  view.is_known = buffer.is_known(0, buffer.size());
  view.checksum = view.is_known ? checksum(buffer.bytes()) : "";
  const bool typed = stated.contents.type.has_value();
  view.type =
      typed ? application::element_type_names[static_cast<std::size_t>(*stated.contents.type)] : "b32";
  const auto shown_bytes = buffer.bytes().first(std::min<std::size_t>(buffer.size(), 8 * values_shown));
  if (buffer.is_known(0, shown_bytes.size()))
    view.first = typed ? first_values(shown_bytes, *stated.contents.type)
                       : first_values<std::uint32_t>(shown_bytes, "{:08x}");
  return view;
}

Expected<std::vector<Output>> parse_outputs(const RunWords& words, const PredictInput& input) {
  std::vector<Output> outputs;
  Diagnostics errors;
  for (const std::string& text : words.outputs) {
    Expected<Output> output = parse_output(text, input.buffers);
    if (output)
      outputs.push_back(std::move(*output));
    else
      errors.insert(errors.end(), output.error().begin(), output.error().end());
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return outputs;
}

Expected<PredictInput> read(const PredictOptions& options) {
  Expected<SourceText> source = read_source(options.input);
  if (!source)
    return tl::unexpected(source.error());
  if (const Expected<void> allowed = check_entry(*source, options.entry); !allowed)
    return tl::unexpected(allowed.error());
  return read_input(std::move(*source), options);
}

functional::RunOptions run_options(const PredictOptions& options, const RunWords& words,
                                   std::uint64_t max_visits) {
  functional::RunOptions run = on_threads(options.threads);
  run.max_visits_per_warp = max_visits;
  run.check_races = run.warns_of_loads = !words.allow_races;
  return run;
}

Expected<Executed> execute(const PredictInput& input, const functional::RunOptions& options,
                           const std::vector<Output>& outputs) {
  Executed executed;
  RunReport& report = executed.report;
  report.name = input.name;
  Expected<DeviceRun> device = DeviceRun::prepare(input);
  if (!device)
    return tl::unexpected(device.error());
  const auto add_launch = [&](const LaunchTurn& turn, functional::RunResult&& result) {
    KernelRun& row = row_of(input.kernels[input.launches[turn.job].kernel].list.kernel, report.kernels);
    ++row.launches;
    add_warnings(result.warnings, row.counts.warnings, report.warnings);
    add(std::move(result), row.counts);
    return true;
  };
  if (auto ran = device->run([&](const LaunchTurn&) { return options; }, add_launch); !ran)
    return tl::unexpected(ran.error());
  for (std::size_t b = 0; b < input.buffers.size(); ++b)
    report.buffers.push_back(view_of(device->memory().buffer(b), input.buffers[b]));
  report.assumptions = device->assumptions();
  for (const Output& output : outputs) {
    const auto bytes = device->memory().buffer(output.buffer).bytes();
    executed.files.push_back({output.path, std::string(bytes.begin(), bytes.end())});
  }
  return executed;
}

} // namespace

Expected<Executed> execute(const RunWords& words, std::string& printed) {
  const Expected<PredictOptions> options = check_options(words.input);
  OptionValues values;
  const std::uint64_t max_visits = values.number("--max-visits", words.max_visits, {1, UINT64_MAX},
                                                 functional::RunOptions::default_max_visits);
  if (!options || !values.errors.empty()) {
    Diagnostics errors = options ? Diagnostics{} : options.error();
    errors.insert(errors.end(), values.errors.begin(), values.errors.end());
    return tl::unexpected(std::move(errors));
  }
  const Expected<PredictInput> input = read(*options);
  if (!input)
    return tl::unexpected(input.error());
  const Expected<std::vector<Output>> outputs = parse_outputs(words, *input);
  if (!outputs)
    return tl::unexpected(outputs.error());
  functional::RunOptions run = run_options(*options, words, max_visits);
  run.print = [&printed](std::string_view text) { printed += text; };
  return execute(*input, run, *outputs);
}

} // namespace kerncast::app
