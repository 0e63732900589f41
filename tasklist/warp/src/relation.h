// Relations between numbers, by the names that the PTX manual gives them.
#pragma once

#include <cstdint>

namespace kerncast::warp {

// For floats the ordered forms are false and the unordered (…u) true on NaN.
enum class Relation : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

// The first six, between integers or floats that are no NaN.
template <class T> constexpr bool holds_in_order(Relation relation, T a, T b) {
  switch (relation) {
  case Relation::eq:
    return a == b;
  case Relation::ne:
    return a != b;
  case Relation::lt:
    return a < b;
  case Relation::le:
    return a <= b;
  case Relation::gt:
    return a > b;
  default:
    return a >= b;
  }
}

} // namespace kerncast::warp
