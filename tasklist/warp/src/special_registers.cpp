// The names.
#include "special_registers.h"

namespace kerncast::warp {
namespace {

struct Name {
  std::string_view text;
  Special special;
};

constexpr Name names[] = {
    {"%tid.x", Special::tid_x},
    {"%tid.y", Special::tid_y},
    {"%tid.z", Special::tid_z},
    {"%ntid.x", Special::ntid_x},
    {"%ntid.y", Special::ntid_y},
    {"%ntid.z", Special::ntid_z},
    {"%ctaid.x", Special::ctaid_x},
    {"%ctaid.y", Special::ctaid_y},
    {"%ctaid.z", Special::ctaid_z},
    {"%nctaid.x", Special::nctaid_x},
    {"%nctaid.y", Special::nctaid_y},
    {"%nctaid.z", Special::nctaid_z},
    {"%laneid", Special::laneid},
    {"%warpid", Special::warpid},
    {"%lanemask_eq", Special::lanemask_eq},
    {"%lanemask_le", Special::lanemask_le},
    {"%lanemask_lt", Special::lanemask_lt},
    {"%lanemask_ge", Special::lanemask_ge},
    {"%lanemask_gt", Special::lanemask_gt},
    {"%dynamic_smem_size", Special::dynamic_smem_size},
    {"%total_smem_size", Special::total_smem_size},
    {"%aggr_smem_size", Special::total_smem_size}, // without the runtime's own share
    {"%cluster_ctaid.x", Special::cluster_ctaid_x},
    {"%cluster_ctaid.y", Special::cluster_ctaid_y},
    {"%cluster_ctaid.z", Special::cluster_ctaid_z},
    {"%cluster_nctaid.x", Special::cluster_nctaid_x},
    {"%cluster_nctaid.y", Special::cluster_nctaid_y},
    {"%cluster_nctaid.z", Special::cluster_nctaid_z},
    {"%clusterid.x", Special::clusterid_x},
    {"%clusterid.y", Special::clusterid_y},
    {"%clusterid.z", Special::clusterid_z},
    {"%nclusterid.x", Special::nclusterid_x},
    {"%nclusterid.y", Special::nclusterid_y},
    {"%nclusterid.z", Special::nclusterid_z},
    {"%cluster_ctarank", Special::cluster_ctarank},
    {"%cluster_nctarank", Special::cluster_nctarank},
    {"%is_explicit_cluster", Special::is_explicit_cluster},
    {"%envreg1", Special::envreg1},
    {"%envreg2", Special::envreg2},
};

struct ClockName {
  std::string_view text;
  ClockRegister clock;
};

constexpr ClockName clocks[] = {{"%clock", {4, false}},          {"%clock_hi", {4, true}},
                                {"%clock64", {8, false}},        {"%globaltimer", {8, false}},
                                {"%globaltimer_lo", {4, false}}, {"%globaltimer_hi", {4, true}}};

} // namespace

std::optional<ClockRegister> find_clock(std::string_view name) {
  for (const ClockName& n : clocks)
    if (n.text == name)
      return n.clock;
  return std::nullopt;
}

std::optional<Special> find_special(std::string_view name) {
  for (const Name& n : names)
    if (n.text == name)
      return n.special;
  return std::nullopt;
}

} // namespace kerncast::warp
