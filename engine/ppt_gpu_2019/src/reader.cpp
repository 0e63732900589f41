#include "ppt_gpu_2019/reader.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "hardware.h"
#include "json_fields.h"
#include "support/suggest.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

constexpr std::size_t max_file_bytes = 16 << 20; // the longest published file has 135 kB
constexpr double infinite = std::numeric_limits<double>::max();

constexpr std::array<std::string_view, 12> file_names = {"tasklist",  "launch",
                                                         "arch",      "app",
                                                         "hw",        "kernel_launch_overhead_s",
                                                         "source",    "gpu",
                                                         "measured",  "n_tasklist_items",
                                                         "predicted", "derived_not_ppt"};

struct ItemName {
  std::string_view name;
  ItemKind kind;
};
constexpr std::array<ItemName, 11> item_names = {{{"iALU", ItemKind::ialu},
                                                  {"fALU", ItemKind::falu},
                                                  {"dALU", ItemKind::dalu},
                                                  {"SFU", ItemKind::sfu},
                                                  {"GLOB_MEM_ACCESS", ItemKind::global},
                                                  {"SHARED_MEM_ACCESS", ItemKind::shared},
                                                  {"LOCAL_MEM_ACCESS", ItemKind::local},
                                                  {"PARAM_MEM_ACCESS", ItemKind::param},
                                                  {"CONST_MEM_ACCESS", ItemKind::constant},
                                                  {"TEX_MEM_ACCESS", ItemKind::texture},
                                                  {"THREAD_SYNC", ItemKind::thread_sync}}};

bool has_latency(ItemKind kind) {
  return kind == ItemKind::ialu || kind == ItemKind::falu || kind == ItemKind::dalu || kind == ItemKind::sfu;
}

class TasklistReader {
public:
  TasklistReader(JsonFields& fields, Input& input) : fields_(fields), input_(input) {}

  void read(const JsonNode& list) {
    for (const JsonNode* node = first(list); node != nullptr; node = fields_.tree().next(*node))
      if (!read_item(*node))
        input_.items.push_back({}); // keeps the numbering of the items after it
    if (input_.items.empty())
      fields_.report(list, "the tasklist is empty", "give at least one item, such as [\"iALU\", 6]");
    if (input_.items.size() > max_items)
      fields_.report(list,
                     fmt::format("{} items, more than the {} of the longest tasklist accepted",
                                 input_.items.size(), max_items),
                     "shorten the loops that the tasklist writes out");
  }

private:
  const JsonNode* first(const JsonNode& node) const { return fields_.tree().first_child(node); }

  bool read_item(const JsonNode& node) {
    const JsonNode* word = node.kind == JsonKind::array ? first(node) : nullptr;
    if (word == nullptr || word->kind != JsonKind::string) {
      fields_.report(node, "an item is a list that begins with its class", "for example [\"iALU\", 6]");
      return false;
    }
    const std::optional<ItemKind> kind = read_kind(*word);
    if (!kind)
      return false;
    Item item{.kind = *kind, .first_dependency = static_cast<std::uint32_t>(input_.dependencies.size())};
    const JsonNode* second = fields_.tree().next(*word);
    if (!read_second(*word, second, item))
      return false;
    const JsonNode* rest = second == nullptr ? nullptr : fields_.tree().next(*second);
    for (; rest != nullptr; rest = fields_.tree().next(*rest))
      read_dependency(*rest);
    item.dependency_count = static_cast<std::uint32_t>(input_.dependencies.size()) - item.first_dependency;
    input_.items.push_back(item);
    return true;
  }

  std::optional<ItemKind> read_kind(const JsonNode& word) {
    const std::string_view text = fields_.tree().text(word);
    const auto* found = std::ranges::find(item_names, text, &ItemName::name);
    if (found != item_names.end())
      return found->kind;
    std::array<std::string_view, item_names.size()> names;
    std::ranges::transform(item_names, names.begin(), &ItemName::name);
    const std::string near = nearest(text, names);
    fields_.report(word, fmt::format("unknown item class '{}'", text),
                   near.empty() ? fmt::format("the classes are {}", fmt::join(names, ", "))
                                : fmt::format("did you mean '{}'?", near));
    return std::nullopt;
  }

  // The second element: the latency of arithmetic, the word LOAD or STORE of an access, nothing of a barrier.
  bool read_second(const JsonNode& word, const JsonNode* second, Item& item) {
    if (item.kind == ItemKind::thread_sync)
      return true;
    if (second == nullptr) {
      fields_.report(word, "the item ends after its class",
                     has_latency(item.kind) ? "give its latency in cycles" : "add \"LOAD\" or \"STORE\"");
      return false;
    }
    if (has_latency(item.kind)) {
      item.latency = second->number;
      return fields_.check_number(*second, "the latency", {0, max_latency});
    }
    if (second->kind != JsonKind::string) {
      fields_.report(*second, "the second element of a memory access is a text",
                     "write \"LOAD\" or \"STORE\"");
      return false;
    }
    const std::string_view text = fields_.tree().text(*second);
    if (item.kind == ItemKind::global && text != "LOAD" && text != "STORE")
      item.kind = ItemKind::global_other;
    return true;
  }

  void read_dependency(const JsonNode& node) {
    const std::size_t self = input_.items.size();
    if (node.kind == JsonKind::integer && node.number >= 0 && node.number < static_cast<double>(self)) {
      input_.dependencies.push_back(static_cast<std::uint32_t>(node.number));
      return;
    }
    fields_.report(node,
                   fmt::format("item {} cannot depend on {}: only on the items before it", self,
                               fields_.tree().text(node)),
                   self == 0 ? "the first item has no dependencies"
                             : fmt::format("dependencies count from 0 and are below {} here", self));
  }

