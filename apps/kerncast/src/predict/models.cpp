#include "models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/suggest.h"

namespace kerncast::app {
namespace {

std::vector<Model> make_table() {
  std::vector<Model> table = {{simulator, predict_pipeline, nullptr, true},
                              {"ppt-gpu-2019", predict_ppt_gpu_2019}};
  for (const analytical::ClosedForm& form : analytical::closed_forms())
    table.push_back({.name = form.name, .closed_form = &form});
  return table;
}

tl::unexpected<Diagnostics> unknown_model(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Model& model : models())
    names.push_back(model.name);
  names.push_back(every_model);
  const std::string near = nearest(name, names);
  return fail(fmt::format("unknown model '{}'", name), near.empty()
                                                           ? fmt::format("models: {}", fmt::join(names, ", "))
                                                           : fmt::format("did you mean '{}'?", near));
}

} // namespace

std::span<const Model> models() {
  static const std::vector<Model> table = make_table();
  return table;
}

Expected<std::vector<const Model*>> find_models(std::string_view name) {
  std::vector<const Model*> found;
  for (const Model& model : models())
    if (model.name == name ||
        (name == every_model && (model.closed_form != nullptr || model.name == simulator)))
      found.push_back(&model);
  if (found.empty())
    return unknown_model(name);
  return found;
}

Expected<std::vector<Predictions>> predict_with(std::span<const Model* const> models,
                                                const ModelInput& input) {
  // Closed forms come last, in the table and so in `models`.
  std::vector<Predictions> all;
  while (all.size() < models.size() && models[all.size()]->closed_form == nullptr) {
    Expected<Predictions> one = models[all.size()]->predict(input);
    if (!one)
      return tl::unexpected(one.error());
    all.push_back(std::move(*one));
    if (all.back().ended || all.back().of_gpu.empty()) // ended, or not rank 0
      return all;
  }
  const auto forms = models.subspan(all.size());
  if (forms.empty())
    return all;
  Expected<std::vector<Predictions>> closed = predict_closed_forms(forms, input);
  if (!closed)
    return tl::unexpected(closed.error());
  all.insert(all.end(), std::make_move_iterator(closed->begin()), std::make_move_iterator(closed->end()));
  return all;
}

} // namespace kerncast::app
