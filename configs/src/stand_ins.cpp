#include "stand_ins.h"

#include <fmt/format.h>

namespace kerncast::configs {
namespace {

// Index of the nearest layer that this one inherits: the rules of the capability that it states are its own.
std::size_t first_inherited(const std::vector<Document>& layers, std::size_t layer) {
  std::size_t first = layer + 1;
  while (first < layers.size() && layers[first].is_rule)
    ++first;
  return first;
}

void mark(ValueOrigin& origin, const std::string& stand_in) {
  if (origin.evidence == Evidence::guess)
    return;
  origin.evidence = Evidence::guess;
  origin.error.reset();
  origin.source = origin.source.empty() ? fmt::format("{} stands in", stand_in)
                                        : fmt::format("{} stands in: {}", stand_in, origin.source);
}

} // namespace

void note_stand_ins(Gpu& gpu, const std::vector<Document>& layers, const Statements& statements) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto& inherits = layers[i].inherits;
    if (!inherits || inherits->basis.evidence != Evidence::guess)
      continue;
    const std::string stand_in = to_text(inherits->value);
    gpu.assumptions.push_back(fmt::format("{}: all that is inherited from {} is a guess: {}", gpu.name,
                                          stand_in, inherits->basis.source));
    const std::size_t inherited = layers.size() - first_inherited(layers, i); // layers of Statements below it
    for (const auto& [key, entry] : statements.all())
      if (entry.layer < inherited)
        mark(gpu.origins[key], stand_in);
    if (gpu.clock != ClockChoice::stated)
      gpu.origins["clock_mhz"] =
          gpu.origins[gpu.clock == ClockChoice::base ? "base_clock_mhz" : "boost_clock_mhz"];
  }
}

} // namespace kerncast::configs
