// Reading one TOML text with errors as diagnostics. Who includes it links toml++.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include <toml++/toml.h>

#include "support/diagnostics.h"

namespace kerncast::configs {

struct TomlText {
  std::shared_ptr<const SourceText> source;
  toml::table table;
};

Expected<TomlText> read_toml(const std::filesystem::path& path);
Expected<TomlText> parse_toml(std::shared_ptr<const SourceText> source);

// Characters of one line.
struct TomlSpan {
  Place place;
  std::uint32_t length = 1;
};
TomlSpan toml_span(const toml::source_region& region);

} // namespace kerncast::configs
