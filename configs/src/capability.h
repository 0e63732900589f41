// Residency limits are those of the compute capability that a description names.
#pragma once

#include <functional>

#include "statements.h"

namespace kerncast::configs {

// "cc-8.6"; the name of the file that holds a compute capability's rules.
std::string capability_file(double major, double minor);

// The files of a compute capability's rules, nearest first; empty if there are none.
using RulesOf = std::function<std::vector<Document>(const std::string& name)>;

// A layer that changes the compute capability brings that one's limits with it: they are put before the layer
// and replace the inherited ones, which belong to another capability. The layer's own limits still count. A
// capability without rules leaves what is inherited. Layers are nearest first, as is the result.
std::vector<Document> bring_limits(std::vector<Document> layers, const RulesOf& rules_of);

// `rules`: the statements of base/cc-X.Y.toml. No limit may be above its own, and of a real architecture
// no rule of rounding another, unless --set says so: both are facts of real hardware, which a study may
// leave.
void check_capability(const Gpu& gpu, const Statements& statements, const Statements& rules,
                      Diagnostics& errors);

// Of a capability without rules: a file states both of its numbers, or inherits both, for one that is put
// together of two files' numbers is a slip. The limits stay as stated, which a prediction names.
void check_unknown_capability(Gpu& gpu, const Statements& statements, Diagnostics& errors);

} // namespace kerncast::configs
