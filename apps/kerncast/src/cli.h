// The classes of CLI11 that headers name. CLI/CLI.hpp, which takes a compiler longer than a source of ours,
// is for sources that add options.
#pragma once

namespace CLI { // NOLINT(readability-identifier-naming): theirs
class App;
class Option;
} // namespace CLI
