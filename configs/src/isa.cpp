// Looking up the row of a PTX operation.
#include "configs/isa.h"

#include <algorithm>

#include "isa_pattern.h"

namespace kerncast::configs {
namespace {

// The row's opcode is the operation's, and its modifiers occur in it in the same order.
bool fits(const IsaRow& row, const std::vector<std::string_view>& operation) {
  if (row.tokens.empty() || row.tokens.front() != operation.front())
    return false;
  std::size_t matched = 0;
  for (const std::string_view token : operation)
    if (matched < row.tokens.size() && row.tokens[matched] == token)
      ++matched;
  return matched == row.tokens.size();
}

} // namespace

const IsaRow* IsaTable::find(std::string_view operation) const {
  const auto tokens = tokens_of(operation);
  const IsaRow* best = nullptr;
  for (const IsaRow& row : rows)
    if ((best == nullptr || row.tokens.size() > best->tokens.size()) && fits(row, tokens))
      best = &row;
  return best;
}

bool IsaTable::has_row(std::string_view operation) const {
  const auto tokens = tokens_of(operation);
  return std::any_of(rows.begin(), rows.end(), [&](const IsaRow& row) {
    return std::equal(row.tokens.begin(), row.tokens.end(), tokens.begin(), tokens.end());
  });
}

const IsaRow* IsaTable::rival(std::string_view operation) const {
  const IsaRow* best = find(operation);
  if (best == nullptr)
    return nullptr;
  const auto tokens = tokens_of(operation);
  const auto other = std::find_if(rows.begin(), rows.end(), [&](const IsaRow& row) {
    return &row != best && row.tokens.size() == best->tokens.size() && fits(row, tokens);
  });
  return other == rows.end() ? nullptr : &*other;
}

} // namespace kerncast::configs
