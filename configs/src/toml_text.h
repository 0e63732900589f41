// Reading one TOML text with errors as diagnostics.
#pragma once

#include <filesystem>
#include <memory>

#include <toml++/toml.h>

#include "origin.h"
#include "support/diagnostics.h"

namespace kerncast::configs {

struct TomlText {
  std::shared_ptr<const SourceText> source;
  toml::table table;
};

Expected<TomlText> read_toml(const std::filesystem::path& path);

Span span_of(const toml::source_region& region);

} // namespace kerncast::configs
