// PTX to the machine program of the GPU that the oracle tests take for a target of ptxas.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "configs/compute_capability.h"
#include "configs/loader.h"
#include "lowering/lower_compiled.h"
#include "machine/annotate.h"
#include "ptx_parser/parser.h"

namespace kerncast::machine {

inline const configs::Gpu& gpu_of(const std::string& target) {
  static const std::map<std::string, std::string> names = {
      {"sm_75", "rtx2070"}, {"sm_80", "a100-sxm4-40gb"}, {"sm_90", "h100-sxm"}};
  static std::map<std::string, configs::Gpu> gpus;
  const auto [gpu, is_new] = gpus.try_emplace(target);
  if (is_new)
    gpu->second =
        configs::load_gpu(names.at(target), {}, configs::ConfigPath({KERNCAST_SOURCE_DIR "/configs"}))
            .value();
  return gpu->second;
}

// What calls through registers may reach is code of its own for ptxas, and not counted with the kernel's.
inline bool calls_through_registers(const tasklist::Tasklist& list) {
  return std::ranges::any_of(list.assumptions, [](const std::string& assumption) {
    return assumption.find("call through a register") != std::string::npos;
  });
}

// Nothing for a kernel that cannot be compared. Without a name the only kernel.
inline std::optional<MachineProgram> lowered(Expected<SourceText>&& source, const std::string& kernel_name,
                                             const std::string& target) {
  if (!source)
    return std::nullopt;
  const auto module = ptx::parse(std::move(*source));
  if (!module)
    return std::nullopt;
  const auto kernel = lowering::select_kernel(*module, kernel_name);
  const configs::Gpu& gpu = gpu_of(target);
  const auto compiled =
      kernel ? lowering::lower_compiled(*module, **kernel, {.target = configs::compute_capability(gpu)})
             : Expected<lowering::CompiledKernel>{};
  if (!kernel || !compiled || calls_through_registers(compiled->list))
    return std::nullopt;
  auto program = annotate(compiled->list, gpu);
  return program ? std::optional(std::move(*program)) : std::nullopt;
}

} // namespace kerncast::machine
