// Stages of a measured launch: how much of the chain from registers to cycles is given as it was measured.
// What an error loses from one stage to the next is the share of what that stage gives.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mapping.h"
#include "predict/options.h"

namespace kerncast::app {

// Each gives what the ones before it give, too: nothing; registers and spill stores; hit rates.
enum class Stage : std::uint8_t { nothing, registers, hit_rates };
inline constexpr std::array<Stage, 3> all_stages = {Stage::nothing, Stage::registers, Stage::hit_rates};
std::string_view name(Stage stage);

// The launch of `words`, which say all that the mapping gives, with no more of the chain than the stage
// gives: what the words have, else what the counters of the row have. None where neither has anything of that
// stage.
std::optional<PredictWords> words_at(Stage stage, const PredictWords& words, const Facts& row);

// Do both give the same of the chain?
bool give_the_same(const PredictWords& one, const PredictWords& other);

// A row with what one stage gives.
struct StagePrediction {
  bool is_given = false;      // the mapping or the row has something of the stage
  std::optional<double> main; // the main quantity, predicted; none: it cannot be
  std::string why_not;        // then
};
using StagePredictions = std::array<StagePrediction, all_stages.size()>;

} // namespace kerncast::app
