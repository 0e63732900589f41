#include "origin.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace kerncast::configs {
namespace {

Diagnostic error_at(const Origin& origin, const Span& span, std::string message,
                    std::vector<std::string> notes) {
  if (origin.source)
    return origin.source->error(span.place, span.length, std::move(message), std::move(notes));
  Diagnostic d;
  d.message = "--set: " + std::move(message);
  d.notes = std::move(notes);
  return d;
}

} // namespace

std::string describe(const Origin& origin) {
  return origin.source ? fmt::format("{}:{}", origin.source->name(), origin.key.place.line) : "--set";
}

Diagnostic error_at_key(const Origin& origin, std::string message, std::vector<std::string> notes) {
  return error_at(origin, origin.key, std::move(message), std::move(notes));
}

Diagnostic error_at_value(const Origin& origin, std::string message, std::vector<std::string> notes) {
  return error_at(origin, origin.value, std::move(message), std::move(notes));
}

void append(Diagnostics& all, Diagnostics more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

} // namespace kerncast::configs
