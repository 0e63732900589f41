// What a command has to say when it has run; main prints it, on one rank only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/diagnostics.h"

namespace kerncast::app {

// Exit codes of the program (docs/architecture.md, the command line's contract).
inline constexpr int exit_done = 0;
inline constexpr int exit_bad_input = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_internal = 3;
inline constexpr int exit_bound_broken = 4; // of --require

struct OutputFile {
  std::filesystem::path path;
  std::string contents;
  bool tells_errors = false; // written whatever the exit code
};

struct Outcome {
  int exit_code = exit_done;
  std::string out;               // standard output
  std::string err;               // diagnostics
  std::vector<OutputFile> files; // written only if exit_code is exit_done, but for those that tell errors
  bool agreed = false;           // all ranks know this outcome and end with it
};

inline Outcome bad_input(const Diagnostics& diagnostics) {
  return {exit_bad_input, {}, render(diagnostics), {}, false};
}

inline Outcome say(std::string text) { return {exit_done, std::move(text), {}, {}, false}; }

// The result of a command: `json` to standard output for "-", to a file, or the table if none was asked for.
inline Outcome result(const std::string& json_file, const std::string& json, std::string table) {
  if (json_file.empty())
    return say(std::move(table));
  if (json_file == "-")
    return say(json);
  return {exit_done, {}, {}, {{json_file, json}}, false};
}

} // namespace kerncast::app
