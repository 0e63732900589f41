// TOML texts with places as the database's files have them.
#pragma once

#include "configs/toml_text.h"
#include "origin.h"

namespace kerncast::configs {

Span span_of(const toml::source_region& region);

} // namespace kerncast::configs
