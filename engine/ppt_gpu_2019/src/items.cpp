// Items: ["iALU", latency, dependency, ...], ["GLOB_MEM_ACCESS", "LOAD", dependency, ...], ["THREAD_SYNC"].
#include "items.h"

#include <fmt/format.h>

#include "item_kind.h"

namespace kerncast::ppt_gpu_2019 {
namespace {

using json::Kind;
using json::NodeId;
using json::ValueReader;

struct ClassRow {
  std::string_view name;
  ItemKind kind;
};
constexpr ClassRow classes[] = {{"iALU", ItemKind::ialu},
                                {"fALU", ItemKind::falu},
                                {"dALU", ItemKind::dalu},
                                {"SFU", ItemKind::sfu},
                                {"GLOB_MEM_ACCESS", ItemKind::global},
                                {"SHARED_MEM_ACCESS", ItemKind::shared},
                                {"LOCAL_MEM_ACCESS", ItemKind::local},
                                {"PARAM_MEM_ACCESS", ItemKind::param},
                                {"CONST_MEM_ACCESS", ItemKind::constant},
                                {"TEX_MEM_ACCESS", ItemKind::texture},
                                {"THREAD_SYNC", ItemKind::thread_sync}};

class ItemReader {
public:
  ItemReader(ValueReader& reader, Input& input) : reader_(reader), input_(input) {}

  void read(NodeId array) {
    Item item{.first_dependency = static_cast<std::uint32_t>(input_.dependencies.size())};
    if (read_head(array, item))
      for (NodeId i = next_; i < reader_.node(array).after; i = reader_.node(i).after)
        read_dependency(i);
    item.dependency_count = static_cast<std::uint32_t>(input_.dependencies.size()) - item.first_dependency;
    // Also after an error, which keeps the numbering of the items that follow.
    input_.items.push_back(item);
  }

private:
  // The class and the element that belongs to it; next_ is then what follows them.
  bool read_head(NodeId array, Item& item) {
    const NodeId word = array + 1;
    const NodeId end = reader_.node(array).after;
    if (reader_.node(array).kind != Kind::array || word == end) {
      reader_.error(array, "an item is an array that begins with its class", {"for example [\"iALU\", 6]"});
      return false;
    }
    const ClassRow* row = named_row(reader_, word, "item class", classes);
    if (row == nullptr)
      return false;
    item.kind = row->kind;
    next_ = word + 1;
    if (next_ < end)
      return read_second(next_, item);
    if (item.kind == ItemKind::thread_sync)
      return true;
    reader_.error(word, "the item ends after its class",
                  {has_latency(item.kind) ? "give its latency in cycles" : "add \"LOAD\" or \"STORE\""});
    return false;
  }

  // The latency of arithmetic, the word LOAD or STORE of an access, anything of a barrier.
  bool read_second(NodeId second, Item& item) {
    next_ = reader_.node(second).after;
    if (item.kind == ItemKind::thread_sync)
      return true;
    if (has_latency(item.kind)) {
      const auto latency = reader_.real(second, "the latency", 0, max_latency);
      item.latency = latency.value_or(0);
      return latency.has_value();
    }
    if (!reader_.expect(second, Kind::string, "the second element of a memory access"))
      return false;
    const std::string& text = reader_.tree().text(second);
    if (item.kind == ItemKind::global && text != "LOAD" && text != "STORE")
      item.kind = ItemKind::global_other;
    return true;
  }

  void read_dependency(NodeId id) {
    const std::size_t self = input_.items.size();
    const json::Node& node = reader_.node(id);
    if (node.kind == Kind::natural && node.natural < self) {
      input_.dependencies.push_back(static_cast<std::uint32_t>(node.natural));
      return;
    }
    reader_.error(
        id, fmt::format("item {} cannot depend on {}: only on the items before it", self, reader_.found(id)),
        {self == 0 ? "the first item has no dependencies"
                   : fmt::format("dependencies count from 0 and are below {} here", self)});
  }

  ValueReader& reader_;
  Input& input_;
  NodeId next_ = 0;
};

} // namespace

void read_items(ValueReader& reader, NodeId array, Input& into) {
  if (!reader.expect(array, Kind::array, "tasklist"))
    return;
  ItemReader items(reader, into);
  reader.for_each_element(array, [&](NodeId element) { items.read(element); });
  if (into.items.empty())
    reader.error(array, "the tasklist is empty", {"give at least one item, such as [\"iALU\", 6]"});
  if (into.items.size() > max_items)
    reader.error(array,
                 fmt::format("{} items, more than the {} of the longest tasklist accepted", into.items.size(),
                             max_items),
                 {"shorten the loops that the tasklist writes out"});
}

} // namespace kerncast::ppt_gpu_2019
