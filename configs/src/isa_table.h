// The ISA table of one GPU: units as numbers, latencies filled in from the GPU's units.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "configs/gpu.h"
#include "configs/isa.h"
#include "isa_rows.h"
#include "statements.h"

namespace kerncast::configs {

// Rows of the table of gpu.architecture, looked for in `folders`; nothing after an error.
std::optional<std::vector<NamedRow>> read_isa(const Gpu& gpu, const Statements& statements,
                                              const std::vector<std::filesystem::path>& folders,
                                              Diagnostics& errors);

// The rows for the units of `gpu`.
std::shared_ptr<const IsaTable> resolve_isa(const std::vector<NamedRow>& rows, const Gpu& gpu,
                                            const Statements& statements, Diagnostics& errors);

// A unit that no row of the ISA table names does nothing; a prediction says so.
void note_unused_units(Gpu& gpu);

} // namespace kerncast::configs
