#include "checksum.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>

#include "sweep/fingerprint.h"

namespace kerncast::sweep {
namespace {

void append_raw(double number, std::string& bytes) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof raw);
}

void append_number(sqlite3_value* value, std::string& bytes) {
  const double number = sqlite3_value_double(value); // a column may store 4.0 as 4,
  append_raw(number == 0 ? 0 : number, bytes);       // and -0.0 as 0
}

void append_text(sqlite3_value* value, std::string& bytes) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  const int size = sqlite3_value_bytes(value);
  append_raw(size, bytes);
  bytes.append(text == nullptr ? "" : text, text == nullptr ? 0 : static_cast<std::size_t>(size));
}

void append_value(sqlite3_value* value, std::string& bytes) {
  const int type = sqlite3_value_type(value);
  const bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
  bytes += static_cast<char>(is_number ? SQLITE_FLOAT : type);
  if (is_number)
    append_number(value, bytes);
  else if (type != SQLITE_NULL)
    append_text(value, bytes);
}

// Called by SQLite, which knows no exceptions.
void checksum_of(sqlite3_context* context, int count, sqlite3_value** values) noexcept {
  try {
    std::string bytes;
    bytes.reserve(16 * static_cast<std::size_t>(count)); // of most rows
    for (int i = 0; i < count; ++i)
      append_value(values[i], bytes);
    sqlite3_result_int64(context, std::bit_cast<std::int64_t>(fingerprint(bytes).low));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

} // namespace

int add_checksum_of(sqlite3* db) {
  constexpr int any_count = -1;
  return sqlite3_create_function(db, "checksum_of", any_count, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                                 checksum_of, nullptr, nullptr);
}

} // namespace kerncast::sweep
