#include "variable_contents.h"

#include <algorithm>

#include <fmt/format.h>

namespace kerncast::app {
namespace {

// "table", or "filter.ptx:table": PTX names have no colon.
struct VariableName {
  std::string file; // empty: any
  std::string variable;
};

VariableName split_name(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string::npos)
    return {"", name};
  return {name.substr(0, colon), name.substr(colon + 1)};
}

const ptx::Variable* find_variable(const ptx::Module& module, const std::string& name) {
  for (const ptx::Variable& v : module.globals)
    if (v.name == name && (v.space == ptx::Space::constant || v.space == ptx::Space::global))
      return &v;
  return nullptr;
}

class VariableResolver {
public:
  VariableResolver(const application::Application& app, const std::vector<FileModule>& modules)
      : app_(app), modules_(modules) {}

  Expected<std::vector<VariableContents>> run() {
    for (const application::Buffer& stated : app_.variables)
      resolve(stated);
    if (!errors_.empty())
      return tl::unexpected(std::move(errors_));
    return std::move(resolved_);
  }

private:
  bool is_meant(const VariableName& name, const FileModule& module) const {
    const auto is_file = [&](const std::string& file) {
      return std::filesystem::path(app_.source.name()).parent_path() / file == module.path;
    };
    if (!name.file.empty())
      return is_file(name.file);
    return std::none_of(app_.variables.begin(), app_.variables.end(), [&](const application::Buffer& other) {
      const VariableName own = split_name(other.name);
      return !own.file.empty() && own.variable == name.variable && is_file(own.file);
    });
  }

  void resolve(const application::Buffer& stated) {
    const VariableName name = split_name(stated.name);
    bool found = false;
    for (const FileModule& module : modules_) {
      const ptx::Variable* variable = find_variable(*module.module.ptx, name.variable);
      if (variable == nullptr || !is_meant(name, module))
        continue;
      found = true;
      if (variable->bytes() != stated.bytes)
        return wrong_size(stated, *variable, module);
      resolved_.push_back({module.module.ptx.get(), stated});
      resolved_.back().contents.name = name.variable;
    }
    if (!found)
      errors_.push_back(app_.source.error(
          stated.init_place, 1,
          name.file.empty() ? fmt::format("the modules have no variable '{}'", name.variable)
                            : fmt::format("'{}' has no variable '{}'", name.file, name.variable),
          {"name a .const or .global variable as the PTX does, with \"FILE:\" as in \"modules\" before it if "
           "several modules have one of that name"}));
  }

  void wrong_size(const application::Buffer& stated, const ptx::Variable& variable,
                  const FileModule& module) {
    const std::string file = module.path.filename().string();
    errors_.push_back(
        app_.source.error(stated.init_place, 1,
                          fmt::format("the variable '{}' of '{}' has {} bytes, not {}", variable.name, file,
                                      variable.bytes(), stated.bytes),
                          {fmt::format("give contents for all of it; \"{}:{}\" names that of one module",
                                       file, variable.name)}));
  }

  const application::Application& app_;
  const std::vector<FileModule>& modules_;
  std::vector<VariableContents> resolved_;
  Diagnostics errors_;
};

} // namespace

Expected<std::vector<VariableContents>> resolve_variables(const application::Application& app,
                                                          const std::vector<FileModule>& modules) {
  return VariableResolver(app, modules).run();
}

} // namespace kerncast::app