  JsonFields& fields_;
  Input& input_;
};

Launch read_launch(JsonFields& fields, const JsonNode& object, const Hardware& hardware) {
  static constexpr std::array<std::string_view, 5> names = {"grid", "block", "regs", "smem", "phit_l2"};
  fields.check_names(object, names);
  Launch launch;
  launch.grid_blocks = fields.count(object, "grid", {1, static_cast<double>(max_grid_blocks)});
  const double most_threads = std::max(1U, hardware.max_threads_per_block);
  launch.threads_per_block = static_cast<std::uint32_t>(fields.count(object, "block", {1, most_threads}));
  launch.registers_per_thread = static_cast<std::uint32_t>(fields.count(object, "regs", {1, max_count}));
  launch.shared_bytes_per_block =
      static_cast<std::uint32_t>(fields.count(object, "smem", {0, hardware_shared_bound}));
  launch.l2_hit = fields.number(object, "phit_l2", {0, 1});
  return launch;
}

std::vector<double> read_numbers(JsonFields& fields, const JsonNode& object, std::string_view key) {
  std::vector<double> values;
  const JsonNode* list = fields.require(object, key, JsonKind::array);
  const JsonNode* node = list == nullptr ? nullptr : fields.tree().first_child(*list);
  for (; node != nullptr; node = fields.tree().next(*node))
    if (fields.check_number(*node, fmt::format("an element of '{}'", key), {0, infinite}))
      values.push_back(node->number);
  return values;
}

std::optional<double> read_python27_time(JsonFields& fields, const JsonNode& root) {
  const JsonNode* measured = fields.tree().member(root, "measured");
  if (measured == nullptr || measured->kind != JsonKind::array)
    return std::nullopt;
  const JsonNode* run = fields.tree().first_child(*measured);
  for (; run != nullptr; run = fields.tree().next(*run)) {
    const JsonNode* interpreter = fields.tree().member(*run, "interpreter");
    if (interpreter != nullptr && fields.tree().text(*interpreter).starts_with("2.7"))
      return fields.number(*run, "cpu_s", {0, infinite});
  }
  return std::nullopt;
}

Recording read_recording(JsonFields& fields, const JsonNode& root, const JsonNode& predicted) {
  // Counts are whole numbers that the tool sometimes prints with a decimal point.
  const auto count = [&](std::string_view key) {
    return static_cast<std::uint64_t>(fields.number(predicted, key, {0, 1e15}));
  };
  Recording r;
  r.amat = fields.number(predicted, "amat", {0, infinite});
  r.cycles = fields.number(predicted, "cycles", {0, infinite});
  r.blocks_per_sm = count("blocks_per_sm");
  r.warps_per_block = count("warps_per_block");
  r.warp_instructions = count("warp_instructions");
  r.warp_issue_events = count("warp_issue_events");
  r.n_workloads = count("n_workloads");
  r.block_end_computations = read_numbers(fields, predicted, "block_end_computations");
  r.block_actual_end = read_numbers(fields, predicted, "block_actual_end");
  r.python27_cpu_s = read_python27_time(fields, root);
  return r;
}

void check_item_count(JsonFields& fields, const JsonNode& root, const JsonNode& list, std::size_t items) {
  const JsonNode* stated = fields.tree().member(root, "n_tasklist_items");
  if (stated == nullptr || !fields.check_count(*stated, "'n_tasklist_items'", {0, infinite}))
    return;
  if (stated->number != static_cast<double>(items))
    fields.report(list, fmt::format("{} items, but 'n_tasklist_items' is {}", items, stated->number),
                  "correct whichever is wrong");
}

LanlFile read_root(JsonFields& fields, const JsonNode& root) {
  LanlFile file;
  fields.check_names(root, file_names);
  file.input.name = fields.text(root, "app");
  file.input.launch_overhead_s = fields.number(root, "kernel_launch_overhead_s", {0, 1});
  if (const JsonNode* hw = fields.require(root, "hw", JsonKind::object))
    file.input.hardware = read_hardware(fields, *hw);
  if (const JsonNode* launch = fields.require(root, "launch", JsonKind::object))
    file.input.launch = read_launch(fields, *launch, file.input.hardware);
  if (const JsonNode* list = fields.require(root, "tasklist", JsonKind::array)) {
    TasklistReader(fields, file.input).read(*list);
    check_item_count(fields, root, *list, file.input.items.size());
  }
  if (fields.tree().member(root, "predicted") != nullptr)
    if (const JsonNode* predicted = fields.require(root, "predicted", JsonKind::object))
      file.recording = read_recording(fields, root, *predicted);
  return file;
}

} // namespace

bool is_lanl_file(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && text[start] == '{' &&
         text.find("\"tasklist\"") != std::string_view::npos && text.find("\"hw\"") != std::string_view::npos;
}

Expected<LanlFile> read_lanl_file(const SourceText& source) {
  if (source.text().size() > max_file_bytes)
    return fail(source.error({}, 1, fmt::format("larger than {} bytes", max_file_bytes),
                             {"published files have at most 135 kB: shorten the loops written out"}));
  const Expected<JsonTree> tree = JsonTree::parse(source);
  if (!tree)
    return tl::unexpected(tree.error());
  JsonFields fields(source, *tree);
  if (tree->root().kind != JsonKind::object) {
    fields.report(tree->root(), fmt::format("the file is {}, not an object", name(tree->root().kind)),
                  "a ppt_lanl file is {\"tasklist\": [...], \"launch\": {...}, \"hw\": {...}, ...}");
    return tl::unexpected(fields.errors());
  }
  LanlFile file = read_root(fields, tree->root());
  if (!fields.errors().empty())
    return tl::unexpected(fields.errors());
  return file;
}

} // namespace kerncast::ppt_gpu_2019
