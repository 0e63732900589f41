#include "plain_operands.h"

namespace kerncast::ptx {
namespace {

// 42 or -42
bool read_integer(const char*& p, std::int64_t& out) {
  const bool is_negative = *p == '-';
  p += is_negative ? 1 : 0;
  std::uint32_t value = 0;
  if (!read_decimal(p, value))
    return false;
  out = is_negative ? -std::int64_t{value} : std::int64_t{value};
  return true;
}

// [%rd4], [%rd4+16] or [%rd4+-16]
bool read_address(State& s, const char*& p, Operand& o) {
  o.kind = OperandKind::address;
  ++p;
  o.id = read_plain_register(s, p);
  if (o.id == no_id)
    return false;
  if (*p == '+' && !read_integer(++p, o.value))
    return false;
  return *p++ == ']';
}

bool read_operand(State& s, const char*& p, Operand& o) {
  o.place = s.lexer.place_of(p);
  if (*p == '[')
    return read_address(s, p, o);
  if (*p == '-' || is(*p, digit)) {
    o.kind = OperandKind::integer;
    return read_integer(p, o.value);
  }
  o.kind = OperandKind::reg;
  o.id = read_plain_register(s, p);
  return o.id != no_id;
}

} // namespace

RegisterId register_in(State& s, const Symbol& range, std::uint32_t number, std::string_view name,
                       Place place) {
  std::uint32_t& id = s.numbered_registers.at(range.index + number);
  if (id == no_id) {
    id = static_cast<std::uint32_t>(s.function->registers.size());
    s.function->registers.push_back({name, range.type, 1, place});
  }
  return id;
}

RegisterId read_plain_register(State& s, const char*& p) {
  const char* const begin = p;
  if (!is(*p, name_start))
    return no_id;
  do
    ++p;
  while (is(*p, letter));
  const char* const digits = p;
  std::uint32_t number = 0;
  if (!read_decimal(p, number) || is(*p, letter))
    return no_id;
  const Symbol* range = s.stems.find({begin, static_cast<std::size_t>(digits - begin)});
  if (range == nullptr || number >= range->count)
    return no_id;
  const std::string_view name(begin, static_cast<std::size_t>(p - begin));
  if (s.has_hidden_numbers && s.local_symbols.find(name) != nullptr)
    return no_id;
  return register_in(s, *range, number, name, s.lexer.place_of(begin));
}

bool parse_plain_operands(State& s) {
  const char* p = skip_blanks(s.lexer.cursor());
  while (true) {
    Operand o;
    if (!read_operand(s, p, o) || (*p != ',' && *p != ';'))
      return false;
    s.scratch.push_back(o);
    s.lexer.skip_to(p + 1);
    if (*p == ';') {
      s.advance();
      return true;
    }
    p = skip_blanks(p + 1);
  }
}

} // namespace kerncast::ptx
