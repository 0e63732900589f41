#include "numbered_names.h"

namespace kerncast::ptx {

void NumberedNames::add(std::string_view name, std::uint32_t scope, Place place) {
  for_each_split(name, [&](std::string_view stem, std::string_view digits) {
    // A range has no register 07.
    if (digits.size() == 1 || digits.front() != '0')
      add(stem, number_in(digits), scope, place);
    return false;
  });
}

void NumberedNames::add(std::string_view stem, std::uint32_t number, std::uint32_t scope, Place place) {
  ++lookups_;
  std::uint32_t& innermost = innermost_[stem];
  if (innermost == no_id || entries_[innermost].scope != scope) {
    entries_.push_back({stem, number, scope, place, innermost});
    innermost = static_cast<std::uint32_t>(entries_.size() - 1);
  } else if (number < entries_[innermost].number) {
    entries_[innermost].number = number;
    entries_[innermost].place = place;
  }
}

const NumberedNames::Lowest* NumberedNames::find(std::string_view stem) const {
  ++lookups_;
  const std::uint32_t entry = innermost_.find(stem);
  return entry == no_id ? nullptr : &entries_[entry];
}

void NumberedNames::close_scope(std::uint32_t scope) {
  while (!entries_.empty() && entries_.back().scope == scope) {
    innermost_[entries_.back().stem] = entries_.back().hidden;
    entries_.pop_back();
  }
}

void NumberedNames::clear() {
  innermost_.clear();
  entries_.clear();
}

} // namespace kerncast::ptx
