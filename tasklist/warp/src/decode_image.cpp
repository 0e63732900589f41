// Operands: results, [texture{, sampler}, coordinates], level or gradients, offsets; for surfaces
// [surface, coordinates] and data. There is one level of detail, so levels and gradients choose nothing.
#include "decode_image.h"

#include <algorithm>

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;
using Geometry = ImageOp::Geometry;
using ImageKind = ImageOp::Kind;
using Query = ImageOp::Query;

template <class Value> struct ImageRow {
  Modifier modifier;
  Value value;
};

constexpr ImageRow<Geometry> geometries[] = {
    {Modifier::_1d, Geometry::d1},     {Modifier::_2d, Geometry::d2},  {Modifier::_3d, Geometry::d3},
    {Modifier::a1d, Geometry::a1d},    {Modifier::a2d, Geometry::a2d}, {Modifier::cube, Geometry::cube},
    {Modifier::acube, Geometry::acube}};

constexpr ImageRow<Query> queries[] = {{Modifier::width, Query::width},
                                       {Modifier::height, Query::height},
                                       {Modifier::depth, Query::depth},
                                       {Modifier::channel_data_type, Query::channel_type},
                                       {Modifier::channel_order, Query::channel_order},
                                       {Modifier::normalized_coords, Query::is_normalized},
                                       {Modifier::array_size, Query::array_size},
                                       {Modifier::num_mipmap_levels, Query::levels},
                                       {Modifier::num_samples, Query::levels},
                                       {Modifier::memory_layout, Query::is_linear}};

constexpr ImageRow<ImageOp::OutOfRange> out_of_range_modes[] = {{Modifier::trap, ImageOp::OutOfRange::trap},
                                                                {Modifier::clamp, ImageOp::OutOfRange::clamp},
                                                                {Modifier::zero, ImageOp::OutOfRange::zero}};

constexpr ImageRow<Atomic> reductions[] = {{Modifier::add, Atomic::add},
                                           {Modifier::min, Atomic::min},
                                           {Modifier::max, Atomic::max},
                                           {Modifier::and_, Atomic::and_},
                                           {Modifier::or_, Atomic::or_}};

constexpr ImageRow<std::uint8_t> components[] = {
    {Modifier::r, 0}, {Modifier::g, 1}, {Modifier::b, 2}, {Modifier::a, 3}};

template <class Value, std::size_t n>
std::optional<Value> chosen(const InstructionForm& form, const ImageRow<Value> (&rows)[n]) {
  for (const ImageRow<Value>& row : rows)
    if (form.has(row.modifier))
      return row.value;
  return std::nullopt;
}

} // namespace

std::uint32_t ImageOp::dimensions() const {
  constexpr std::uint8_t by_geometry[] = {1, 2, 3, 1, 2, 3, 3};
  return by_geometry[static_cast<std::size_t>(geometry)];
}

bool ImageDecoder::is_image(Opcode opcode) {
  constexpr Opcode images[] = {Opcode::tex,  Opcode::tld4,  Opcode::txq, Opcode::suld,
                               Opcode::sust, Opcode::sured, Opcode::suq};
  return std::find(std::begin(images), std::end(images), opcode) != std::end(images);
}

// Behind the coordinates of 3d and a2d stands one that means nothing.
bool ImageDecoder::bind_coordinates(const Operand& coordinates, Type type, ImageOp& op) {
  auto parts = kernel_.parts(coordinates);
  if (op.is_array()) {
    const auto layer = slots_.source(parts[0], Type::u32);
    if (!layer)
      return false;
    op.layer = *layer;
    parts = parts.subspan(1);
  }
  if (parts.size() < op.dimensions())
    return false;
  return slots_.sources(parts.first(op.dimensions()), type, op.coordinates);
}

