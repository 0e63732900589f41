// The keys of a GPU description: one row per key, which serves reading, --set, `gpus show` and the manual.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "configs/gpu.h"
#include "support/diagnostics.h"
#include "value.h"

namespace kerncast::configs {

enum class KeyKind : std::uint8_t { whole, number, boolean, text };
// derived: a key that is not stated follows from others.
enum class Presence : std::uint8_t { required, optional, derived };

// Words that a number may be stated as: what 0 means in the member. Both empty: 0 is a number as others.
struct Absent {
  std::string_view unstated;    // shown where nothing is stated; stated, it withdraws what is inherited
  std::string_view stated = {}; // "none" beside "not known"; empty: as unstated, but kept with its source
};

// What can be said about a key without a GPU.
struct KeyFacts {
  std::string_view name; // "l1.kib"; of a unit only the last part, "latency"
  std::string_view unit; // "KiB", empty for counts
  std::string_view meaning;
  KeyKind kind = KeyKind::number;
  Presence presence = Presence::required;
  double low = 0; // numbers: bounds, both allowed
  double high = 0;
  double scale = 1;                               // whole: value times scale must be whole (KiB to bytes)
  std::span<const std::string_view> choices = {}; // texts: those allowed, empty: any
  Absent absent = {};                             // numbers: words beside them
};

// A key and the member it sets; `set` takes a value that `check_value` has accepted.
template <class Object> struct Key {
  KeyFacts facts;
  Value (*get)(const Object&);
  void (*set)(Object&, const Value&);
};

std::span<const Key<Gpu>> gpu_keys();
std::span<const Key<Unit>> unit_keys(); // each stands for units.NAME.<name>

// Where a dotted key leads: to a row of gpu_keys, or to a row of unit_keys and a unit's name.
struct KeyMatch {
  const Key<Gpu>* gpu = nullptr;
  const Key<Unit>* unit = nullptr;
  std::string unit_name;
  const KeyFacts& facts() const { return gpu != nullptr ? gpu->facts : unit->facts; }
};
std::optional<KeyMatch> find_key(std::string_view dotted);

// "did you mean ...?" and what else helps with a key that does not exist.
std::vector<std::string> notes_for_unknown_key(std::string_view dotted);

// The value of --set KEY=TEXT: of the key's kind, else the text itself, which check_value refuses.
Value set_value(const KeyFacts& facts, std::string_view text);

// Whether a key is stated as a word, and whether that word withdraws what is inherited.
bool is_word(const KeyFacts& facts, const Value& value);
bool withdraws(const KeyFacts& facts, const Value& value);

// A resolved value as text, with the word that stands for 0; `stated`: a file or --set says something.
std::string shown_value(const KeyFacts& facts, const Value& value, bool stated);

// What is wrong with the value of a key ("must be at least 1, is 0"), nullopt if nothing is.
std::optional<std::string> check_value(const KeyFacts& facts, const Value& value);

} // namespace kerncast::configs
