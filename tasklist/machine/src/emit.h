// Tasks to machine operations, in the order of the text.
#pragma once

#include "draft.h"
#include "recipes.h"

namespace kerncast::machine {

Draft emit(const tasklist::Tasklist& list, const configs::Gpu& gpu, const RecipeBook& book);

} // namespace kerncast::machine
