// validate ppt-lanl: the recorded answers of the published PPT-GPU tool (2019), beside ours.
#include <algorithm>

#include "data_folder.h"
#include "ppt_gpu_2019/model.h"
#include "ppt_gpu_2019/reader.h"
#include "suites.h"
#include "support/files.h"

namespace kerncast::app {
namespace {

// Kernel of a file's name: hotspot_r38 of hotspot_r38_K40m.
std::string kernel_of(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  return stem.substr(0, stem.rfind('_'));
}

Expected<void> add_file(const std::filesystem::path& path, Report& report) {
  const Expected<ppt_gpu_2019::LanlFile> file = read_source(path).and_then(ppt_gpu_2019::read_lanl_file);
  if (!file)
    return tl::unexpected(file.error());
  if (!file->recording) {
    report.notes.push_back("ppt-lanl: " + path.filename().string() + " has no recorded answers");
    return {};
  }
  const Expected<ppt_gpu_2019::Result> result = ppt_gpu_2019::predict(file->input);
  if (!result)
    return tl::unexpected(result.error());
  const ppt_gpu_2019::Recording& recorded = *file->recording;
  const std::string gpu = file->input.hardware.gpu_name;
  const auto add = [&](const char* quantity, double published, double ours, bool is_main) {
    report.add(
        {"ppt-lanl", kernel_of(path), gpu, "ppt-gpu-2019", quantity, statistics::Scale::relative, is_main},
        {path.stem().string(), published, ours, std::nullopt, 0.0});
  };
  add("cycles", recorded.cycles, result->cycles, true);
  add("warp_instructions", static_cast<double>(recorded.warp_instructions),
      static_cast<double>(result->warp_instructions), false);
  return {};
}

} // namespace

Expected<void> validate_ppt_lanl(const SuiteInput& input, Report& report) {
  const Expected<std::filesystem::path> folder = data_folder(input.session, "ppt_lanl");
  if (!folder)
    return tl::unexpected(folder.error());
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(*folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".json")
      files.push_back(entry->path());
  std::ranges::sort(files);
  if (error || files.empty())
    return fail(folder->string() + " has no files of the tool", "install the reference data again");
  for (const std::filesystem::path& file : files)
    if (const Expected<void> added = add_file(file, report); !added)
      return tl::unexpected(added.error());
  return {};
}

} // namespace kerncast::app
