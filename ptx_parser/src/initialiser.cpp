#include "initialiser.h"

#include <bit>

#include <fmt/format.h>

#include "constants.h"

namespace kerncast::ptx {
namespace {

// Short rows of a huge array make few characters into many bytes; a module's initial values may span this
// much beyond 16 bytes for each character of the file.
constexpr std::uint64_t initial_bytes_allowance = std::uint64_t{1} << 24;
constexpr std::size_t most_dimensions = 32;

// Walks `{ {1, 2}, {3} }`: a brace per dimension, vectors counting as one more.
class InitialValue {
public:
  InitialValue(State& state, std::span<const std::uint64_t> dimensions, Variable& variable);
  bool parse();

private:
  bool parse_braces();
  bool step();
  bool end_element();
  bool open();
  void close();
  bool next_element();
  bool scalar();
  bool symbol(const Token& name, std::uint64_t mask, bool is_generic);
  bool masked_symbol(std::uint64_t mask);
  bool fits(const Constant& c);
  bool store(const Constant& c);
  bool reserve(std::uint64_t end);
  std::uint64_t offset() const;

  State& s_;
  Variable& variable_;
  std::uint32_t element_bytes_;
  std::vector<std::uint64_t> lengths_; // 0: open
  std::vector<std::uint64_t> strides_; // bytes
  std::vector<std::uint64_t> at_;      // index in each dimension that is open now
};

InitialValue::InitialValue(State& state, std::span<const std::uint64_t> dimensions, Variable& variable)
    : s_(state), variable_(variable), element_bytes_(size_bytes(variable.type)),
      lengths_(dimensions.begin(), dimensions.end()) {
  if (variable.vector_length > 1)
    lengths_.push_back(variable.vector_length);
  strides_.resize(lengths_.size());
  std::uint64_t stride = element_bytes_;
  for (std::size_t i = lengths_.size(); i-- > 0;) {
    strides_[i] = stride;
    stride *= lengths_[i];
  }
}

std::uint64_t InitialValue::offset() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < at_.size(); ++i)
    sum += at_[i] * strides_[i];
  return sum;
}

bool InitialValue::reserve(std::uint64_t end) {
  if (end <= variable_.initial_bytes.size())
    return true;
  s_.initial_bytes += end - variable_.initial_bytes.size();
  const std::uint64_t most = initial_bytes_allowance + 16 * s_.source.text().size();
  if (s_.initial_bytes > most)
    return s_.error_here(fmt::format("the initial values of this module span more than {} bytes", most),
                         {"write fewer bytes, or fill the variable at run time"});
  variable_.initial_bytes.resize(end);
  return true;
}

// Integers for integer types, real numbers for f32 and f64, either for untyped bits.
bool InitialValue::fits(const Constant& c) {
  const Type type = variable_.type;
  const bool untyped = type >= Type::b8 && type <= Type::b128;
  const bool takes_reals = type == Type::f32 || type == Type::f64;
  if (untyped || (is_float(type) ? takes_reals && !c.is_integer() : c.is_integer()))
    return true;
  return s_.error_here(
      fmt::format("{} cannot be an initial value of type .{}",
                  c.is_integer() ? "an integer" : "a floating-point number", name(type)),
      {takes_reals ? "write 1.0 or 0f3F800000" : "declare the variable with an untyped .b type"});
}

bool InitialValue::store(const Constant& c) {
  if (!fits(c))
    return false;
  std::uint64_t bits = static_cast<std::uint64_t>(c.value);
  if (variable_.type == Type::f32)
    bits = c.kind == Constant::Kind::single
               ? c.single_bits
               : std::bit_cast<std::uint32_t>(c.is_integer() ? static_cast<float>(c.value)
                                                             : static_cast<float>(c.real));
  else if (variable_.type == Type::f64)
    bits = std::bit_cast<std::uint64_t>(c.is_integer() ? static_cast<double>(c.value) : c.real);
  else if (c.kind == Constant::Kind::single)
    bits = c.single_bits;
  else if (c.kind == Constant::Kind::real)
    bits = std::bit_cast<std::uint64_t>(c.real);
  const std::uint64_t begin = offset();
  if (!reserve(begin + element_bytes_))
    return false;
  for (std::uint32_t i = 0; i < std::min(element_bytes_, 8U); ++i)
    variable_.initial_bytes[begin + i] = static_cast<std::uint8_t>(bits >> (8 * i));
  return true;
}

bool InitialValue::symbol(const Token& name, std::uint64_t mask, bool is_generic) {
  const Symbol* found = s_.find_symbol(name.text);
  if (found == nullptr)
    return s_.undeclared(name, "variable or function");
  s_.take_address(*found, name.text);
  InitialAddress address{offset(), element_bytes_, name.text, 0, is_generic, mask};
  if (s_.accept('+')) {
    Constant addend;
    if (!parse_constant(s_, addend))
      return false;
    address.addend = addend.value;
  }
  variable_.initial_addresses.push_back(address);
  return reserve(address.offset + element_bytes_);
}

