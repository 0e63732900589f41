// Since which PTX ISA version and on which targets an instruction or a directive exists (syntax/since.inc).
// Opcodes and modifiers decide; what only a number of operands tells apart is not looked at.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ptx_parser/opcode.h"

namespace kerncast::ptx {

// What a module's .version and .target offer.
struct Offer {
  std::uint32_t version = 0; // 100 times the major version and the minor one: 807 for 8.7
  std::string_view target;   // "sm_90a", "compute_80"
};

// What goes beyond an offer: the first lacking version and target of each kind, empty where nothing lacks.
struct Lack {
  std::string_view version; // "8.6"
  std::string_view targets; // "sm_100f sm_110f": one of these is needed
  bool any() const { return !version.empty() || !targets.empty(); }
};

Lack lack_of(Opcode opcode, std::span<const Modifier> modifiers, const Offer& offer);
// `directive` without its dot.
Lack lack_of(std::string_view directive, const Offer& offer);

// "'redux.sync.add.u32' is newer than .version 6.5" and the note with what to write.
std::string message(const Lack& lack, std::string_view feature, const Offer& offer);
std::string next_step(const Lack& lack);

} // namespace kerncast::ptx
