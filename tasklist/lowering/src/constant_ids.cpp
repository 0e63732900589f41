#include "constant_ids.h"

#include <bit>
#include <charconv>

#include <fmt/compile.h>

#include "support/mix_bits.h"

namespace kerncast::lowering {

namespace {

template <class Integer> void add_integer(std::string& text, Integer value) {
  char digits[24];
  text.append(digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr);
}

void add_real(std::string& text, double value) {
  char digits[32];
  text.append(digits, fmt::format_to(std::begin(digits), FMT_COMPILE("{}"), value));
}

} // namespace

std::uint32_t ConstantIds::of_number(const Constant& constant) {
  const auto fresh = static_cast<std::uint32_t>(numbers_.size());
  const std::uint32_t number = number_ids_.find_or_add(
      mix_bits(constant.bits ^ static_cast<std::uint64_t>(constant.kind) << 62), fresh, [&](std::uint32_t n) {
        return numbers_[n].bits == constant.bits && numbers_[n].kind == constant.kind;
      });
  if (number == fresh) {
    numbers_.push_back({constant.bits, constant.kind, of_text(constant)});
  }
  return numbers_[number].id;
}

std::uint32_t ConstantIds::of_text(const Constant& constant) {
  write(constant);
  return places_.find_or_add(text_, texts_);
}

void ConstantIds::write(const Constant& constant) {
  text_.clear();
  switch (constant.kind) {
  case Constant::Kind::integer:
    add_integer(text_, static_cast<std::int64_t>(constant.bits));
    break;
  case Constant::Kind::real:
    add_real(text_, std::bit_cast<double>(constant.bits));
    break;
  case Constant::Kind::parameter:
    text_ += "c[";
    add_integer(text_, constant.bits);
    text_ += ']';
    break;
  case Constant::Kind::variable:
    text_.append("c[").append(constant.text) += '+';
    add_integer(text_, constant.bits);
    text_ += ']';
    break;
  case Constant::Kind::launch:
    text_.append("c[").append(constant.text) += ']';
    break;
  case Constant::Kind::symbol:
    text_ = constant.text;
    break;
  }
}

} // namespace kerncast::lowering
