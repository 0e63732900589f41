#include "module_header.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "numbered_names.h"
#include "suggestion.h"

namespace kerncast::ptx {
namespace {

// 100 times the major version and the minor one. Newer modules are read as far as they are like this version.
constexpr std::uint32_t newest_version = 902;

// The targets of PTX, sm_10 and compute_10 and so on, and the versions that brought them, by number (PTX ISA,
// release history; from sm_75 to sm_121 as ptxas 13.0 takes them).
struct KnownTarget {
  std::string_view name;
  std::uint32_t since;
};
constexpr KnownTarget known_targets[] = {
    {"10", 100},   {"11", 100},   {"12", 102},   {"13", 102},   {"20", 200},   {"21", 200},   {"30", 300},
    {"32", 400},   {"35", 301},   {"37", 401},   {"50", 400},   {"52", 401},   {"53", 402},   {"60", 500},
    {"61", 500},   {"62", 500},   {"70", 600},   {"72", 601},   {"75", 603},   {"80", 700},   {"86", 701},
    {"87", 704},   {"88", 808},   {"89", 708},   {"90", 708},   {"90a", 800},  {"100", 806},  {"100a", 806},
    {"100f", 808}, {"101", 806},  {"101a", 806}, {"101f", 808}, {"103", 808},  {"103a", 808}, {"103f", 808},
    {"107", 904},  {"107a", 904}, {"107f", 904}, {"110", 900},  {"110a", 900}, {"110f", 900}, {"120", 807},
    {"120a", 807}, {"120f", 808}, {"121", 808},  {"121a", 808}, {"121f", 808}};

// The last minor version of each major one; of the newest there may be more.
constexpr std::uint32_t last_minor[] = {0, 5, 3, 2, 3, 1, 5, 8, 8};

bool is_missing_version(std::uint32_t version) {
  const std::uint32_t major = version / 100;
  return major == 0 || (major < std::size(last_minor) && version % 100 > last_minor[major]);
}

std::string version_text(std::uint32_t version) { return fmt::format("{}.{}", version / 100, version % 100); }

void warn(State& s, const Token& at, std::string message, std::string note) {
  s.module.warnings.push_back(s.source.diagnose(Severity::warning, at.place,
                                                static_cast<std::uint32_t>(at.text.size()),
                                                std::move(message), {std::move(note)}));
}

bool parse_version(State& s) {
  s.advance();
  const Token at = s.now;
  const std::size_t point = at.text.find('.');
  const auto is_number = [](std::string_view t) {
    return !t.empty() && t.size() <= 3 && t.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (!at.is(TokenKind::real) || !is_number(at.text.substr(0, point)) ||
      !is_number(at.text.substr(point + 1)))
    return s.error_here(
        fmt::format("expected a version such as 8.0 after .version, but found {}", describe(at)),
        {"a version has the form MAJOR.MINOR"});
  s.module.version_major = number_in(at.text.substr(0, point));
  s.module.version_minor = number_in(at.text.substr(point + 1));
  // The rest of the module can be read all the same.
  if (is_missing_version(s.offer().version))
    s.error_here(fmt::format("there is no PTX version {}", at.text),
                 {"write a version of the PTX ISA, for example 8.0"});
  if (s.offer().version > newest_version)
    warn(s, at,
         fmt::format(".version {} is newer than {}, the newest known here", at.text,
                     version_text(newest_version)),
         "of what it adds some is known; the rest is refused or not checked");
  s.advance();
  return true;
}

std::uint32_t number_of(std::string_view target) {
  constexpr std::size_t most_digits = 4;
  const std::size_t digits = std::min(target.find_first_not_of("0123456789"), target.size());
  return digits > most_digits ? 0 : number_in(target.substr(0, digits));
}

// 130, 130a or 130f.
bool has_form_of_target(std::string_view name) {
  const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  const std::string_view suffix = name.substr(digits);
  return !name.starts_with('0') && number_of(name) >= number_of(std::begin(known_targets)->name) &&
         (suffix.empty() || suffix == "a" || suffix == "f");
}

bool is_newer_target(std::string_view name) {
  return number_of(name) > number_of(std::rbegin(known_targets)->name);
}

// Of the targets of this version that next below, or the one that is written most alike.
std::vector<std::string> nearest_target(std::string_view target, std::string_view name,
                                        std::uint32_t version) {
  const KnownTarget* below = nullptr;
  for (const KnownTarget& t : known_targets)
    if (t.since <= version && number_of(t.name) <= number_of(name) &&
        number_of(t.name) > (below ? number_of(below->name) : 0))
      below = &t;
  const std::string_view prefix = target.starts_with("compute_") ? "compute_" : "sm_";
  if (below != nullptr)
    return {fmt::format("did you mean '{}{}'?", prefix, below->name)};
  std::vector<std::string> texts;
  for (const KnownTarget& t : known_targets)
    if (t.since <= version)
      texts.push_back(fmt::format("{}{}", prefix, t.name));
  const std::vector<std::string_view> known(texts.begin(), texts.end());
  return suggestion(target, known, "", "a target is written sm_80 or compute_80");
}

bool check_target(State& s, const Token& at) {
  const std::size_t prefix = at.text.starts_with("sm_") ? 3 : at.text.starts_with("compute_") ? 8 : 0;
  const std::string_view name = prefix == 0 ? std::string_view{} : at.text.substr(prefix);
  const auto* const known = std::find_if(std::begin(known_targets), std::end(known_targets),
                                         [&](const KnownTarget& t) { return t.name == name; });
  if (known != std::end(known_targets))
    return known->since <= s.offer().version ||
           s.error(at.place, at.text.size(),
                   fmt::format("'{}' is no target of .version {}.{}", at.text, s.module.version_major,
                               s.module.version_minor),
                   {fmt::format("write .version {} or a later one", version_text(known->since))});
  // Later versions also bring targets whose numbers lie between those of older ones, as 9.4 did with sm_107.
  const bool is_newer = is_newer_target(name);
  if (!has_form_of_target(name) || !(is_newer || s.offer().version > newest_version))
    return s.error(at.place, at.text.size(), fmt::format("unknown target '{}'", at.text),
                   nearest_target(at.text, name, s.offer().version));
  warn(s, at,
       is_newer ? fmt::format("target '{}' is newer than sm_{}, the newest known here", at.text,
                              std::rbegin(known_targets)->name)
                : fmt::format("target '{}' is none of those known here", at.text),
       "it has what known targets with lower numbers have; what it adds is not checked");
  return true;
}

bool check_target_options(State& s, const Token& directive) {
  const auto& options = s.module.target_options;
  const auto has_option = [&](std::string_view name) {
    return std::find(options.begin(), options.end(), name) != options.end();
  };
  if (s.module.target.empty())
    return s.error(directive.place, length_of(directive), ".target names no target",
                   {"write for example .target sm_80, debug"});
  constexpr std::uint32_t first_with_doubles = 13;
  const std::size_t digits = s.module.target.find_first_of("0123456789");
  if (has_option("map_f64_to_f32") && digits != std::string_view::npos &&
      number_of(s.module.target.substr(digits)) >= first_with_doubles)
    return s.error(directive.place, length_of(directive), "map_f64_to_f32 is for targets before sm_13",
                   {"leave it out"});
  return !(has_option("texmode_unified") && has_option("texmode_independent")) ||
         s.error(directive.place, length_of(directive),
                 "texmode_unified and texmode_independent contradict each other", {"leave one of them out"});
}

bool parse_target(State& s) {
  const Token directive = s.now;
  s.advance();
  do {
    Token name;
    if (!s.expect_word("a target such as sm_80", name))
      return false;
    constexpr std::string_view options[] = {"texmode_unified", "texmode_independent", "debug",
                                            "map_f64_to_f32"};
    const bool is_option = std::find(std::begin(options), std::end(options), name.text) != std::end(options);
    if (!is_option && s.module.target.empty())
      s.module.target = name.text;
    else
      s.module.target_options.push_back(name.text);
    // The rest of the module can be read whatever its target.
    if (!is_option)
      check_target(s, name);
  } while (s.accept(','));
  check_target_options(s, directive);
  return true;
}

bool parse_address_size(State& s) {
  s.advance();
  if (!s.now.is(TokenKind::integer) || (s.now.text != "32" && s.now.text != "64"))
    return s.error_here(fmt::format(".address_size must be 32 or 64, not {}", describe(s.now)),
                        {"write .address_size 64"});
  s.module.address_bits = s.now.text == "32" ? 32 : 64;
  s.module.has_address_size = true;
  s.advance();
  return true;
}

// Past what is left of a wrong header.
bool skip_header(State& s) {
  while (!s.now.is(TokenKind::end) && (!s.now.is(TokenKind::dot_word) || is_header_directive(s.now)))
    s.advance();
  return false;
}

} // namespace

bool is_header_directive(const Token& t) {
  return t.is_directive("version") || t.is_directive("target") || t.is_directive("address_size");
}

bool parse_module_header(State& s) {
  if (!s.now.is_directive("version")) {
    s.error_here("a PTX module begins with .version", {"write for example .version 8.0 in the first line"});
    return skip_header(s);
  }
  if (!parse_version(s))
    return skip_header(s);
  if (!s.now.is_directive("target")) {
    s.error_here("expected .target after .version", {"write for example .target sm_80"});
    return skip_header(s);
  }
  while (s.now.is_directive("target"))
    if (!parse_target(s))
      return skip_header(s);
  return !s.now.is_directive("address_size") || parse_address_size(s) || skip_header(s);
}

bool misplaced_header(State& s) {
  return s.error_here(fmt::format("'.{}' does not belong behind the module's first lines", s.now.text),
                      {"a module begins with .version, .target and .address_size, in this order, once"});
}

} // namespace kerncast::ptx
