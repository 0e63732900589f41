#include "ranks_views.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "prediction_table.h"
#include "table.h"

namespace kerncast::app {
namespace {

using ranks::RankOutcome;
using ranks::RankStatistics;

// More are told as the slowest, the fastest and the mean.
constexpr std::size_t most_rows = 16;
// Of a critical path.
constexpr std::size_t most_ranks_shown = 12;

constexpr std::string_view link_names[] = {"peer", "nic", "network", "uplink"};

std::string_view link_name(ranks::LinkKind kind) { return link_names[static_cast<std::size_t>(kind)]; }

void add_row(const std::string& name, const RankStatistics& s, Table& table) {
  table.add({name, time_text(s.end_us), time_text(s.compute_us), time_text(s.copy_us),
             time_text(s.communication_us), time_text(s.exposed_us), time_text(s.waiting_us),
             fmt::format("{} B", s.bytes_sent), fmt::format("{} B", s.bytes_received)});
}

std::string rank_rows(const ranks::RanksResult& result, const RankSummary& summary) {
  constexpr Align right = Align::right;
  Table table({{"rank", right},
               {"time", right},
               {"compute", right},
               {"copies", right},
               {"communication", right},
               {"exposed", right},
               {"waiting", right},
               {"sent", right},
               {"received", right}});
  if (result.ranks.size() <= most_rows)
    for (const RankOutcome& rank : result.ranks)
      add_row(fmt::format("{}", rank.rank), rank.statistics, table);
  else {
    add_row(fmt::format("slowest, {}", summary.slowest->rank), summary.slowest->statistics, table);
    add_row(fmt::format("fastest, {}", summary.fastest->rank), summary.fastest->statistics, table);
  }
  add_row("mean", summary.mean, table);
  return table.text();
}

std::string collective_line(const ranks::ChosenCollective& c) {
  return fmt::format("{} of {} bytes: {}{}, {} time{}, {} from the last rank's coming\n", ranks::name(c.op),
                     c.bytes, ranks::name(c.algorithm), c.chosen ? " (the cheapest)" : "", c.count,
                     c.count == 1 ? "" : "s",
                     time_text(static_cast<double>(c.time) / ranks::picoseconds_per_us));
}

std::string path_line(const ranks::CriticalPath& path) {
  std::vector<std::uint32_t> shown(path.ranks.rbegin(), path.ranks.rend());
  const bool cut = shown.size() > most_ranks_shown;
  if (cut)
    shown.erase(shown.begin(), shown.end() - most_ranks_shown);
  return fmt::format("critical path: {} on ranks, {} in exchanges, over {}rank{} {}\n",
                     time_text(path.own_us), time_text(path.transfer_us), cut ? "... " : "",
                     path.ranks.size() == 1 ? "" : "s", fmt::join(shown, ", "));
}

Json statistics_json(const RankStatistics& s) {
  return {{"time_us", s.end_us},
          {"compute_us", s.compute_us},
          {"copy_us", s.copy_us},
          {"busy_us", s.busy_us},
          {"communication_us", s.communication_us},
          {"exposed_us", s.exposed_us},
          {"waiting_us", s.waiting_us},
          {"bytes_sent", s.bytes_sent},
          {"bytes_received", s.bytes_received},
          {"messages_sent", s.messages_sent},
          {"messages_received", s.messages_received},
          {"collectives", s.collectives}};
}

} // namespace

RankSummary summary_of(const ranks::RanksResult& result) {
  const auto earlier = [](const RankOutcome& a, const RankOutcome& b) {
    return a.statistics.end_us < b.statistics.end_us;
  };
  const auto& all = result.ranks;
  RankSummary summary{&*std::max_element(all.begin(), all.end(), earlier),
                      &*std::min_element(all.begin(), all.end(), earlier),
                      {}};
  const auto mean = [&](auto RankStatistics::*member) {
    for (const RankOutcome& rank : all)
      summary.mean.*member += rank.statistics.*member;
    auto& sum = summary.mean.*member;
    sum /= static_cast<std::remove_reference_t<decltype(sum)>>(all.size());
  };
  for (double RankStatistics::*time :
       {&RankStatistics::end_us, &RankStatistics::compute_us, &RankStatistics::copy_us,
        &RankStatistics::busy_us, &RankStatistics::communication_us, &RankStatistics::exposed_us,
        &RankStatistics::waiting_us})
    mean(time);
  for (std::uint64_t RankStatistics::*count :
       {&RankStatistics::bytes_sent, &RankStatistics::bytes_received, &RankStatistics::messages_sent,
        &RankStatistics::messages_received, &RankStatistics::collectives})
    mean(count);
  return summary;
}

std::string ranks_table(const ClusterPrediction& prediction) {
  const configs::Cluster& cluster = prediction.cluster;
  const ranks::RanksResult& result = prediction.result;
  const RankSummary summary = summary_of(result);
  std::string text = fmt::format("{} rank{} on cluster {} of {} node{} with {} GPU{} each\n",
                                 result.ranks.size(), result.ranks.size() == 1 ? "" : "s", cluster.name,
                                 cluster.nodes, cluster.nodes == 1 ? "" : "s", cluster.gpus_per_node,
                                 cluster.gpus_per_node == 1 ? "" : "s");
  text += rank_rows(result, summary);
  text += fmt::format("slowest: rank {}, fastest: rank {}\n", summary.slowest->rank, summary.fastest->rank);
  for (const ranks::ChosenCollective& collective : result.collectives)
    text += collective_line(collective);
  for (const ranks::LinkLoad& load : result.links)
    text += fmt::format("busiest {} link: {} of {} ({:.0f} %)\n", link_name(load.kind),
                        time_text(load.busiest_us), time_text(summary.slowest->statistics.end_us),
                        100 * load.busiest_us / summary.slowest->statistics.end_us);
  return text + path_line(prediction.path);
}

Json ranks_json(const ClusterPrediction& prediction) {
  const configs::Cluster& cluster = prediction.cluster;
  const ranks::RanksResult& result = prediction.result;
  const RankSummary summary = summary_of(result);
  Json of_ranks = Json::array();
  for (const RankOutcome& rank : result.ranks)
    of_ranks.push_back(statistics_json(rank.statistics));
  Json collectives = Json::array();
  for (const ranks::ChosenCollective& c : result.collectives)
    collectives.push_back({{"op", std::string(ranks::name(c.op))},
                           {"bytes", c.bytes},
                           {"algorithm", std::string(ranks::name(c.algorithm))},
                           {"chosen_by_cost", c.chosen},
                           {"count", c.count},
                           {"time_us", static_cast<double>(c.time) / ranks::picoseconds_per_us}});
  Json links = Json::array();
  for (const ranks::LinkLoad& load : result.links)
    links.push_back({{"kind", std::string(link_name(load.kind))},
                     {"bytes", load.bytes},
                     {"busiest_us", load.busiest_us}});
  return {
      {"cluster", cluster.name},
      {"nodes", cluster.nodes},
      {"gpus_per_node", cluster.gpus_per_node},
      {"slowest_rank", summary.slowest->rank},
      {"fastest_rank", summary.fastest->rank},
      {"mean", statistics_json(summary.mean)},
      {"ranks", std::move(of_ranks)},
      {"collectives", std::move(collectives)},
      {"links", std::move(links)},
      {"critical_path",
       {{"own_us", prediction.path.own_us},
        {"transfer_us", prediction.path.transfer_us},
        {"ranks", std::vector<std::uint32_t>(prediction.path.ranks.rbegin(), prediction.path.ranks.rend())}}},
      {"simulated_windows", result.statistics.windows},
      {"simulated_events", result.statistics.events}};
}

} // namespace kerncast::app
