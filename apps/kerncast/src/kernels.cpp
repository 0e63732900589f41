#include "kernels.h"

#include <utility>

#include "ptx_parser/parser.h"

namespace kerncast::app {
namespace {

using ModulePointer = std::shared_ptr<const ptx::Module>;

Expected<std::vector<const ptx::Function*>> entries_of(const ptx::Module& module, std::string_view name) {
  if (!name.empty())
    return lowering::select_kernel(module, name).map([](const ptx::Function* kernel) {
      return std::vector{kernel};
    });
  std::vector<const ptx::Function*> entries;
  for (const ptx::Function& function : module.functions)
    if (function.is_entry && function.has_body)
      entries.push_back(&function);
  return entries;
}

} // namespace

const ptx::Function* KernelCode::function() const {
  if (inlined)
    return &inlined->function;
  return module ? module->find(name) : nullptr;
}

Expected<ModulePointer> read_module(SourceText source, std::size_t error_limit) {
  return ptx::parse(std::move(source), {.error_limit = error_limit}).map([](ptx::Module&& module) {
    return ModulePointer(std::make_shared<ptx::Module>(std::move(module)));
  });
}

Expected<KernelCode> lower_kernel(const ModulePointer& module, const ptx::Function& kernel,
                                  const lowering::LowerOptions& options) {
  KernelCode code;
  code.module = module;
  code.name = kernel.name;
  if (lowering::has_calls(kernel)) {
    Expected<lowering::InlinedKernel> inlined = lowering::inline_calls(*module, kernel);
    if (!inlined)
      return tl::unexpected(inlined.error());
    code.inlined = std::make_shared<const lowering::InlinedKernel>(std::move(*inlined));
  }
  Expected<tasklist::Tasklist> list = lowering::lower(*module, *code.function(), options);
  if (!list)
    return tl::unexpected(list.error());
  code.list = std::move(*list);
  return code;
}

Expected<KernelModule> read_kernels(SourceText source, std::size_t error_limit, std::string_view name,
                                    const lowering::LowerOptions& options) {
  const Expected<ModulePointer> module = read_module(std::move(source), error_limit);
  if (!module)
    return tl::unexpected(module.error());
  const Expected<std::vector<const ptx::Function*>> entries = entries_of(**module, name);
  if (!entries)
    return tl::unexpected(entries.error());
  KernelModule read{*module, {}};
  Diagnostics errors;
  for (const ptx::Function* kernel : *entries) {
    Expected<KernelCode> code = lower_kernel(*module, *kernel, options);
    if (code)
      read.kernels.push_back(std::move(*code));
    else
      errors.insert(errors.end(), code.error().begin(), code.error().end());
  }
  if (!errors.empty())
    return tl::unexpected(std::move(errors));
  return read;
}

} // namespace kerncast::app
