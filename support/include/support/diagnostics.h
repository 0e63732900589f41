// What kerncast says about bad input: a message with a place, the line it is about, a caret and a next step.
//
//   kernel.ptx:12:3: error: unknown instruction 'addd.s32'
//      addd.s32 %r1, %r2, %r3;
//      ^~~~~~~~
//   kernel.ptx:12:3: note: did you mean 'add.s32'?
//
// Functions that read input return Expected<T>: the value, or every error found (never only the first).
// Warnings that accompany a value travel beside it, in the value's own type.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace kerncast {

enum class Severity : std::uint8_t { error, warning, note };

// A place in a text. Lines and columns count from 1; line 0 means "the file as a whole".
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string file; // empty: no file is at fault
  Place place;
  std::uint32_t length = 1; // characters underlined, from place.column
  std::string message;
  std::string source_line;        // its text, of a long line around the place; or empty
  std::vector<std::string> notes; // each is one further line with the next step
};

using Diagnostics = std::vector<Diagnostic>;

template <class T> using Expected = tl::expected<T, Diagnostics>;

// One error as the failed side of an Expected.
tl::unexpected<Diagnostics> fail(Diagnostic diagnostic);
// An error that no file is responsible for (an option, an environment variable).
tl::unexpected<Diagnostics> fail(std::string message, std::string note = {});

// A text with its name; finds lines so that diagnostics can show them.
class SourceText {
public:
  SourceText() = default;
  SourceText(std::string name, std::string text);
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  // Text of a line counted from 1, without its line end; empty past the end.
  std::string_view line(std::uint32_t number) const;
  // Place of a byte offset, offsets past the end clamped to the end.
  Place place(std::size_t offset) const;
  Diagnostic diagnose(Severity severity, Place at, std::uint32_t length, std::string message,
                      std::vector<std::string> notes = {}) const;
  Diagnostic error(Place at, std::uint32_t length, std::string message,
                   std::vector<std::string> notes = {}) const;

private:
  // Offsets of the lines' first characters. Found when the first place is asked for: most texts have no
  // errors.
  struct LineStarts {
    std::once_flag found;
    std::vector<std::size_t> offsets;
  };
  const std::vector<std::size_t>& line_starts() const;

  std::string name_;
  std::string text_;
  std::shared_ptr<LineStarts> line_starts_ = std::make_shared<LineStarts>();
};

// The lines printed for one diagnostic or for several, each ending in a newline.
std::string render(const Diagnostic& diagnostic);
std::string render(const Diagnostics& diagnostics);

} // namespace kerncast
