// Turns texture and surface instructions into image operations.
#pragma once

#include "decode_memory.h"

namespace kerncast::warp {

class ImageDecoder {
public:
  ImageDecoder(const ptx::Function& kernel, SlotTable& slots, Program& program, MemoryDecoder& memory)
      : kernel_(kernel), slots_(slots), program_(program), memory_(memory) {}

  // Whether an instruction is one of these; it may still not be known.
  static bool is_image(ptx::Opcode opcode);
  // Empty for forms that are not supported: samples, and comparison of depths.
  std::optional<Step> decode(const ptx::Instruction& instruction);

private:
  std::optional<ImageOp> decode_operation(const ptx::Instruction& instruction);
  std::optional<ImageOp> decode_fetch(const ptx::Instruction& instruction);
  std::optional<ImageOp> decode_query(const ptx::Instruction& instruction);
  std::optional<ImageOp> decode_surface(const ptx::Instruction& instruction);
  bool bind_place(const ptx::Operand& address, ptx::Type coordinate, ImageOp& op);
  bool bind_coordinates(const ptx::Operand& coordinates, ptx::Type type, ImageOp& op);
  bool bind_offsets(std::span<const ptx::Operand> behind, ImageOp& op);
  bool bind_results(const ptx::Operand& destination, ImageOp& op);
  bool bind_sources(const ptx::Operand& source, ImageOp& op);

  const ptx::Function& kernel_;
  SlotTable& slots_;
  Program& program_;
  MemoryDecoder& memory_;
};

// The module's textures, samplers and surfaces.
std::vector<OpaqueVariable> opaque_variables(const ptx::Module& module, const MemoryMap& memory);

} // namespace kerncast::warp
