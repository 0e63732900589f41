#include "store_check.h"

#include <initializer_list>
#include <string>
#include <system_error>
#include <vector>

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

Expected<std::vector<std::string>> values_of(const Connection& file,
                                             std::initializer_list<const char*> statements) {
  std::vector<std::string> values;
  for (const char* sql : statements) {
    Expected<std::string> value = file.value(sql);
    if (!value)
      return tl::unexpected(value.error());
    values.push_back(std::move(*value));
  }
  return values;
}

Expected<void> check_pages(const Connection& file) {
  const auto whole = file.value("PRAGMA quick_check(1)");
  return whole && *whole == "ok" ? Expected<void>{} : file.damaged("its pages do not fit together");
}

Expected<void> check_facts(const Connection& file, const StoreContents& contents) {
  const auto facts = values_of(file, {"SELECT value FROM facts WHERE name = 'inputs'",
                                      "SELECT value FROM facts WHERE name = 'program'",
                                      "SELECT value FROM facts WHERE name = 'name'"});
  if (!facts)
    return tl::unexpected(facts.error());
  const std::string &inputs = (*facts)[0], &program = (*facts)[1], &name = (*facts)[2];
  if (inputs != contents.inputs.text())
    return file.refuse(fmt::format("the results of another sweep{}", name.empty() ? "" : ", '" + name + "'"),
                       "its points, GPUs or applications differ: name another file for this one");
  if (program != contents.program)
    return file.refuse(fmt::format("computed by kerncast {}, but this is {}", program, contents.program),
                       "results of two programs do not mix: name another file, or use that program");
  return {};
}

} // namespace

Expected<int> known_schema(const Connection& file) {
  const auto header =
      values_of(file, {"PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master"});
  if (!header)
    return tl::unexpected(header.error());
  const std::string &application = (*header)[0], &schema = (*header)[1], &tables = (*header)[2];
  if (tables == "0")
    return 0;
  if (application != std::to_string(store_application))
    return file.refuse("a database, but no result file of a sweep", "name another file");
  const int known = std::stoi(schema);
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
