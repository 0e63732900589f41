// Tasks to machine operations, in the order of the text.
#pragma once

#include "block_extras.h"
#include "draft.h"
#include "recipes.h"
#include "selection.h"

namespace kerncast::machine {

Draft emit(const Selection& selection, const Extras& extras, const configs::Gpu& gpu, const RecipeBook& book);

} // namespace kerncast::machine
