// kerncast gpus [list] [show G] [check FILE...]: the GPU database.
//
//   name     product                    cc   SMs  MHz   DRAM GB/s
//   titan-x  NVIDIA GeForce GTX TITAN X  5.2   24  1000        336
#include <memory>

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "command.h"
#include "gpu_options.h"
#include "views/gpu_views.h"

namespace kerncast::app {
namespace {

struct GpusOptions {
  std::string shown;
  std::vector<std::string> checked;
  std::vector<std::string> settings;
  std::string json;
  CLI::App* show = nullptr;
  CLI::App* check = nullptr;
};

Outcome list(const GpusOptions& options, const Session& session) {
  std::vector<configs::Gpu> gpus;
  Diagnostics errors;
  for (const std::string& name : configs::list_gpus(session.configs)) {
    Expected<configs::Gpu> gpu = configs::load_gpu(name, {}, session.configs);
    if (gpu)
      gpus.push_back(std::move(*gpu));
    else
      errors.insert(errors.end(), gpu.error().begin(), gpu.error().end());
  }
  if (!errors.empty())
    return bad_input(errors);
  if (gpus.empty())
    return bad_input(
        fail("no GPU descriptions found", "name the configs folder in KERNCAST_CONFIG_PATH").value());
  return result(options.json, json_text(gpu_list_json(gpus)), gpu_list_table(gpus));
}

Outcome show(const GpusOptions& options, const Session& session) {
  const Expected<configs::Gpu> gpu = load_gpu(options.shown, options.settings, session.configs);
  if (!gpu)
    return bad_input(gpu.error());
  return result(options.json, json_text(gpu_json(*gpu)), gpu_table(*gpu));
}

Outcome check(const GpusOptions& options, const Session& session) {
  std::string text;
  std::vector<configs::Gpu> gpus;
  Diagnostics errors;
  for (const std::string& file : options.checked) {
    Expected<configs::Gpu> gpu = configs::load_gpu(file, {}, session.configs);
    if (!gpu) {
      errors.insert(errors.end(), gpu.error().begin(), gpu.error().end());
      continue;
    }
    text += file + ": " + gpu_summary(*gpu) + "\n" + check_lines(*gpu);
    gpus.push_back(std::move(*gpu));
  }
  if (!errors.empty())
    return bad_input(errors);
  return result(options.json, json_text(gpu_list_json(gpus)), text);
}

} // namespace

Run add_gpus(CLI::App& command) {
  auto options = std::make_shared<GpusOptions>();
  const auto add_json = [&](CLI::App& app) { app.add_option("--json", options->json, "FILE or -: as JSON"); };
  command.require_subcommand(0, 1);
  add_json(command);
  add_json(*command.add_subcommand("list", "all GPUs of the database"));
  options->show = command.add_subcommand("show", "one GPU, every key with its origin");
  options->show->add_option("GPU", options->shown, "name or file")->required();
  add_settings(*options->show, options->settings);
  add_json(*options->show);
  options->check = command.add_subcommand("check", "verifies GPU files");
  options->check->add_option("FILE", options->checked, "GPU files (.toml)")->required();
  add_json(*options->check);
  return [options](const Session& session) {
    if (options->show->parsed())
      return show(*options, session);
    if (options->check->parsed())
      return check(*options, session);
    return list(*options, session);
  };
}

} // namespace kerncast::app
