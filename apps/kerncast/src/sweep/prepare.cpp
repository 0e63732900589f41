#include "sweep/prepare.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "outcome.h"
#include "support/byte_parts.h"
#include "support/file_copies.h"
#include "support/files.h"
#include "sweep/parts.h"

namespace kerncast::app {
namespace {

cluster::Status stopped(const std::string& reason) {
  return {
      exit_stopped,
      fmt::format("note: stopped by {} before this job computed a row\nnote: ask again to go on\n", reason)};
}

// On rank 0 from the file system; its copies go to the others.
Expected<SweepParts> read_together(const std::string& file, const configs::ConfigPath& path,
                                   const cluster::Cluster& cluster) {
  const auto read = [&] {
    return read_source(file).and_then(
        [&](SourceText&& source) { return read_parts(std::move(source), path); });
  };
  if (cluster.ranks() == 1)
    return read();
  if (!cluster.is_root()) {
    file_copies::provide(cluster.broadcast({}));
    return read();
  }
  file_copies::begin();
  Expected<SweepParts> parts = read();
  cluster.broadcast(file_copies::end());
  return parts;
}

// What is known of an application after it was prepared.
struct AppFinding {
  std::string errors; // lines for stderr; empty: there are none
  ApplicationFacts facts;
};

void append(const AppFinding& finding, std::string& bytes) {
  for (const std::string* text : {&finding.errors, &finding.facts.name, &finding.facts.contents})
    append_part(*text, bytes);
  append_part(fmt::format("{}", finding.facts.warps), bytes);
}

AppFinding take_finding(std::string_view& bytes) {
  AppFinding finding;
  for (std::string* text : {&finding.errors, &finding.facts.name, &finding.facts.contents})
    *text = take_part(bytes);
  finding.facts.warps = std::stod(std::string(take_part(bytes)));
  return finding;
}

// Findings of applications rank, rank + ranks, ..., behind why there are not more (empty: there are all), and
// copies of the files.
std::string prepare_share(Applications& apps, std::size_t threads, const StopRequest& stop,
                          const cluster::Cluster& cluster) {
  std::string findings;
  bool ready = true;
  file_copies::begin();
  for (auto a = static_cast<std::size_t>(cluster.rank()); ready && a < apps.count();
       a += static_cast<std::size_t>(cluster.ranks())) {
    const Expected<ReadyApplication> app = apps.get(a, threads, stop);
    ready = !app || *app;
    if (ready)
      append(app ? AppFinding{{}, (*app)->facts} : AppFinding{render(app.error()), {}}, findings);
  }
  std::string share;
  append_part(ready ? "" : stop.reason(), share);
  append_part(file_copies::end(), share);
  return share + findings;
}

struct AppFindings {
  std::vector<AppFinding> of_apps;
  std::string stopped; // why some are missing; empty: none is
};

AppFindings exchange(Applications& apps, std::size_t threads, const StopRequest& stop,
                     const cluster::Cluster& cluster) {
  const std::vector<std::string> shares = cluster.gather(prepare_share(apps, threads, stop, cluster));
  AppFindings all;
  all.of_apps.resize(apps.count());
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    std::string_view bytes = shares[rank];
    if (const std::string_view reason = take_part(bytes); all.stopped.empty())
      all.stopped = reason;
    const std::string_view copies = take_part(bytes);
    if (shares.size() > 1)
      file_copies::provide(copies);
    for (std::size_t a = rank; !bytes.empty(); a += shares.size())
      all.of_apps[a] = take_finding(bytes);
  }
  return all;
}

// Also those that only show when all are known.
std::string errors_of(const SweepParts& parts, const std::vector<AppFinding>& of_apps) {
  std::string errors;
  std::vector<std::string> names;
  for (std::size_t a = 0; a < of_apps.size(); ++a) {
    const std::string& name = of_apps[a].facts.name;
    errors += of_apps[a].errors;
    if (!name.empty() && std::find(names.begin(), names.end(), name) != names.end())
      errors += render(repeated_name(*parts.file.source, parts.file.apps[a], name));
    names.push_back(name);
  }
  if (!errors.empty())
    return errors;
  const Expected<void> known = check_expressions(parts, names);
  return known ? std::string() : render(known.error());
}

} // namespace

tl::expected<PreparedSweep, cluster::Status> prepare_sweep(const std::string& file,
                                                           const configs::ConfigPath& path,
                                                           std::size_t threads, const StopRequest& stop,
                                                           const cluster::Cluster& cluster) {
  Expected<SweepParts> parts = read_together(file, path, cluster);
  cluster::Status status;
  if (!parts)
    status = {exit_bad_input, render(parts.error())};
  else if (stop.is_made())
    status = stopped(stop.reason());
  status = cluster.agree(status);
  if (status.exit_code != exit_done)
    return tl::unexpected(std::move(status));

  Applications applications(parts->file);
  const AppFindings found = exchange(applications, threads, stop, cluster);
  if (!found.stopped.empty())
    return tl::unexpected(stopped(found.stopped));
  if (std::string errors = errors_of(*parts, found.of_apps); !errors.empty())
    return tl::unexpected(cluster::Status{exit_bad_input, std::move(errors)});
  std::vector<ApplicationFacts> facts;
  for (const AppFinding& finding : found.of_apps)
    facts.push_back(finding.facts);
  return PreparedSweep{{std::move(parts->file), std::move(parts->plan), std::move(facts)},
                       std::move(applications)};
}

} // namespace kerncast::app
