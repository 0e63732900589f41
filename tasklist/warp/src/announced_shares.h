// How many bytes a kernel says that its bulk copies bring, where the copies do not say it themselves.
#pragma once

#include <map>

#include "ptx_parser/module.h"
#include "warp/program.h"

namespace kerncast::warp {

// By the instruction of each copy that signals an mbarrier: its share of the constant in the last
// mbarrier.expect_tx or mbarrier.arrive.expect_tx before it in the text.
std::map<std::uint32_t, AnnouncedShare> announced_shares(const ptx::Function& kernel);

} // namespace kerncast::warp
