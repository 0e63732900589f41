#include "print.h"

#include <cstdio>

#include "support/files.h"

namespace kerncast::app {
namespace {

void write_stderr(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

} // namespace

int print(const Outcome& outcome) {
  write_stderr(outcome.err);
  int exit_code = outcome.exit_code;
  const auto write = [&](const std::filesystem::path& path, const std::string& contents) {
    const Expected<void> written = write_file(path, contents);
    if (written)
      return;
    write_stderr(render(written.error()));
    exit_code = exit_bad_input;
  };
  for (const OutputFile& file : outcome.files)
    if (outcome.exit_code == exit_done || file.tells_errors)
      write(file.path, file.contents);
  if (!outcome.out.empty())
    write("-", outcome.out);
  return exit_code;
}

} // namespace kerncast::app
