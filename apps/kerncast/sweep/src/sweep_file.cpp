// The tables [sweep], [derived], [constraints] and [objectives]; [axes] and [uncertain] have files of their
// own.
#include "sweep/sweep_file.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "axes.h"
#include "sweep/sampling.h"
#include "uncertain.h"

namespace kerncast::sweep {
namespace {

struct SamplingName {
  std::string_view name;
  Sampling sampling;
};
constexpr SamplingName sampling_names[] = {{"grid", Sampling::grid},
                                           {"latin-hypercube", Sampling::latin_hypercube},
                                           {"sobol", Sampling::sobol},
                                           {"one-at-a-time", Sampling::one_at_a_time},
                                           {"search", Sampling::search}};

class SweepReader {
public:
  explicit SweepReader(std::shared_ptr<const SourceText> source) : context_{source, {}} {
    sweep_.source = std::move(source);
  }

  Expected<SweepFile> run(const toml::table& root) {
    const auto table = [this](auto read) {
      return [this, read](const toml::node& node) {
        if (const toml::table* inner = node.as_table())
          (this->*read)(*inner);
        return node.is_table();
      };
    };
    const Field fields[] = {{"sweep", "a table", table(&SweepReader::read_head)},
                            {"axes", "a table", table(&SweepReader::read_all_axes)},
                            {"uncertain", "a table", table(&SweepReader::read_all_uncertain)},
                            {"derived", "a table", table(&SweepReader::read_derived)},
                            {"constraints", "a table", table(&SweepReader::read_constraints)},
                            {"objectives", "a table", table(&SweepReader::read_objectives)}};
    read_fields(context_, root, fields, "a sweep file");
    check();
    if (!context_.errors.empty())
      return tl::unexpected(in_order(std::move(context_.errors)));
    return std::move(sweep_);
  }

private:
  static Diagnostics in_order(Diagnostics errors) {
    std::stable_sort(errors.begin(), errors.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
    return errors;
  }

  void read_head(const toml::table& table) {
    const auto texts = [](std::vector<Text>& out) {
      return [&out](const toml::node& node) {
        std::optional<std::vector<Text>> list = texts_of(node);
        out = list.value_or(std::vector<Text>());
        return !out.empty();
      };
    };
    const Field fields[] = {
        {"name", "a text",
         [&](const toml::node& node) {
           const std::optional<Text> name = text_of(node);
           sweep_.name = name ? name->text : "";
           return name.has_value();
         }},
        {"base", "a list of GPUs: [\"a100-sxm4-40gb\"]", texts(sweep_.bases)},
        {"apps", "a list of application files: [\"hotspot/app.json\"]", texts(sweep_.apps)},
        {"sampling", "\"grid\", \"latin-hypercube\", \"sobol\", \"one-at-a-time\" or \"search\"",
         [&](const toml::node& node) { return read_sampling(node); }},
        {"points", "a whole number from 1 to 1000000",
         [&](const toml::node& node) {
           sweep_.points = count_of(node).value_or(0);
           points_place_ = configs::toml_span(node.source());
           return sweep_.points >= 1 && sweep_.points <= most_points;
         }},
        {"samples", "a whole number from 1 to 1000",
         [&](const toml::node& node) {
           sweep_.samples = count_of(node).value_or(0);
           samples_place_ = configs::toml_span(node.source());
           return sweep_.samples >= 1 && sweep_.samples <= most_samples;
         }},
        {"seed", "a whole number", [&](const toml::node& node) {
           sweep_.seed = count_of(node).value_or(0);
           seed_place_ = configs::toml_span(node.source());
           return count_of(node).has_value();
         }}};
    has_head_ = true;
    head_ = configs::toml_span(table.source());
    read_fields(context_, table, fields, "[sweep]");
    if (sweep_.bases.empty() && !table.contains("base"))
      context_.error(head_, "[sweep] names no GPU",
                     "state base = [\"a100-sxm4-40gb\"]; 'kerncast gpus' lists them");
    if (sweep_.apps.empty() && !table.contains("apps"))
      context_.error(head_, "[sweep] names no application", "state apps = [\"hotspot/app.json\"]");
  }

  bool read_sampling(const toml::node& node) {
    const std::optional<Text> text = text_of(node);
    for (const SamplingName& known : sampling_names)
      if (text && text->text == known.name) {
        sweep_.sampling = known.sampling;
        return true;
      }
    return false;
  }

  void read_all_axes(const toml::table& table) { read_axes(context_, table, sweep_); }

  void read_all_uncertain(const toml::table& table) { read_uncertain(context_, table, sweep_); }

  std::optional<Expression> expression(const toml::node& node, bool condition) {
    const std::optional<Text> text = text_of(node);
    if (!text) {
      context_.error_at(node, "must be an expression in quotes",
                        "for example: \"sms * 4.5 + l2.mib <= 400\"");
      return std::nullopt;
    }
    Expected<Expression> parsed = parse_expression(*context_.source, text->place, text->text);
    if (!parsed) {
      context_.errors.insert(context_.errors.end(), parsed.error().begin(), parsed.error().end());
      return std::nullopt;
    }
    if (parsed->is_condition != condition) {
      context_.error({text->place, text->length},
                     condition ? "a number, where a constraint needs a condition"
                               : "a condition, where a number must stand",
                     condition ? "compare it: area_mm2 <= 500" : "conditions belong to [constraints]");
      return std::nullopt;
    }
    return std::move(*parsed);
  }

  void read_named(const toml::table& table, bool condition, std::vector<NamedExpression>& out) {
    for (const auto& [key, node] : table) {
      const configs::TomlSpan at = configs::toml_span(key.source());
      if (std::optional<Expression> value = expression(node, condition))
        out.push_back({{std::string(key.str()), at.place, at.length}, std::move(*value)});
    }
  }

  void read_derived(const toml::table& table) { read_named(table, false, sweep_.derived); }
  void read_constraints(const toml::table& table) { read_named(table, true, sweep_.constraints); }

  void read_objectives(const toml::table& table) {
    for (const auto& [key, node] : table) {
      const configs::TomlSpan at = configs::toml_span(key.source());
      const Text name{std::string(key.str()), at.place, at.length};
      if (node.is_string()) {
        if (std::optional<Expression> value = expression(node, false))
          sweep_.objectives.push_back({name, std::move(*value), false});
        continue;
      }
      const toml::table* inner = node.as_table();
      if (inner == nullptr || inner->size() != 1) {
        context_.error_at(node, fmt::format("{} is no objective", name.text),
                          "write { minimize = \"total_time_us\" } or { maximize = \"1 / total_time_us\" }");
        continue;
      }
      const auto objective = [&](bool maximize) {
        return [this, &name, maximize](const toml::node& text) {
          if (std::optional<Expression> value = expression(text, false))
            sweep_.objectives.push_back({name, std::move(*value), maximize});
          return true;
        };
      };
      const Field fields[] = {{"minimize", "an expression", objective(false)},
                              {"maximize", "an expression", objective(true)}};
      read_fields(context_, *inner, fields, "an objective");
    }
  }

  void check_size() {
    const bool is_grid = sweep_.sampling == Sampling::grid || sweep_.sampling == Sampling::search;
    const bool is_one_at_a_time = sweep_.sampling == Sampling::one_at_a_time;
    std::size_t points = is_grid || is_one_at_a_time ? 1 : sweep_.points;
    for (const Axis& axis : sweep_.axes)
      if (is_one_at_a_time)
        points += axis.steps;
    if (!sweep_.uncertain.empty())
      points *= 1 + sweep_.samples;
    for (const Axis& axis : sweep_.axes)
      if (is_grid)
        points = std::min(points * std::max<std::size_t>(1, axis.steps), most_points + 1);
    if (points > most_points)
      context_.error(head_, fmt::format("{}more than {} points", is_grid ? "a grid of " : "", most_points),
                     "take fewer steps or samples, or state sampling = \"sobol\" and points");
  }

  void check_search() {
    if (sweep_.sampling != Sampling::search)
      return;
    if (sweep_.objectives.size() > 1)
      context_.error({sweep_.objectives[1].name.place, sweep_.objectives[1].name.length},
                     "a search has one objective", "make the others constraints, or one expression of both");
    if (!sweep_.uncertain.empty())
      context_.error(head_, "a search predicts too few points to say how stable their order is",
                     "leave [uncertain] out, and state it in a sweep around what the search has found");
    if (sweep_.axes.size() > most_sobol_axes)
      context_.error(head_, fmt::format("a search over more than {} axes", most_sobol_axes),
                     "leave some out");
  }

  // `points`, `seed` and `samples` belong to what takes samples.
  void check_samples() {
    const bool is_sampled = is_drawn() || sweep_.sampling == Sampling::search;
    if (is_sampled && sweep_.points == 0 && !points_place_)
      context_.error(head_, "points is missing: this sampling takes any number of them",
                     "state points = 256");
    if (!is_sampled && points_place_)
      context_.error(*points_place_, "this sampling takes every value that the axes have",
                     "leave points out, or state sampling = \"sobol\"");
    if (seed_place_ && !is_sampled && sweep_.uncertain.empty())
      context_.error(*seed_place_, "seed of a sweep without samples",
                     "leave it out, or state sampling = \"sobol\" and points");
    if (samples_place_ && sweep_.uncertain.empty())
      context_.error(*samples_place_, "samples of no uncertain key",
                     "state some in [uncertain], or leave it out");
  }

  void check_axes() {
    if (sweep_.sampling == Sampling::sobol && sweep_.axes.size() > most_sobol_axes)
      context_.error(head_,
                     fmt::format("{} axes, but Sobol's sequence is known here for {} at most",
                                 sweep_.axes.size(), most_sobol_axes),
                     "state sampling = \"latin-hypercube\"");
    for (const Axis& axis : sweep_.axes)
      if (axis.steps == 0 && !is_drawn()) {
        const Text& key = axis.keys.front().key;
        context_.error({key.place, key.length}, fmt::format("the range of {} has no steps", key.text),
                       "state steps = 5 in its braces, or sampling = \"sobol\" in [sweep]");
      }
  }

  // What belongs together.
  void check() {
    if (!has_head_) {
      context_.error({{1, 1}, 1}, "the table [sweep] is missing", "state base and apps in [sweep]");
      return;
    }
    check_samples();
    check_size();
    check_search();
    check_axes();
  }

  bool is_drawn() const {
    return sweep_.sampling == Sampling::latin_hypercube || sweep_.sampling == Sampling::sobol;
  }

  Context context_;
  SweepFile sweep_;
  bool has_head_ = false;
  configs::TomlSpan head_;
  std::optional<configs::TomlSpan> points_place_;
  std::optional<configs::TomlSpan> samples_place_;
  std::optional<configs::TomlSpan> seed_place_;
};

} // namespace

std::string path_of(const SourceText& source, const std::string& path) {
  const std::filesystem::path beside = std::filesystem::path(source.name()).parent_path() / path;
  std::error_code error;
  return std::filesystem::exists(beside, error) ? beside.lexically_normal().string() : path;
}

Expected<SweepFile> read_sweep(std::shared_ptr<const SourceText> source) {
  return configs::parse_toml(source).and_then(
      [&](const configs::TomlText& text) { return SweepReader(source).run(text.table); });
}

} // namespace kerncast::sweep
