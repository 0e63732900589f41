#include "sweep/prepare.h"

#include <algorithm>
#include <functional>
#include <optional>
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
  return {exit_stopped,
          fmt::format("note: stopped by {} before any row was computed\nnote: ask again to compute them\n",
                      reason)};
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

// How a rank comes to know an application; nothing if it was asked to stop before.
using Find = std::function<Expected<std::optional<ApplicationFacts>>(std::size_t app)>;

// Findings of applications rank, rank + ranks, ..., behind why there are not more (empty: there are all), and
// copies of the files.
std::string find_share(std::size_t apps, const Find& find, const StopRequest& stop,
                       const cluster::Cluster& cluster) {
  std::string findings;
  bool ready = true;
  file_copies::begin();
  for (auto a = static_cast<std::size_t>(cluster.rank()); ready && a < apps;
       a += static_cast<std::size_t>(cluster.ranks())) {
    const auto facts = find(a);
    ready = !facts || *facts;
    if (ready)
      append(facts ? AppFinding{{}, **facts} : AppFinding{render(facts.error()), {}}, findings);
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

AppFindings exchange(std::size_t apps, const Find& find, const StopRequest& stop,
                     const cluster::Cluster& cluster) {
  const std::vector<std::string> shares = cluster.gather(find_share(apps, find, stop, cluster));
  AppFindings all;
  all.of_apps.resize(apps);
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

// Each rank prepares some of them.
AppFindings prepare_shares(Applications& apps, std::size_t threads, const StopRequest& stop,
                           const cluster::Cluster& cluster) {
  const Find prepare = [&](std::size_t a) {
    return apps.get(a, threads, stop).map([](const ReadyApplication& app) {
      return app ? std::optional(app->facts) : std::nullopt;
    });
  };
  return exchange(apps.count(), prepare, stop, cluster);
}

// All prepare each of them together: there are more ranks than applications.
AppFindings prepare_together(Applications& apps, std::size_t threads, const StopRequest& stop,
                             const cluster::Cluster& cluster) {
  const Find read = [&](std::size_t a) -> Expected<std::optional<ApplicationFacts>> {
    if (stop.is_made())
      return std::nullopt;
    return apps.read(a, threads).map([](ApplicationFacts&& facts) {
      return std::optional(std::move(facts));
    });
  };
  AppFindings found = exchange(apps.count(), read, stop, cluster);
  const Together together{cluster, threads, [&] { return stop.is_made(); }};
  try {
    for (std::size_t a = 0; found.stopped.empty() && a < apps.count(); ++a)
      if (found.of_apps[a].errors.empty())
        if (const Expected<void> prepared = apps.prepare_together(a, together); !prepared)
          found.of_apps[a].errors = render(prepared.error());
  } catch (const StoppedTogether&) {
    found.stopped = cluster.agree({stop.is_made() ? exit_stopped : exit_done, stop.reason()}).message;
  }
  return found;
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
  const bool are_few = applications.count() < static_cast<std::size_t>(cluster.ranks());
  const AppFindings found =
      (are_few ? prepare_together : prepare_shares)(applications, threads, stop, cluster);
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
