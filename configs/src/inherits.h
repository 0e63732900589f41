// `inherits = "NAME"`: a file states only its differences to another one.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "document.h"

namespace kerncast::configs {

// Reads one file of a chain, keeps what it needs and returns the file's `inherits`; nullopt ends the chain.
using VisitFile = std::function<std::optional<Entry>(const std::filesystem::path&)>;

// Visits FILE and the chain of its `inherits`, FILE first, the farthest base last. A name is looked for in
// the folder of the file that states it, then in `folders`; a file finds itself only if there is no other of
// that name. Cycles, unknown names and names that lead out of the folders end the chain with an error.
void follow_inherits(const std::filesystem::path& file, const std::vector<std::filesystem::path>& folders,
                     const VisitFile& visit, Diagnostics& errors);

} // namespace kerncast::configs
