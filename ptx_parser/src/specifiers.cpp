#include "specifiers.h"

#include <fmt/format.h>

#include "constants.h"

namespace kerncast::ptx {
namespace {

constexpr std::uint64_t largest_alignment = 1U << 16;

struct SpaceName {
  std::string_view text;
  Space space;
};
constexpr SpaceName spaces[] = {
    {"global", Space::global}, {"shared", Space::shared},      {"local", Space::local},
    {"param", Space::param},   {"const", Space::constant},     {"reg", Space::reg},
    {"tex", Space::texture},   {"shared::cta", Space::shared}, {"shared::cluster", Space::shared}};

bool parse_alignment(State& s, std::uint32_t& out) {
  const Token at = s.now;
  std::uint64_t value = 0;
  if (!parse_unsigned(s, ".align", largest_alignment, value))
    return false;
  if (value == 0 || (value & (value - 1)) != 0)
    return s.error(at.place, length_of(at), ".align must be a power of two",
                   {"write 1, 2, 4, 8, 16 or another power of two"});
  out = static_cast<std::uint32_t>(value);
  return true;
}

// `.ptr`, and behind it a state space and an alignment, both optional.
bool parse_pointer(State& s, Variable& v) {
  v.is_pointer = true;
  v.pointee = Space::generic;
  if (const auto space = space_named(s.now)) {
    v.pointee = *space;
    s.advance();
  }
  if (!s.now.is_directive("align"))
    return true;
  s.advance();
  return parse_alignment(s, v.pointee_alignment);
}

// `.managed` or `.unified(UUID1, UUID2)`.
bool parse_one_attribute(State& s, bool may_be_managed) {
  const Token at = s.now;
  const bool is_unified = at.is_directive("unified");
  if (!is_unified && !at.is_directive("managed"))
    return s.error_here(fmt::format("expected an attribute, but found {}", describe(at)),
                        {"write .attribute(.managed) or .attribute(.unified(UUID1, UUID2))"});
  s.check_since();
  s.advance();
  if (!is_unified)
    return may_be_managed || s.error(at.place, length_of(at), "only .global variables can be .managed",
                                     {"leave the attribute out"});
  std::uint64_t uuid = 0;
  return s.expect('(', ".unified") && parse_unsigned(s, "a UUID", UINT64_MAX, uuid) &&
         s.expect(',', "the first half of a UUID") && parse_unsigned(s, "a UUID", UINT64_MAX, uuid) &&
         s.expect(')', "a UUID");
}

// How far a declaration has come: behind a vector length only the type may follow, behind the type only what
// describes a kernel's parameter, once.
enum class Stage : std::uint8_t { before_type, behind_vector, behind_type, done };

bool misplaced(State& s, const Token& at, Stage stage) {
  if (stage == Stage::before_type)
    return false;
  return !s.error(at.place, length_of(at),
                  fmt::format("'.{}' stands behind the type or the vector length", at.text),
                  {"the order is: state space, .align, .attribute, vector length, type, name"});
}

bool parse_parameter_attribute(State& s, const Token& at, const VariableContext& context, Variable& v,
                               Stage& stage) {
  if (stage != Stage::behind_type || !context.is_entry_parameter)
    return s.error(at.place, length_of(at), fmt::format("'.{}' does not belong here", at.text),
                   {"the parameters of kernels may have .ptr or .align behind their type, once"});
  stage = Stage::done;
  return at.text == "ptr" ? parse_pointer(s, v) : parse_alignment(s, v.alignment);
}

// A state space, a vector length or a type; false for other words.
bool take_word(const Token& at, Variable& v, Stage& stage) {
  if (const auto space = space_named(at); space && v.space == Space::none && stage == Stage::before_type)
    v.space = *space;
  else if (const std::uint32_t length = vector_length_named(at); length != 0 && stage == Stage::before_type) {
    v.vector_length = length;
    stage = Stage::behind_vector;
  } else if (const auto type = type_named(at); type && v.type == Type::none) {
    v.type = *type;
    stage = Stage::behind_type;
  } else
    return false;
  return true;
}

bool parse_specifier(State& s, const VariableContext& context, Variable& v, Stage& stage) {
  const Token at = s.now;
  s.advance();
  if (take_word(at, v, stage))
    return true;
  const bool is_alignment = at.text == "align";
  if (at.text == "ptr" || (is_alignment && stage == Stage::behind_type && context.is_entry_parameter))
    return parse_parameter_attribute(s, at, context, v, stage);
  if (is_alignment)
    return !misplaced(s, at, stage) && parse_alignment(s, v.alignment);
  if (at.text == "attribute")
    return !misplaced(s, at, stage) && parse_attribute(s, v.attributes, true);
  return s.error(at.place, length_of(at), fmt::format("'.{}' does not belong in a declaration", at.text),
                 {"the order is: state space, .align, .attribute, vector length, type, name"});
}

} // namespace

bool parse_specifiers(State& s, const VariableContext& context, Variable& v) {
  Stage stage = Stage::before_type;
  while (s.now.is(TokenKind::dot_word))
    if (!parse_specifier(s, context, v, stage))
      return false;
  if (v.space == Space::none)
    return s.error_here("this declaration has no state space",
                        {"write .global, .shared, .local, .const, .param or .reg before the type"});
  if (v.type == Type::none)
    return s.error_here("this declaration has no type", {"write a type such as .u32 before the name"});
  return true;
}

bool parse_attribute(State& s, std::string_view& out, bool may_be_managed) {
  if (!out.empty())
    return s.error_here("a second .attribute",
                        {"write its attributes in one list: .attribute(.managed, ...)"});
  const char* const begin = s.now.text.data() + 1;
  if (!s.expect('(', ".attribute"))
    return false;
  do
    if (!parse_one_attribute(s, may_be_managed))
      return false;
  while (s.accept(','));
  out = {begin, static_cast<std::size_t>(s.now.text.data() - begin)};
  return s.expect(')', "the attributes");
}

std::uint32_t vector_length_named(const Token& t) {
  if (!t.is(TokenKind::dot_word))
    return 0;
  return t.text == "v2" ? 2 : t.text == "v4" ? 4 : t.text == "v8" ? 8 : 0;
}

std::optional<Type> type_named(const Token& token) {
  if (!token.is(TokenKind::dot_word))
    return std::nullopt;
  const auto modifier = find_modifier(token.text);
  const Type type = modifier ? type_of(*modifier) : Type::none;
  // Types of instructions only: their values lie in untyped registers.
  if (type == Type::none || type == Type::bf16 || type == Type::bf16x2 || type == Type::tf32 ||
      type == Type::f32x2)
    return std::nullopt;
  return type;
}

std::optional<Space> space_named(const Token& token) {
  if (token.is(TokenKind::dot_word))
    for (const SpaceName& s : spaces)
      if (s.text == token.text)
        return s.space;
  return std::nullopt;
}

bool begins_variable(const Token& token) {
  return space_named(token) || token.is_directive("align") || token.is_directive("attribute");
}

} // namespace kerncast::ptx
