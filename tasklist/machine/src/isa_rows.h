// Looking up the rows of operations, remembered between kernels.
#pragma once

#include <memory>
#include <string_view>

#include "configs/isa.h"

namespace kerncast::machine {

// As isa->find(operation); null if there is no table.
const configs::IsaRow* row_of(const std::shared_ptr<const configs::IsaTable>& isa,
                              std::string_view operation);

} // namespace kerncast::machine
