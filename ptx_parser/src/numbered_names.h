// Names that end in digits, and the register ranges `stem<9>` that may declare them too.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "names.h"

namespace kerncast::ptx {

// Calls take(stem, digits) for each way to read `name` as a register of a range, a12 as 12 of `a<13>` and as
// 2 of `a1<3>`, until it returns true.
template <class Take> void for_each_split(std::string_view name, const Take& take) {
  constexpr std::size_t most_digits = 9;
  std::size_t stem = name.size();
  while (stem > 1 && name[stem - 1] >= '0' && name[stem - 1] <= '9' && name.size() - stem < most_digits)
    --stem;
  for (; stem < name.size(); ++stem)
    if (take(name.substr(0, stem), name.substr(stem)))
      return;
}

// The number behind a stem, of at most nine digits; 07 is 7.
inline std::uint32_t number_in(std::string_view digits) {
  std::uint32_t number = 0;
  for (const char c : digits)
    number = number * 10 + static_cast<std::uint32_t>(c - '0');
  return number;
}

// The variables and single registers of a function whose names end in digits. For each stem only the lowest
// number is kept: a range has every register from 0, so it meets that one if it meets any.
class NumberedNames {
public:
  struct Lowest {
    std::string_view stem;
    std::uint32_t number = 0;
    std::uint32_t scope = 0; // depth of the scope that declares it
    Place place;
    std::uint32_t hidden = no_id; // of the same stem in an outer scope
  };
  // `scope`: the depth of the innermost one.
  void add(std::string_view name, std::uint32_t scope, Place place);
  // In the innermost scope that has names of this stem; nullptr if none has.
  const Lowest* find(std::string_view stem) const;
  void close_scope(std::uint32_t scope);
  void clear();
  // Stems looked up so far: the work that declarations cost.
  std::uint64_t lookups() const { return lookups_; }

private:
  void add(std::string_view stem, std::uint32_t number, std::uint32_t scope, Place place);
  NameMap innermost_;
  std::vector<Lowest> entries_;
  mutable std::uint64_t lookups_ = 0;
};

} // namespace kerncast::ptx
