// Graphs: {"op": "graph", "name": "step", "events": [...]} says what a captured stream, and those that were
// joined to it, hold; {"op": "graph_launch", "graph": "step", "stream": 0, "repeat": 10} launches it.
#include <set>
#include <utility>

#include <fmt/format.h>

#include "application/read.h"
#include "parts.h"

namespace kerncast::application {
namespace {

using timeline::GraphEvent;

struct GraphDraft {
  std::string name;
  NodeId events = 0;
};

void read_graph_name(ValueReader& reader, NodeId value, GraphDraft& into) {
  into.name = reader.string(value, "name").value_or("");
}

constexpr Field<GraphDraft> graph_fields[] = {{"op", Need::required, json::read_nothing<GraphDraft>},
                                              {"name", Need::required, read_graph_name},
                                              {"events", Need::required, read_nested_events}};

struct GraphLaunchDraft {
  const Draft& draft;
  std::string_view graph;
  std::uint32_t stream = 0;
  std::uint8_t device = 0;
  std::uint64_t repeat = 1;
};

void read_graph_of_launch(ValueReader& reader, NodeId value, GraphLaunchDraft& into) {
  if (find_named(reader, value, "graph", into.draft.graphs) != nullptr)
    into.graph = reader.tree().text(value);
}

void read_graph_repeat(ValueReader& reader, NodeId value, GraphLaunchDraft& into) {
  into.repeat = reader.natural(value, "repeat", {1, max_launches}).value_or(1);
}

constexpr Field<GraphLaunchDraft> launch_fields[] = {
    {"op", Need::required, json::read_nothing<GraphLaunchDraft>},
    {"graph", Need::required, read_graph_of_launch},
    {"device", Need::optional, read_device},
    {"stream", Need::optional, read_stream},
    {"repeat", Need::optional, read_graph_repeat},
    {"when", Need::optional, json::read_nothing<GraphLaunchDraft>}};

static_assert(timeline::first_graph_stream > max_stream &&
                  timeline::first_graph_stream + max_graph_streams * max_graph_launch_streams <=
                      timeline::device_streams,
              "streams of graphs have numbers of their own");

bool has_ranks(const Draft& draft) { return draft.app.program.ranks > 0; }

std::size_t streams_of(const CapturedGraph& graph, const Draft& draft) {
  std::set<std::uint32_t> streams;
  const auto add = [&streams](const timeline::Event& event) {
    std::visit(
        [&streams](const auto& e) {
          if constexpr (requires { e.stream; })
            streams.insert(e.stream);
        },
        event);
  };
  for (const timeline::Event& event : graph.events)
    add(event);
  for (const std::uint32_t step : graph.steps)
    for (const timeline::Event& event : draft.app.program.steps[step].variants)
      add(event);
  return streams.size();
}

// Launches of kernels in one launch of the graph, by distinct launch.
void count_kernels(ValueReader& reader, NodeId object, const CapturedGraph& graph, std::uint64_t launches,
                   Draft& draft) {
  const auto count = [&](const timeline::Event& event, std::uint64_t times) {
    if (const auto* kernel = std::get_if<timeline::KernelEvent>(&event)) {
      draft.launches.count(kernel->launch, kernel->repeat * times);
      count_launches(reader, object, kernel->repeat * times, draft);
    }
  };
  for (const timeline::Event& event : graph.events)
    count(event, launches);
  for (const std::uint32_t number : graph.steps) {
    const timeline::RankStep& step = draft.app.program.steps[number];
    if (step.of_rank.empty())
      count(step.variants.front(), launches * draft.app.program.ranks);
    for (const std::uint32_t variant : step.of_rank)
      if (variant != timeline::RankStep::none)
        count(step.variants[variant], launches);
  }
}

void append_launch(const CapturedGraph& graph, std::uint32_t stream, Application& app) {
  app.events.emplace_back(GraphEvent{true, graph.number, stream});
  for (BufferFill fill : graph.fills) {
    fill.event += app.events.size();
    app.fills.push_back(fill);
  }
  app.events.insert(app.events.end(), graph.events.begin(), graph.events.end());
  app.events.emplace_back(GraphEvent{false, graph.number, stream});
}

// A launch that does not happen names its graph all the same.
void name_graph(ValueReader& reader, NodeId object, Draft& draft) {
  const NodeId name = field(reader, object, "graph");
  if (name != 0 && find_named(reader, name, "graph", draft.graphs) != nullptr)
    draft.graphs.at(reader.tree().text(name)).is_named = true;
}

// The launches' steps: the marks are steps of their own, the nodes are those of the graph.
void append_steps(const CapturedGraph& graph, Place place, const GraphLaunchDraft& launch,
                  timeline::RankProgram& program) {
  append_step({place, {GraphEvent{true, graph.number, launch.stream}}, {}}, program);
  const std::uint32_t begin = program.order.back();
  program.order.insert(program.order.end(), graph.steps.begin(), graph.steps.end());
  append_step({place, {GraphEvent{false, graph.number, launch.stream}}, {}}, program);
  const std::uint32_t end = program.order.back();
  for (std::uint64_t i = 1; i < launch.repeat; ++i) {
    program.order.push_back(begin);
    program.order.insert(program.order.end(), graph.steps.begin(), graph.steps.end());
    program.order.push_back(end);
  }
}

} // namespace

void read_graph(ValueReader& reader, NodeId object, Draft& draft) {
  if (!draft.capturing.empty())
    return reader.error(object, "a graph in a graph", {"put the nodes of both into one"});
  if (draft.group_stream)
    return reader.error(object, "a group holds communication only");
  GraphDraft read;
  read_object(reader, object, "graph", graph_fields, read);
  if (read.events == 0 || read.name.empty())
    return;
  if (draft.graphs.contains(read.name))
    return reader.error(object, fmt::format("there is a graph '{}' already", read.name),
                        {"give each graph a name of its own"});
  CapturedGraph graph{
      static_cast<std::uint32_t>(draft.graphs.size()), reader.place(object), false, {}, {}, {}, 0};
  std::vector<timeline::Event> events = std::exchange(draft.app.events, {});
  std::vector<BufferFill> fills = std::exchange(draft.app.fills, {});
  std::vector<std::uint32_t> order = std::exchange(draft.app.program.order, {});
  const std::uint64_t times = std::exchange(draft.times, 0);
  draft.capturing = read.name;
  reader.for_each_element(read.events, [&](NodeId event) { read_event(reader, event, draft); });
  draft.capturing.clear();
  draft.times = times;
  graph.events = std::exchange(draft.app.events, std::move(events));
  graph.fills = std::exchange(draft.app.fills, std::move(fills));
  graph.steps = std::exchange(draft.app.program.order, std::move(order));
  if (reader.node(read.events).after == read.events + 1)
    reader.error(read.events, "a graph without nodes");
  graph.streams = streams_of(graph, draft);
  if (graph.streams > max_graph_streams)
    reader.error(read.events, fmt::format("a graph with more than {} streams", max_graph_streams));
  draft.app.graphs.push_back(read.name);
  draft.graphs.emplace(std::move(read.name), std::move(graph));
}

void read_graph_launch(ValueReader& reader, NodeId object, Draft& draft) {
  if (!draft.capturing.empty() || draft.group_stream)
    return reader.error(object, "a graph is launched neither in a graph nor in a group");
  GraphLaunchDraft launch{draft, {}};
  if (!read_event_fields(reader, object, "graph_launch", launch_fields, launch, draft))
    return name_graph(reader, object, draft);
  put_on_device(reader, object, draft, launch);
  const auto found = draft.graphs.find(launch.graph);
  if (found == draft.graphs.end())
    return;
  CapturedGraph& graph = found->second;
  const std::uint64_t times = launch.repeat * draft.times;
  graph.is_named = true;
  draft.graph_events += (graph.events.size() + graph.steps.size() + 2) * launch.repeat;
  if (draft.graph_events > max_repeated_events)
    return reader.error(
        object,
        fmt::format(
            "launches of graphs become more than {} events (each launch two, and what the graph holds)",
            max_repeated_events),
        {"launch it less often and scale the time"});
  if (graph.streams > 1)
    draft.graph_launch_streams.insert(launch.stream);
  if (draft.graph_launch_streams.size() > max_graph_launch_streams)
    return reader.error(object,
                        fmt::format("graphs with several streams are launched to more than {} streams",
                                    max_graph_launch_streams),
                        {"launch them to fewer streams"});
  count_kernels(reader, object, graph, times, draft);
  if (has_ranks(draft))
    return append_steps(graph, reader.place(object), launch, draft.app.program);
  for (std::uint64_t i = 0; i < launch.repeat; ++i)
    append_launch(graph, launch.stream, draft.app);
}

void check_graphs_are_launched(const Draft& draft, Diagnostics& errors) {
  for (const auto& [name, graph] : draft.graphs)
    if (!graph.is_named)
      errors.push_back(draft.app.source.error(graph.place, 1,
                                              fmt::format("graph '{}' is never launched", name),
                                              {"leave it out, or launch it, if only where 'when' is not 0"}));
}

} // namespace kerncast::application
