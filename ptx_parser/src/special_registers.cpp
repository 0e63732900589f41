#include "special_registers.h"

#include <algorithm>

namespace kerncast::ptx {
namespace {

// In alphabetical order, for binary search.
constexpr std::string_view names[] = {"%aggr_smem_size",
                                      "%clock",
                                      "%clock64",
                                      "%clock_hi",
                                      "%cluster_ctaid",
                                      "%cluster_ctarank",
                                      "%cluster_nctaid",
                                      "%cluster_nctarank",
                                      "%clusterid",
                                      "%ctaid",
                                      "%current_graph_exec",
                                      "%dynamic_smem_size",
                                      "%globaltimer",
                                      "%globaltimer_hi",
                                      "%globaltimer_lo",
                                      "%gridid",
                                      "%is_explicit_cluster",
                                      "%laneid",
                                      "%lanemask_eq",
                                      "%lanemask_ge",
                                      "%lanemask_gt",
                                      "%lanemask_le",
                                      "%lanemask_lt",
                                      "%nclusterid",
                                      "%nctaid",
                                      "%nsmid",
                                      "%ntid",
                                      "%nwarpid",
                                      "%reserved_smem_offset_0",
                                      "%reserved_smem_offset_1",
                                      "%reserved_smem_offset_begin",
                                      "%reserved_smem_offset_cap",
                                      "%reserved_smem_offset_end",
                                      "%smid",
                                      "%tid",
                                      "%total_smem_size",
                                      "%warpid"};
static_assert(std::is_sorted(std::begin(names), std::end(names)));

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

} // namespace

bool is_special_register(std::string_view name) {
  if (std::binary_search(std::begin(names), std::end(names), name))
    return true;
  constexpr std::string_view wide = "_64";
  const std::string_view counter = name.ends_with(wide) ? name.substr(0, name.size() - wide.size()) : name;
  return is_numbered(name, "%envreg", 32) || is_numbered(counter, "%pm", 8);
}

} // namespace kerncast::ptx
