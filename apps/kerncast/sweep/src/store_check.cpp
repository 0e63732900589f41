#include "store_check.h"

#include <string>
#include <system_error>

#include <fmt/format.h>

#include "store_schema.h"

namespace kerncast::sweep {
namespace {

namespace fs = std::filesystem;

constexpr int oldest_schema = 1;
constexpr std::size_t tables_and_views = 8; // of a file of this schema

// Pages that are not in the file yet may be in the log beside it, which a job leaves behind that did not end
// by itself: SQLite then checks what it reads.
Expected<void> check_size(const Connection& file) {
  std::error_code none;
  if (fs::exists(file.log(), none) && fs::file_size(file.log(), none) > 0)
    return {};
  const auto bytes = file.value("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
  if (!bytes)
    return tl::unexpected(bytes.error());
  const std::string size = std::to_string(fs::file_size(file.path(), none));
  return size == *bytes ? Expected<void>{}
                        : file.damaged(fmt::format("it has {} bytes instead of {}", size, *bytes));
}

Expected<void> check_pages(const Connection& file) {
  const auto whole = file.value("PRAGMA quick_check(1)");
  return whole && *whole == "ok" ? Expected<void>{} : file.damaged("its pages do not fit together");
}

Expected<void> check_facts(const Connection& file, const StoreContents& contents) {
  const auto inputs = file.value("SELECT value FROM facts WHERE name = 'inputs'");
  const auto program = file.value("SELECT value FROM facts WHERE name = 'program'");
  const auto name = file.value("SELECT value FROM facts WHERE name = 'name'");
  for (const auto* value : {&inputs, &program, &name})
    if (!*value)
      return tl::unexpected(value->error());
  if (*inputs != contents.inputs.text())
    return file.refuse(
        fmt::format("the results of another sweep{}", name->empty() ? "" : ", '" + *name + "'"),
        "its points, GPUs or applications differ: name another file for this one");
  if (*program != contents.program)
    return file.refuse(fmt::format("computed by kerncast {}, but this is {}", *program, contents.program),
                       "results of two programs do not mix: name another file, or use that program");
  return {};
}

} // namespace

Expected<int> known_schema(const Connection& file) {
  const auto application = file.value("PRAGMA application_id");
  const auto schema = file.value("PRAGMA user_version");
  const auto tables = file.value("SELECT count(*) FROM sqlite_master");
  for (const auto* value : {&application, &schema, &tables})
    if (!*value)
      return tl::unexpected(value->error());
  if (*tables == "0")
    return 0;
  if (*application != std::to_string(store_application))
    return file.refuse("a database, but no result file of a sweep", "name another file");
  const int known = std::stoi(*schema);
  if (known > store_schema)
    return file.refuse(fmt::format("written by a newer kerncast: its schema is {}, this program knows {}",
                                   known, store_schema),
                       "use that program, or name another file");
  if (known < oldest_schema)
    return file.damaged("it has no schema");
  return known;
}

Expected<void> check_file(const Connection& file, const StoreContents& contents) {
  return check_size(file).and_then([&] { return check_pages(file); }).and_then([&] {
    return check_facts(file, contents);
  });
}

Expected<void> check_schema(const Connection& file, const StoreContents& contents) {
  const std::string ours = schema_of(contents);
  std::size_t found = 0;
  return file
      .each("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL",
            [&](const Statement& row) -> Expected<void> {
              found += ours.find(row.text(0) + ";") != std::string::npos ? 1 : 0;
              return {};
            })
      .and_then([&] {
        return found == tables_and_views ? Expected<void>{}
                                         : file.damaged("its tables are not those of a result file");
      });
}

} // namespace kerncast::sweep
