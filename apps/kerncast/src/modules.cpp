#include "modules.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "parallel/run.h"
#include "ptx_parser/parser.h"

namespace kerncast::app {
namespace {

using containers::Container;
using containers::ContainerKind;
using containers::Encoding;
using containers::Entry;
using containers::Payload;

Diagnostic no_ptx(const SourceText& file, const Container& container) {
  std::set<std::string> targets;
  for (const Entry& entry : container.entries)
    if (entry.payload == Payload::machine_code && entry.architecture != 0)
      targets.insert(target_name(entry));
  const std::string what =
      container.kind == ContainerKind::cubin ? "a cubin, which holds machine code and no PTX"
      : targets.empty()                      ? "no PTX in this file"
                        : fmt::format("machine code for {} only, no PTX", fmt::join(targets, ", "));
  return file.error({}, 1, what,
                    {"compile with -gencode arch=compute_80,code=compute_80, or give the PTX (nvcc --ptx)"});
}

// Many small entries could become as large as none alone may.
Expected<void> check_total_size(const SourceText& file, const std::vector<EmbeddedPtx>& all) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 31;
  std::uint64_t bytes = 0;
  for (const EmbeddedPtx& embedded : all)
    bytes += std::max(embedded.entry.bytes, embedded.entry.unpacked_bytes);
  if (bytes > most_bytes)
    return fail(file.error(
        {}, 1,
        fmt::format("{} PTX modules of {} bytes: more than {} are refused", all.size(), bytes, most_bytes),
        {"give the PTX itself (nvcc --ptx)"}));
  return {};
}

// Architecture first, then version of the PTX ISA.
auto age(const Entry& e) { return std::tuple(e.architecture, e.version_major, e.version_minor); }

// Of each translation unit the newest.
void take_newest(const SourceText& file, std::vector<EmbeddedPtx>& all) {
  std::map<std::uint32_t, std::vector<EmbeddedPtx*>> units;
  for (EmbeddedPtx& embedded : all)
    units[embedded.entry.unit].push_back(&embedded);
  for (const auto& [unit, candidates] : units) {
    EmbeddedPtx& newest = **std::max_element(
        candidates.begin(), candidates.end(),
        [](const EmbeddedPtx* a, const EmbeddedPtx* b) { return age(a->entry) < age(b->entry); });
    newest.is_taken = true;
    if (candidates.size() == 1)
      continue;
    std::vector<std::string> targets;
    for (const EmbeddedPtx* candidate : candidates)
      targets.push_back(target_name(candidate->entry));
    newest.assumption = fmt::format("PTX for {} taken of {} in {} (--entry chooses)",
                                    target_name(newest.entry), fmt::join(targets, ", "), file.name());
  }
}

// Whether anything has this number or target.
bool take_named(std::string_view name, std::vector<EmbeddedPtx>& all) {
  std::uint32_t number = 0;
  const bool is_target = name.starts_with("sm_");
  const std::string_view digits = name.substr(is_target ? 3 : 0);
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (status != std::errc() || end != digits.data() + digits.size())
    return false;
  bool found = false;
  for (EmbeddedPtx& embedded : all) {
    embedded.is_taken = (is_target ? embedded.entry.architecture : embedded.number) == number;
    found = found || embedded.is_taken;
  }
  return found;
}

Diagnostic unknown_entry(const SourceText& file, std::string_view name, const std::vector<EmbeddedPtx>& all) {
  constexpr std::size_t most_listed = 20;
  std::vector<std::string> known;
  for (const EmbeddedPtx& embedded : all)
    if (known.size() < most_listed)
      known.push_back(fmt::format("{} ({})", embedded.number, target_name(embedded.entry)));
  return file.error(
      {}, 1, fmt::format("--entry: no PTX '{}' in this file", name),
      {fmt::format("it has {}{}", fmt::join(known, ", "), all.size() > most_listed ? ", ..." : "")});
}

Expected<SourceModule> parse_module(SourceText source, const ModuleOptions& options, std::string assumption) {
  return ptx::parse(std::move(source), {.error_limit = options.error_limit}).map([&](ptx::Module&& module) {
    return SourceModule{std::make_shared<const ptx::Module>(std::move(module)), std::move(assumption)};
  });
}

// The first that is wrong decides, as if they were read one after the other.
Expected<std::vector<SourceModule>> parse_side_by_side(const SourceText& file,
                                                       const std::vector<const EmbeddedPtx*>& embedded,
                                                       const ModuleOptions& options) {
  std::vector<Expected<SourceModule>> parsed(embedded.size());
  parallel::for_each_index(parsed.size(), options.threads, [&](std::size_t i) {
    parsed[i] = embedded_text(file, *embedded[i]).and_then([&](SourceText&& text) {
      return parse_module(std::move(text), options, embedded[i]->assumption);
    });
  });
  std::vector<SourceModule> modules;
  for (Expected<SourceModule>& one : parsed) {
    if (!one)
      return tl::unexpected(one.error());
    modules.push_back(std::move(*one));
  }
  return modules;
}

} // namespace

Expected<void> check_entry(const SourceText& source, std::string_view entry) {
  if (entry.empty() || containers::is_container(source.text()))
    return {};
  return fail(source.error({}, 1,
                           "--entry chooses among the PTX in a program, but this is no file of that kind",
                           {"leave out --entry"}));
}

std::string target_name(const Entry& entry) {
  return entry.architecture == 0 ? "an unknown target" : fmt::format("sm_{}", entry.architecture);
}

Expected<EmbeddedModules> embedded_ptx(const SourceText& file, std::string_view entry) {
  const Expected<Container> container = containers::read_container(file);
  if (!container)
    return tl::unexpected(container.error());
  std::vector<EmbeddedPtx> all;
  for (const Entry& found : container->entries)
    if (found.payload == Payload::ptx)
      all.push_back({static_cast<std::uint32_t>(all.size() + 1), found, false, {}});
  if (all.empty())
    return fail(no_ptx(file, *container));
  if (Expected<void> bearable = check_total_size(file, all); !bearable)
    return tl::unexpected(bearable.error());
  if (entry.empty())
    take_newest(file, all);
  else if (!take_named(entry, all))
    return fail(unknown_entry(file, entry, all));
  return EmbeddedModules{container->kind, std::move(all)};
}

Expected<SourceText> embedded_text(const SourceText& file, const EmbeddedPtx& embedded) {
  return containers::unpack(file, embedded.entry).map([&](std::string text) {
    return SourceText(fmt::format("{}#{}", file.name(), embedded.number), std::move(text));
  });
}

Expected<std::vector<SourceModule>> read_modules(SourceText source, const ModuleOptions& options) {
  if (!containers::is_container(source.text()))
    return check_entry(source, options.entry)
        .and_then([&] { return parse_module(std::move(source), options, {}); })
        .map([](SourceModule&& module) { return std::vector{std::move(module)}; });
  const Expected<EmbeddedModules> embedded = embedded_ptx(source, options.entry);
  if (!embedded)
    return tl::unexpected(embedded.error());
  std::vector<const EmbeddedPtx*> taken;
  for (const EmbeddedPtx& one : embedded->all)
    if (one.is_taken)
      taken.push_back(&one);
  return parse_side_by_side(source, taken, options);
}

} // namespace kerncast::app
