// What a file inherits from another machine because nothing better is known: `inherits = "NAME" # guess:
// why`.
#pragma once

#include "statements.h"

namespace kerncast::configs {

// All that is inherited so is a guess, whatever its numbers rest on there. Layers are nearest first.
void note_stand_ins(Gpu& gpu, const std::vector<Document>& layers, const Statements& statements);

} // namespace kerncast::configs