// [handle], [handle, coordinates] or [handle, sampler, coordinates].
bool ImageDecoder::bind_place(const Operand& address, Type coordinate, ImageOp& op) {
  if (address.kind != OperandKind::address)
    return false;
  const auto handle = memory_.address_of(address);
  if (!handle)
    return false;
  op.handle = *handle;
  const auto parts = address.has_elements ? kernel_.elements(address) : std::span<const Operand>{};
  if (parts.size() > 1) {
    Operand sampler = parts[0];
    sampler.kind = OperandKind::address;
    op.sampler = memory_.address_of(sampler);
    if (!op.sampler)
      return false;
  }
  return parts.empty() || bind_coordinates(parts.back(), coordinate, op);
}

bool ImageDecoder::bind_results(const Operand& destination, ImageOp& op) {
  auto results = kernel_.parts(destination);
  if (destination.kind == OperandKind::destination_pair) {
    const auto pair = kernel_.elements(destination);
    results = kernel_.parts(pair[0]);
    if (pair[1].kind == OperandKind::reg)
      op.is_resident = slots_.of_register(pair[1].id);
  }
  if (results.size() > ImageOp::most_elements)
    return false;
  op.elements = static_cast<std::uint8_t>(results.size());
  for (std::size_t e = 0; e < results.size(); ++e) {
    const auto slot = slots_.loaded(results[e]);
    if (!slot)
      return false;
    op.data[e] = *slot;
  }
  return true;
}

bool ImageDecoder::bind_sources(const Operand& source, ImageOp& op) {
  const auto parts = kernel_.parts(source);
  if (parts.size() > ImageOp::most_elements)
    return false;
  op.elements = static_cast<std::uint8_t>(parts.size());
  for (std::size_t e = 0; e < parts.size(); ++e) {
    const auto slot = slots_.stored(parts[e], op.type);
    if (!slot)
      return false;
    op.data[e] = *slot;
  }
  return true;
}

// What stands behind level or gradients: offsets, {x, y, z, unused}; a float is a depth to compare with.
bool ImageDecoder::bind_offsets(std::span<const Operand> behind, ImageOp& op) {
  if (behind.empty())
    return true;
  if (behind.size() > 1 || op.is_cube())
    return false;
  const auto parts = kernel_.parts(behind[0]);
  const bool is_depth =
      parts[0].kind == OperandKind::real ||
      (parts[0].kind == OperandKind::reg && ptx::is_float(kernel_.registers[parts[0].id].type));
  if (is_depth || parts.size() < op.dimensions())
    return false;
  return slots_.sources(parts.first(op.dimensions()), Type::s32, op.offsets);
}

// tex{.base|.level|.grad}.geom.v4.dtype.ctype, tld4.comp.geom.v4.dtype.f32
std::optional<ImageOp> ImageDecoder::decode_fetch(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  const auto operands = kernel_.operands(instruction);
  ImageOp op;
  op.kind = instruction.opcode == Opcode::tex ? ImageKind::sample : ImageKind::gather;
  const auto geometry = chosen(form, geometries);
  const std::size_t chooses = form.has(Modifier::level) ? 1 : form.has(Modifier::grad) ? 2 : 0;
  if (!geometry || form.type_count < 2 || operands.size() < 2 + chooses)
    return std::nullopt;
  op.geometry = *geometry;
  op.type = form.types[0];
  op.has_float_coordinates = form.types[1] == Type::f32;
  op.component = chosen(form, components).value_or(0);
  const bool bound = bind_results(operands[0], op) && bind_place(operands[1], form.types[1], op) &&
                     bind_offsets(operands.subspan(2 + chooses), op);
  return bound ? std::optional(op) : std::nullopt;
}

std::optional<ImageOp> ImageDecoder::decode_query(const ptx::Instruction& instruction) {
  const auto operands = kernel_.operands(instruction);
  ImageOp op;
  op.kind = ImageKind::query;
  op.type = Type::b32;
  const auto query = chosen(form_of(kernel_, instruction), queries);
  if (!query || !bind_results(operands[0], op) || !bind_place(operands[1], Type::none, op))
    return std::nullopt;
  op.query = *query;
  return op;
}

