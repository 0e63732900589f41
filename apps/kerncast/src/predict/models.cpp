#include "models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/suggest.h"

namespace kerncast::app {
namespace {

constexpr Model table[] = {{"pipeline", predict_pipeline, true},
                           {"ppt-gpu-2019", predict_ppt_gpu_2019},
                           {"roofline", predict_roofline},
                           {"volkov", predict_volkov}};

} // namespace

std::span<const Model> models() { return table; }

Expected<const Model*> find_model(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Model& model : table) {
    if (model.name == name)
      return &model;
    names.push_back(model.name);
  }
  const std::string near = nearest(name, names);
  return fail(fmt::format("unknown model '{}'", name), near.empty()
                                                           ? fmt::format("models: {}", fmt::join(names, ", "))
                                                           : fmt::format("did you mean '{}'?", near));
}

} // namespace kerncast::app