// `0xFF00(name)` or `0xFF00(generic(name))`, from behind the mask.
bool InitialValue::masked_symbol(std::uint64_t mask) {
  Token name;
  if (!s_.expect('(', "a mask") || !s_.expect_word("a variable's name", name))
    return false;
  const bool is_generic = name.text == "generic" && s_.now.is('(');
  if (is_generic) {
    s_.advance();
    if (!s_.expect_word("a variable's name", name) || !s_.expect(')', "generic(name"))
      return false;
  }
  return symbol(name, mask, is_generic) && s_.expect(')', "a masked address");
}

bool InitialValue::scalar() {
  if (at_.size() != lengths_.size())
    return s_.error_here(fmt::format("expected '{{' for each of the {} dimensions", lengths_.size()),
                         {"write { } around the elements of each dimension, { {1, 2}, {3, 4} } for [2][2]"});
  if (s_.now.is(TokenKind::word) && s_.now.text != "WARP_SZ") {
    Token name = s_.now;
    s_.advance();
    if (name.text != "generic" || !s_.accept('('))
      return symbol(name, 0, false);
    return s_.expect_word("a variable's name", name) && s_.expect(')', "generic(name") &&
           symbol(name, 0, true);
  }
  Constant c;
  if (!parse_constant(s_, c))
    return false;
  if (s_.now.is('(') && c.is_integer())
    return masked_symbol(static_cast<std::uint64_t>(c.value));
  return store(c);
}

bool InitialValue::open() {
  if (at_.size() == lengths_.size())
    return s_.error_here("too many levels of braces in this initial value",
                         {"write one level of braces for each dimension, and one for a vector"});
  s_.advance();
  at_.push_back(0);
  return true;
}

// The index moves on; a further element than the dimension has is an error.
bool InitialValue::next_element() {
  const std::size_t level = at_.size() - 1;
  ++at_[level];
  if (s_.now.is('}'))
    return true;
  if (lengths_[level] != 0 && at_[level] >= lengths_[level])
    return s_.error_here(
        fmt::format("this dimension has {} elements, but the initial value has more", lengths_[level]),
        {"remove elements, or declare a longer array"});
  return true;
}

void InitialValue::close() {
  s_.advance();
  if (at_.size() == 1 && lengths_[0] == 0) {
    std::uint64_t inner = 1;
    for (std::size_t i = 1; i < lengths_.size(); ++i)
      inner *= i + 1 == lengths_.size() && variable_.vector_length > 1 ? 1 : lengths_[i];
    variable_.elements = at_[0] * inner;
  }
  at_.pop_back();
}

// Behind an element or a closed brace: the comma, if another one follows, and the next index.
bool InitialValue::end_element() {
  if (at_.empty())
    return true;
  return (s_.now.is('}') || s_.expect(',', "an element of an initial value")) && next_element();
}

// One brace or element.
bool InitialValue::step() {
  if (s_.now.is('{'))
    return open();
  if (!s_.now.is('}') || at_.empty())
    return scalar() && end_element();
  close();
  return end_element();
}

bool InitialValue::parse_braces() {
  do {
    if (s_.now.is(TokenKind::end))
      return s_.error_here("the file ends inside an initial value", {"is the file truncated?"});
    if (!step())
      return false;
  } while (!at_.empty());
  return true;
}

bool InitialValue::parse() {
  if (lengths_.size() > most_dimensions)
    return s_.error_here(fmt::format("an array of more than {} dimensions", most_dimensions),
                         {"declare an array of one dimension with as many elements"});
  return parse_braces();
}

// `{ addr_mode_0 = clamp_to_edge, filter_mode = linear }`.
bool parse_opaque_value(State& s, std::string_view& out) {
  const char* const begin = s.now.text.data();
  if (!s.expect('{', "'='"))
    return false;
  do {
    Token word;
    if (!s.expect_word("a field of the sampler or texture", word) || !s.expect('=', "the field's name"))
      return false;
    if (!s.now.is(TokenKind::word) && !s.now.is(TokenKind::integer))
      return s.error_here(fmt::format("expected the field's value, but found {}", describe(s.now)),
                          {"write for example { addr_mode_0 = wrap, filter_mode = nearest }"});
    s.advance();
  } while (s.accept(','));
  out = {begin, static_cast<std::size_t>(s.now.text.data() + 1 - begin)};
  return s.expect('}', "the fields");
}

} // namespace

bool parse_initial_value(State& s, std::span<const std::uint64_t> dimensions, Variable& v) {
  if (v.type == Type::texref || v.type == Type::samplerref || v.type == Type::surfref)
    return parse_opaque_value(s, v.opaque_value);
  return InitialValue(s, dimensions, v).parse();
}

} // namespace kerncast::ptx
