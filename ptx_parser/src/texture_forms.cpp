#include "texture_forms.h"

#include <algorithm>

#include "immediate_rules.h"

namespace kerncast::ptx {
namespace {

// PTX ISA, sections 9.7.10.1 (tex) and 9.7.10.2 (tld4). Offsets may be padded to 4 elements; ptxas 13.0 takes
// shorter derivatives for cube maps than the manual's four.
struct TextureGeometry {
  Modifier modifier;
  Lengths derivatives;
  Lengths offsets; // none: there are none
  bool has_depth;
};
constexpr TextureGeometry textures[] = {
    {Modifier::_1d, {1, 1}, {1, 4}, true},    {Modifier::a1d, {1, 1}, {1, 4}, true},
    {Modifier::_2d, {2, 2}, {2, 4}, true},    {Modifier::a2d, {2, 2}, {2, 4}, true},
    {Modifier::_3d, {4, 4}, {4, 4}, false},   {Modifier::_2dms, {0, 0}, {2, 4}, false},
    {Modifier::a2dms, {0, 0}, {2, 4}, false}, {Modifier::cube, {1, 4}, {0, 0}, true},
    {Modifier::acube, {1, 4}, {0, 0}, true}};

// Section 9.7.9.27.5.2: of .im2col as many as the tensor has dimensions beside batch and channel, of
// .im2col::w a halo and an offset.
struct TensorMode {
  Modifier mode;
  Modifier dimensions;
  std::uint8_t offsets;
};
constexpr TensorMode tensors[] = {
    {Modifier::im2col, Modifier::_3d, 1},       {Modifier::im2col, Modifier::_4d, 2},
    {Modifier::im2col, Modifier::_5d, 3},       {Modifier::im2col_w, Modifier::_3d, 2},
    {Modifier::im2col_w, Modifier::_4d, 2},     {Modifier::im2col_w, Modifier::_5d, 2},
    {Modifier::im2col_w_128, Modifier::_3d, 2}, {Modifier::im2col_w_128, Modifier::_4d, 2},
    {Modifier::im2col_w_128, Modifier::_5d, 2}};

const TextureGeometry* texture_named(std::span<const Modifier> modifiers) {
  const auto* const found = std::find_if(std::begin(textures), std::end(textures), [&](const auto& texture) {
    return has(modifiers, texture.modifier);
  });
  return found == std::end(textures) ? nullptr : found;
}

Lengths texture_offsets(std::span<const Modifier> modifiers) {
  const TextureGeometry* texture = texture_named(modifiers);
  return texture == nullptr ? Lengths{} : texture->offsets;
}

Lengths tensor_offsets(std::span<const Modifier> modifiers) {
  for (const TensorMode& tensor : tensors)
    if (has(modifiers, tensor.mode) && has(modifiers, tensor.dimensions))
      return {tensor.offsets, tensor.offsets};
  return {};
}

bool has_depth(std::span<const Modifier> modifiers) {
  const TextureGeometry* texture = texture_named(modifiers);
  return texture != nullptr && texture->has_depth && modifiers.back() == Modifier::f32;
}

} // namespace

Lengths derivative_lengths(std::span<const Modifier> modifiers) {
  const TextureGeometry* texture = texture_named(modifiers);
  return texture == nullptr ? Lengths{} : texture->derivatives;
}

void resolve_geometry(std::vector<OperandForm>& forms, Opcode opcode, std::span<const Modifier> modifiers) {
  const bool is_tensor = opcode == Opcode::cp;
  const Lengths offsets = is_tensor ? tensor_offsets(modifiers) : texture_offsets(modifiers);
  std::erase_if(forms, [&](const OperandForm& form) {
    return (form.kind == FormKind::offsets && offsets.most == 0) ||
           (form.kind == FormKind::depth && !has_depth(modifiers));
  });
  for (OperandForm& form : forms)
    if (form.kind == FormKind::offsets) {
      form.min_length = offsets.least;
      form.max_length = offsets.most;
      form.optional = !is_tensor; // of a tensor they are there if its mode has some
      // Elsewhere one offset may stand without braces.
      if (is_tensor || has(modifiers, Modifier::grad))
        form.kind = FormKind::source;
    }
}

} // namespace kerncast::ptx
