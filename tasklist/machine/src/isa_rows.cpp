#include "isa_rows.h"

#include "tasklist/text_memo.h"

namespace kerncast::machine {
namespace {

// Of the table that a thread asked last, which it holds, so that no other one gets the same address.
struct RowMemo {
  std::shared_ptr<const configs::IsaTable> isa;
  tasklist::TextMemo<const configs::IsaRow*> rows;
};

} // namespace

const configs::IsaRow* row_of(const std::shared_ptr<const configs::IsaTable>& isa,
                              std::string_view operation) {
  thread_local RowMemo memo;
  if (isa == nullptr)
    return nullptr;
  if (memo.isa != isa)
    memo = {isa, {}};
  return memo.rows.of(operation, [&](std::string_view text) { return isa->find(text); });
}

} // namespace kerncast::machine
