// Unrolling is a step of both: completely in the kernel, else in the code of the machine program.
#include "lowering_steps.h"

#include <algorithm>

namespace kerncast::app {

std::vector<std::string> lowering_steps() {
  std::vector<std::string> names;
  for (const auto& of_module : {lowering::pass_names(), machine::pass_names()})
    for (const std::string_view name : of_module)
      if (std::ranges::find(names, name) == names.end())
        names.emplace_back(name);
  return names;
}

lowering::LowerOptions lower_options(const std::vector<std::string>& without) {
  lowering::LowerOptions options;
  for (const std::string& name : without)
    lowering::leave_out(options, name);
  return options;
}

machine::AnnotateOptions annotate_options(const std::vector<std::string>& without) {
  machine::AnnotateOptions options;
  for (const std::string& name : without)
    machine::leave_out(options, name);
  return options;
}

} // namespace kerncast::app
