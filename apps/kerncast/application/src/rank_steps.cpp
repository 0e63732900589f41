// Events as ranks see them: an event whose expressions name the rank is read once for each rank, others once
// for all. {"op": "group", "events": [...]} and {"op": "repeat", "times": 10, "events": [...]} hold others.
#include <algorithm>

#include <fmt/format.h>

#include "application/read.h"
#include "parts.h"

namespace kerncast::application {
namespace {

using timeline::GroupEvent;
using timeline::RankStep;

// The event's `when`; 0 if it has none. Of what is not an expression: a number.
NodeId condition_of(ValueReader& reader, NodeId object, const Draft& draft) {
  const NodeId when = field(reader, object, "when");
  const bool is_text = when != 0 && reader.node(when).kind == json::Kind::string;
  if (when != 0 && !(is_text && !RankValues::find(*draft.tree, when).empty()))
    reader.natural(when, "when", {0, UINT64_MAX});
  return when;
}

// Present for which rank, and its numbers put into the tree; nothing: an error was found.
std::optional<bool> enter(ValueReader& reader, const std::vector<ExpressionNode>& expressions, NodeId when,
                          std::uint32_t rank, Draft& draft) {
  draft.rank = rank;
  const json::Node& condition = draft.tree->nodes[when];
  const bool is_stated =
      when != 0 && std::ranges::none_of(expressions, [when](const ExpressionNode& expression) {
        return expression.node == when;
      });
  if (is_stated && condition.kind == json::Kind::natural && condition.natural == 0)
    return false;
  if (!draft.values.enter(reader, rank))
    return std::nullopt;
  for (const ExpressionNode& expression : expressions) {
    const std::optional<std::int64_t> value = draft.values.put(reader, *draft.tree, expression);
    if (!value)
      return std::nullopt;
    if (expression.node == when && *value == 0)
      return false;
  }
  return true;
}

// The numbers that the expressions had where the errors from `first` on were found.
void tell_rank(const Draft& draft, const std::vector<ExpressionNode>& expressions, std::size_t first) {
  std::string note = draft.values.place(draft.rank);
  const auto add = [&](const std::string& text) { note += (note.empty() ? "" : ", ") + text; };
  for (const ExpressionNode& expression : expressions) {
    const json::Node& node = draft.tree->nodes[expression.node];
    if (node.kind == json::Kind::negative)
      add(fmt::format("'={}' is {}", expression.text, node.negative));
    else if (node.kind == json::Kind::natural)
      add(fmt::format("'={}' is {}", expression.text, node.natural));
  }
  for (std::size_t i = first; i < draft.errors->size() && !note.empty(); ++i)
    (*draft.errors)[i].notes.push_back(note);
}

// Of one that is absent only the names of its fields.
void read_if_present(ValueReader& reader, NodeId object, bool is_present, Draft& draft) {
  draft.is_absent = !is_present;
  read_plain_event(reader, object, draft);
  draft.is_absent = false;
}

// An event, and what of it differs between ranks.
struct EventToRead {
  NodeId object = 0;
  NodeId when = 0; // 0: it has none
  std::vector<ExpressionNode> expressions;
};

// The rank's variant of the event, if it has one, becomes part of the step.
void add_variant(ValueReader& reader, const EventToRead& event, std::uint32_t rank, Draft& draft,
                 RankStep& step) {
  const std::size_t errors = draft.errors->size();
  const std::optional<bool> present = enter(reader, event.expressions, event.when, rank, draft);
  if (!present)
    return;
  read_if_present(reader, event.object, *present, draft);
  if (errors < draft.errors->size())
    return tell_rank(draft, event.expressions, errors);
  step.of_rank.push_back(*present ? static_cast<std::uint32_t>(step.variants.size()) : RankStep::none);
  step.variants.insert(step.variants.end(), draft.app.events.begin(), draft.app.events.end());
  draft.app.events.clear();
}

} // namespace

void append_step(RankStep step, timeline::RankProgram& program) {
  program.order.push_back(static_cast<std::uint32_t>(program.steps.size()));
  program.steps.push_back(std::move(step));
}

namespace {

void read_step(ValueReader& reader, NodeId object, Draft& draft) {
  const EventToRead event{object, condition_of(reader, object, draft), RankValues::find(*draft.tree, object)};
  const bool of_rank =
      std::any_of(event.expressions.begin(), event.expressions.end(),
                  [&](const ExpressionNode& expression) { return draft.values.is_of_rank(expression); });
  const std::uint32_t ranks = draft.values.ranks();
  RankStep step{reader.place(object), {}, {}};
  const std::uint64_t times = draft.times;
  draft.times = of_rank ? times : times * ranks;
  const std::size_t errors = draft.errors->size();
  for (std::uint32_t rank = 0; rank < (of_rank ? ranks : 1) && errors == draft.errors->size(); ++rank)
    add_variant(reader, event, rank, draft, step);
  draft.times = times;
  if (!of_rank)
    step.of_rank.clear();
  else
    draft.different_events += step.variants.size();
  if (!step.variants.empty())
    append_step(std::move(step), draft.app.program);
}

struct GroupDraft {
  std::uint32_t stream = 0;
  NodeId events = 0;
};

constexpr Field<GroupDraft> group_fields[] = {{"op", Need::required, json::read_nothing<GroupDraft>},
                                              {"stream", Need::optional, read_stream},
                                              {"events", Need::required, read_nested_events}};

// Steps from the position on that one rank has.
std::size_t most_of_a_rank(const timeline::RankProgram& program, std::size_t begin) {
  std::size_t most = 0;
  const std::size_t steps = program.order.size() - begin;
  for (std::uint32_t rank = 0; steps > timeline::max_group_members && rank < program.ranks; ++rank) {
    std::size_t of_rank = 0;
    for (std::size_t position = begin; position < program.order.size(); ++position)
      of_rank += program.step(position).at(rank) != nullptr ? 1 : 0;
    most = std::max(most, of_rank);
  }
  return most;
}

// Its members of the same kinds as outside of it, but for streams.
void read_group(ValueReader& reader, NodeId object, Draft& draft) {
  if (draft.group_stream)
    return reader.error(object, "a group in a group", {"one group holds all that starts together"});
  GroupDraft group;
  read_object(reader, object, "group", group_fields, group);
  if (group.events == 0)
    return;
  const auto mark = [&](bool begins) {
    append_step({reader.place(object), {GroupEvent{begins, group.stream}}, {}}, draft.app.program);
  };
  mark(true);
  const std::size_t begin = draft.app.program.order.size();
  draft.group_stream = group.stream;
  reader.for_each_element(group.events, [&](NodeId event) { read_rank_event(reader, event, draft); });
  draft.group_stream.reset();
  const std::size_t members = most_of_a_rank(draft.app.program, begin);
  if (members > timeline::max_group_members)
    reader.error(object,
                 fmt::format("a group of {} communications of one rank; {} is the most", members,
                             timeline::max_group_members),
                 {"take a collective, such as all_to_all, or several groups"});
  mark(false);
}

struct RepeatDraft {
  std::uint64_t times = 1;
  NodeId events = 0;
};

void read_times(ValueReader& reader, NodeId value, RepeatDraft& into) {
  into.times = reader.natural(value, "times", {1, max_repeated_events}).value_or(1);
}

constexpr Field<RepeatDraft> repeat_fields[] = {{"op", Need::required, json::read_nothing<RepeatDraft>},
                                                {"times", Need::required, read_times},
                                                {"events", Need::required, read_nested_events}};

void read_repeat(ValueReader& reader, NodeId object, Draft& draft) {
  if (draft.group_stream)
    return reader.error(object, "a group holds communication only");
  const std::size_t errors = draft.errors->size();
  if (const NodeId times = field(reader, object, "times"); times != 0)
    put_common_values(reader, times, draft);
  RepeatDraft repeat;
  if (errors == draft.errors->size())
    read_object(reader, object, "repeat", repeat_fields, repeat);
  if (repeat.events == 0)
    return;
  std::vector<std::uint32_t>& order = draft.app.program.order;
  const std::size_t begin = order.size();
  const std::uint64_t times = draft.times;
  draft.times *= repeat.times;
  reader.for_each_element(repeat.events, [&](NodeId event) { read_rank_event(reader, event, draft); });
  draft.times = times;
  const std::vector<std::uint32_t> once(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end());
  if (order.size() + once.size() * (repeat.times - 1) > max_repeated_events)
    return reader.error(object, fmt::format("more than {} events", max_repeated_events),
                        {"repeat less often"});
  for (std::uint64_t i = 1; i < repeat.times; ++i)
    order.insert(order.end(), once.begin(), once.end());
}

std::string_view op_of(ValueReader& reader, NodeId object) {
  const NodeId op = field(reader, object, "op");
  return op != 0 && reader.node(op).kind == json::Kind::string ? reader.tree().text(op) : std::string_view{};
}

// False, with an error, if one of the expressions names the rank.
bool are_common(ValueReader& reader, const std::vector<ExpressionNode>& expressions, const Draft& draft) {
  for (const ExpressionNode& expression : expressions)
    if (draft.values.is_of_rank(expression)) {
      reader.error(expression.node, "the same for all ranks, but the expression names the rank",
                   {"name only 'ranks' and what does not depend on the rank"});
      return false;
    }
  return true;
}

void read_one_or_several(ValueReader& reader, NodeId object, Draft& draft) {
  const std::string_view op = op_of(reader, object);
  if (op == "group")
    return read_group(reader, object, draft);
  if (op == "repeat")
    return read_repeat(reader, object, draft);
  if (op == "graph")
    return read_graph(reader, object, draft);
  if (op != "graph_launch")
    return read_step(reader, object, draft);
  if (are_common(reader, RankValues::find(*draft.tree, object), draft))
    read_only_event(reader, object, draft);
}

} // namespace

void read_rank_event(ValueReader& reader, NodeId object, Draft& draft) {
  if (draft.has_too_many_events)
    return;
  const std::size_t errors = draft.errors->size();
  read_one_or_several(reader, object, draft);
  if (errors < draft.errors->size())
    return;
  draft.has_too_many_events = true;
  if (draft.app.program.order.size() * draft.values.ranks() > max_events_of_ranks)
    reader.error(object,
                 fmt::format("more than {} events of all {} ranks together", max_events_of_ranks,
                             draft.values.ranks()),
                 {"take fewer ranks, or repeat less often and scale the time"});
  else if (draft.different_events > max_different_events)
    reader.error(object,
                 fmt::format("more than {} events that differ from rank to rank", max_different_events),
                 {"take fewer ranks, or repeat events with 'repeat'"});
  else
    draft.has_too_many_events = false;
}

// Of an application of one GPU, or the same for all ranks: that of rank 0.
void read_only_event(ValueReader& reader, NodeId object, Draft& draft) {
  if (op_of(reader, object) == "graph") // whose nodes have their own expressions
    return read_graph(reader, object, draft);
  const NodeId when = condition_of(reader, object, draft);
  const std::optional<bool> happens = enter(reader, RankValues::find(*draft.tree, object), when, 0, draft);
  if (!happens)
    return;
  read_if_present(reader, object, *happens, draft);
}

void put_common_values(ValueReader& reader, NodeId object, Draft& draft) {
  const std::vector<ExpressionNode> expressions = RankValues::find(*draft.tree, object);
  if (!are_common(reader, expressions, draft) || expressions.empty() || !draft.values.enter(reader, 0))
    return;
  for (const ExpressionNode& expression : expressions)
    draft.values.put(reader, *draft.tree, expression);
}

} // namespace kerncast::application
