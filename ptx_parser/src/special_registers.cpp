#include "special_registers.h"

#include <algorithm>

namespace kerncast::ptx {
namespace {

constexpr SpecialRegister predicate{Type::pred, 1, 1};
constexpr SpecialRegister word{Type::u32, 1, 4};
constexpr SpecialRegister wide{Type::u64, 1, 8};
constexpr SpecialRegister grid{Type::u64, 1, 2};
constexpr SpecialRegister coordinate{Type::u32, 4, 2};
constexpr SpecialRegister cluster_coordinate{Type::u32, 4, 4};

struct Named {
  std::string_view name;
  SpecialRegister special;
};

// In alphabetical order, for binary search.
constexpr Named special_names[] = {{"%aggr_smem_size", word},
                                   {"%clock", word},
                                   {"%clock64", wide},
                                   {"%clock_hi", word},
                                   {"%cluster_ctaid", cluster_coordinate},
                                   {"%cluster_ctarank", word},
                                   {"%cluster_nctaid", cluster_coordinate},
                                   {"%cluster_nctarank", word},
                                   {"%clusterid", cluster_coordinate},
                                   {"%ctaid", coordinate},
                                   {"%current_graph_exec", wide},
                                   {"%dynamic_smem_size", word},
                                   {"%globaltimer", wide},
                                   {"%globaltimer_hi", word},
                                   {"%globaltimer_lo", word},
                                   {"%gridid", grid},
                                   {"%is_explicit_cluster", predicate},
                                   {"%laneid", word},
                                   {"%lanemask_eq", word},
                                   {"%lanemask_ge", word},
                                   {"%lanemask_gt", word},
                                   {"%lanemask_le", word},
                                   {"%lanemask_lt", word},
                                   {"%nclusterid", cluster_coordinate},
                                   {"%nctaid", coordinate},
                                   {"%nsmid", word},
                                   {"%ntid", coordinate},
                                   {"%nwarpid", word},
                                   {"%reserved_smem_offset_0", word},
                                   {"%reserved_smem_offset_1", word},
                                   {"%reserved_smem_offset_begin", word},
                                   {"%reserved_smem_offset_cap", word},
                                   {"%reserved_smem_offset_end", word},
                                   {"%smid", word},
                                   {"%tid", coordinate},
                                   {"%total_smem_size", word},
                                   {"%warpid", word}};
constexpr bool is_before(const Named& a, const Named& b) { return a.name < b.name; }
static_assert(std::is_sorted(std::begin(special_names), std::end(special_names), is_before));

// `prefix` and a number below `count`.
bool is_numbered(std::string_view name, std::string_view prefix, int count) {
  if (!name.starts_with(prefix))
    return false;
  name.remove_prefix(prefix.size());
  int number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9' || number > count)
      return false;
    number = number * 10 + (c - '0');
  }
  return !name.empty() && number < count;
}

// Without a selector.
SpecialRegister named(std::string_view name) {
  const auto* const found =
      std::lower_bound(std::begin(special_names), std::end(special_names), Named{name, {}}, is_before);
  if (found != std::end(special_names) && found->name == name)
    return found->special;
  if (is_numbered(name, "%envreg", 32) || is_numbered(name, "%pm", 8))
    return word;
  constexpr std::string_view suffix = "_64";
  if (name.ends_with(suffix) && is_numbered(name.substr(0, name.size() - suffix.size()), "%pm", 8))
    return wide;
  return {};
}

} // namespace

SpecialRegister special_register(std::string_view name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  SpecialRegister out = named(name.substr(0, dot));
  out.has_selector = dot != name.size();
  return out;
}

bool special_register_fits(const SpecialRegister& special, Type want, bool wider) {
  if (special.type == Type::pred || want == Type::pred || is_float(want))
    return special.type == want;
  return size_bytes(want) <= size_bytes(special.type) && (wider || size_bytes(want) >= special.narrowest);
}

} // namespace kerncast::ptx
