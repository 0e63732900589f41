// The PTX modules of a file: the file's own text, or what lies in a host program, library, object, fat binary
// or cubin. Of each translation unit one module is taken.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "containers/container.h"
#include "ptx_parser/module.h"
#include "support/diagnostics.h"

namespace kerncast::app {

struct SourceModule {
  std::shared_ptr<const ptx::Module> ptx;
  std::string assumption; // why this one of several was taken; empty if there was no choice
};

struct ModuleOptions {
  std::size_t error_limit = 20; // 0: all
  std::string_view entry;       // --entry: a number as `kerncast check` counts, or sm_80; empty: the newest
  std::size_t threads = 0;      // that the modules of a container are parsed on; 0: all
};

Expected<std::vector<SourceModule>> read_modules(SourceText source, const ModuleOptions& options);

// An error if --entry was given for a file that is no container.
Expected<void> check_entry(const SourceText& source, std::string_view entry);

// The PTX in a container.
struct EmbeddedPtx {
  std::uint32_t number = 0; // from 1, what --entry takes
  containers::Entry entry;
  bool is_taken = false;
  std::string assumption;
};

struct EmbeddedModules {
  containers::ContainerKind kind = containers::ContainerKind::fat_binary;
  std::vector<EmbeddedPtx> all; // never empty
};

// All PTX of a container, with what `entry` chooses taken. An error if there is none.
Expected<EmbeddedModules> embedded_ptx(const SourceText& file, std::string_view entry);
// Its text, named FILE#NUMBER.
Expected<SourceText> embedded_text(const SourceText& file, const EmbeddedPtx& embedded);
// "sm_80", or "an unknown target".
std::string target_name(const containers::Entry& entry);

} // namespace kerncast::app