std::optional<ImageOp> ImageDecoder::decode_surface(const ptx::Instruction& instruction) {
  const InstructionForm form = form_of(kernel_, instruction);
  const auto operands = kernel_.operands(instruction);
  const bool loads = instruction.opcode == Opcode::suld;
  ImageOp op;
  op.kind = loads                                ? ImageKind::load
            : instruction.opcode == Opcode::sust ? ImageKind::store
                                                 : ImageKind::reduce;
  const auto geometry = chosen(form, geometries);
  const auto mode = chosen(form, out_of_range_modes);
  if (!geometry || !mode)
    return std::nullopt;
  op.geometry = *geometry;
  op.out_of_range = *mode;
  op.type = form.type();
  op.counts_texels = form.has(Modifier::p);
  op.function = chosen(form, reductions).value_or(Atomic::add);
  const bool bound = loads ? bind_results(operands[0], op) : bind_sources(operands[1], op);
  return bound && bind_place(operands[loads ? 1 : 0], Type::s32, op) ? std::optional(op) : std::nullopt;
}

std::optional<ImageOp> ImageDecoder::decode_operation(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
  case Opcode::tex:
  case Opcode::tld4:
    return decode_fetch(instruction);
  case Opcode::txq:
  case Opcode::suq:
    return decode_query(instruction);
  default:
    return decode_surface(instruction);
  }
}

std::optional<Step> ImageDecoder::decode(const ptx::Instruction& instruction) {
  return step_of(instruction, slots_, Step::Kind::image, decode_operation(instruction), program_.images);
}

namespace {

using tasklist::Sampler;

struct AddressRow {
  std::string_view name;
  Sampler::Address address;
};
constexpr AddressRow addresses[] = {{"wrap", Sampler::Address::wrap},
                                    {"mirror", Sampler::Address::mirror},
                                    {"clamp_to_edge", Sampler::Address::clamp},
                                    {"clamp_to_border", Sampler::Address::border}};
constexpr std::string_view dimensions[] = {"addr_mode_0", "addr_mode_1", "addr_mode_2"};

// False for a field or a value that is not known.
bool set_field(std::string_view field, std::string_view value, Sampler& sampler) {
  if (field == "filter_mode") {
    sampler.filter = value == "linear" ? Sampler::Filter::linear : Sampler::Filter::nearest;
    return value == "linear" || value == "nearest";
  }
  if (field == "force_unnormalized_coords") {
    sampler.is_normalized = value == "0";
    return true;
  }
  const auto* dimension = std::find(std::begin(dimensions), std::end(dimensions), field);
  const auto* row = std::find_if(std::begin(addresses), std::end(addresses),
                                 [&](const AddressRow& r) { return r.name == value; });
  if (dimension == std::end(dimensions) || row == std::end(addresses))
    return false;
  sampler.address[static_cast<std::size_t>(dimension - std::begin(dimensions))] = row->address;
  return true;
}

bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

std::string_view next_word(std::string_view& text) {
  const auto* begin = std::find_if(text.begin(), text.end(), is_word);
  const auto* end = std::find_if_not(begin, text.end(), is_word);
  const std::string_view word(begin, static_cast<std::size_t>(end - begin));
  text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  return word;
}

// { filter_mode = linear, addr_mode_0 = wrap }, whose form the parser has checked. A sampler takes normalized
// coordinates where the texture does, unless it forces the others.
std::optional<Sampler> sampler_of(std::string_view fields) {
  Sampler sampler;
  sampler.is_normalized = true;
  for (std::string_view field = next_word(fields); !field.empty(); field = next_word(fields))
    if (!set_field(field, next_word(fields), sampler))
      return std::nullopt;
  return sampler;
}

} // namespace

std::vector<OpaqueVariable> opaque_variables(const ptx::Module& module, const MemoryMap& memory) {
  std::vector<OpaqueVariable> variables;
  for (const ptx::Variable& v : module.globals) {
    const auto address = memory.address_of(v.name);
    if (!ptx::is_opaque(v.type) || !address)
      continue;
    const bool samples = v.type == Type::samplerref;
    variables.push_back({std::string(v.name), *address, samples ? sampler_of(v.opaque_value) : std::nullopt});
  }
  return variables;
}

} // namespace kerncast::warp
