// Where a value of a GPU description was stated: a place in a file, or a --set.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/diagnostics.h"

namespace kerncast::configs {

struct Span {
  Place place;
  std::uint32_t length = 1;
};

struct Origin {
  std::shared_ptr<const SourceText> source; // null: stated by --set
  Span key;
  Span value;
};

// "file:line", or "--set".
std::string describe(const Origin& origin);

// Errors under the key or under the value; for a --set the message says so instead.
Diagnostic error_at_key(const Origin& origin, std::string message, std::vector<std::string> notes = {});
Diagnostic error_at_value(const Origin& origin, std::string message, std::vector<std::string> notes = {});

void append(Diagnostics& all, Diagnostics more);

} // namespace kerncast::configs
