// kerncast microbench --gpu G: runs the microbenchmarks on the described GPU, and says what they find beside
// what the description says.
//
//   latency  fma.rn.f32  4  4  cycles
#include <memory>

#include <CLI/CLI.hpp>

#include "command.h"
#include "gpu_options.h"
#include "microbench/families.h"
#include "views/microbench_views.h"

namespace kerncast::app {
namespace {

struct MicrobenchOptions {
  GpuOptions gpus;
  std::string json;
  bool papers = false;
};

// The tables of 003 and 004.
Outcome run_papers(const MicrobenchOptions& options, const std::vector<configs::Gpu>& gpus) {
  std::string text;
  Json all = Json::array();
  for (const configs::Gpu& gpu : gpus) {
    const Expected<std::vector<PaperTable>> tables =
        Laboratory::open(gpu).and_then([](const Laboratory& laboratory) { return paper_tables(laboratory); });
    if (!tables)
      return bad_input(tables.error());
    text += paper_text(gpu, *tables);
    all.push_back(paper_json(gpu, *tables));
  }
  return result(options.json, json_text(all), text);
}

Outcome run_microbench(const MicrobenchOptions& options, const Session& session) {
  const Expected<std::vector<configs::Gpu>> gpus = load_gpus(options.gpus, session.configs);
  if (!gpus)
    return bad_input(gpus.error());
  if (options.papers)
    return run_papers(options, *gpus);
  std::string text;
  Json all = Json::array();
  for (const configs::Gpu& gpu : *gpus) {
    const Expected<Findings> findings = find_all(gpu);
    if (!findings)
      return bad_input(findings.error());
    text += microbench_table(gpu, *findings);
    all.push_back(microbench_json(gpu, *findings));
  }
  return result(options.json, json_text(all), text);
}

} // namespace

Run add_microbench(CLI::App& command) {
  auto options = std::make_shared<MicrobenchOptions>();
  add_repeatable(command, "--gpu", options->gpus.gpus, "GPU of the database, or a file")->required();
  add_settings(command, options->gpus.settings);
  command.add_flag("--papers", options->papers,
                   "the tables of two papers instead, with their numbers in brackets");
  command.add_option("--json", options->json, "FILE or -: as JSON")->type_name("FILE");
  return [options](const Session& session) { return run_microbench(*options, session); };
}

} // namespace kerncast::app
