#include "check_json.h"

#include <algorithm>

namespace kerncast::app {
namespace {

std::string_view severity_name(Severity severity) {
  constexpr std::string_view names[] = {"error", "warning", "note"};
  return names[static_cast<std::size_t>(severity)];
}

// Line 0 is "the file as a whole", which has no column either.
Json to_json(const Diagnostic& d) {
  Json json;
  json["severity"] = severity_name(d.severity);
  json["file"] = d.file.empty() ? Json() : Json(d.file);
  const bool has_place = d.place.line != 0;
  json["line"] = has_place ? Json(d.place.line) : Json();
  json["column"] = has_place ? Json(std::max(1U, d.place.column)) : Json();
  json["length"] = has_place ? Json(std::max(1U, d.length)) : Json();
  json["message"] = d.message;
  json["notes"] = Json::array();
  for (const std::string& note : d.notes)
    json["notes"].push_back(note);
  return json;
}

} // namespace

Json check_json(const std::vector<FileReport>& reports) {
  Json all = Json::array();
  for (const FileReport& report : reports) {
    Json json;
    json["format"] = "kerncast-check/1";
    json["file"] = report.file;
    json["accepted"] = report.summary.has_value();
    json["summary"] = report.summary ? Json(*report.summary) : Json();
    json["diagnostics"] = Json::array();
    for (const Diagnostic& d : report.diagnostics)
      json["diagnostics"].push_back(to_json(d));
    all.push_back(std::move(json));
  }
  return all;
}

} // namespace kerncast::app
