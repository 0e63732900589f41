// What `kerncast check --json` writes, docs/schemas/kerncast-check-1.schema.json: an object per file.
//
//   [{"format": "kerncast-check/1", "file": "k.ptx", "accepted": false, "summary": null,
//     "diagnostics": [{"severity": "error", "file": "k.ptx", "line": 7, "column": 2, "length": 8,
//       "message": "unknown instruction 'addd'", "notes": ["did you mean 'add'?"]}]}]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json_text.h"
#include "support/diagnostics.h"

namespace kerncast::app {

struct FileReport {
  std::string file;
  std::optional<std::string> summary; // empty: the file has errors
  Diagnostics diagnostics;
};

Json check_json(const std::vector<FileReport>& reports);

} // namespace kerncast::app
