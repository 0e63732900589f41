// Looking up the row of a PTX operation.
#include "configs/isa.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace kerncast::configs {
namespace {

constexpr std::size_t most_parts = 24; // of an operation; those behind it are not looked at

struct Operation {
  std::array<std::string_view, most_parts> parts;
  std::size_t count = 0;
  std::string_view opcode() const { return parts[0]; }
};

Operation split(std::string_view text) {
  Operation operation;
  std::size_t begin = 0;
  while (operation.count < most_parts) {
    const std::size_t dot = text.find('.', begin);
    operation.parts[operation.count++] = text.substr(begin, dot - begin);
    if (dot == std::string_view::npos)
      break;
    begin = dot + 1;
  }
  return operation;
}

// The row's opcode is the operation's, and its modifiers occur in it in the same order.
bool fits(const IsaRow& row, const Operation& operation) {
  if (row.tokens.empty() || row.tokens.size() > operation.count || row.tokens.front() != operation.opcode())
    return false;
  std::size_t matched = 1;
  for (std::size_t i = 1; i < operation.count && matched < row.tokens.size(); ++i)
    if (row.tokens[matched] == operation.parts[i])
      ++matched;
  return matched == row.tokens.size();
}

std::size_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u; // FNV-1a
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return static_cast<std::size_t>(hash ^ hash >> 29);
}

// Whether the text is the row's tokens with dots between them.
bool is_text_of(const IsaRow& row, std::string_view text) {
  for (const std::string_view token : row.tokens) {
    if (!text.starts_with(token))
      return false;
    text.remove_prefix(token.size());
    if (text.starts_with('.'))
      text.remove_prefix(1);
    else
      return text.empty() && token.data() == row.tokens.back().data();
  }
  return false;
}

std::string_view opcode_of(const IsaRow& row) {
  return row.tokens.empty() ? std::string_view{} : std::string_view(row.tokens.front());
}

// The place of the opcode's first row in `index.rows`, or of an empty entry.
std::size_t place_of(const IsaTable& isa, std::string_view opcode) {
  const RowIndex& index = isa.index;
  std::size_t at = hash_of(opcode) & (index.table.size() - 1);
  while (index.table[at] != 0 && opcode_of(isa.rows[index.rows[index.table[at] - 1]]) != opcode)
    at = (at + 1) & (index.table.size() - 1);
  return at;
}

// The place of the row with just these tokens in `index.exact`, or of an empty entry.
std::size_t exact_place_of(const IsaTable& isa, std::string_view operation) {
  const RowIndex& index = isa.index;
  std::size_t at = hash_of(operation) & (index.exact.size() - 1);
  while (index.exact[at] != 0 && !is_text_of(isa.rows[index.exact[at] - 1], operation))
    at = (at + 1) & (index.exact.size() - 1);
  return at;
}

// Calls found(row) for rows of the opcode until it returns true; the most specific ones come first, of
// equally specific ones the first of the file.
template <class Found> void for_each_row(const IsaTable& isa, std::string_view opcode, Found found) {
  const RowIndex& index = isa.index;
  const std::uint32_t first = index.table[place_of(isa, opcode)];
  for (std::size_t i = first; first != 0 && i <= index.rows.size(); ++i) {
    const IsaRow& row = isa.rows[index.rows[i - 1]];
    if (opcode_of(row) != opcode || found(row))
      return;
  }
}

const IsaRow* search(const IsaTable& isa, const Operation& operation) {
  const IsaRow* best = nullptr;
  for (const IsaRow& row : isa.rows)
    if ((best == nullptr || row.tokens.size() > best->tokens.size()) && fits(row, operation))
      best = &row;
  return best;
}

bool is_indexed(const IsaTable& isa) { return !isa.rows.empty() && isa.index.rows.size() == isa.rows.size(); }

} // namespace

void IsaTable::index_rows() {
  index.rows.resize(rows.size());
  std::iota(index.rows.begin(), index.rows.end(), 0);
  std::stable_sort(index.rows.begin(), index.rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int order = opcode_of(rows[a]).compare(opcode_of(rows[b]));
    return order != 0 ? order < 0 : rows[a].tokens.size() > rows[b].tokens.size();
  });
  index.table.assign(std::bit_ceil(2 * rows.size() + 1), 0);
  for (std::uint32_t i = 0; i < index.rows.size(); ++i)
    if (std::uint32_t& first = index.table[place_of(*this, opcode_of(rows[index.rows[i]]))]; first == 0)
      first = i + 1;
  index.exact.assign(index.table.size(), 0);
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    std::string text = rows[i].tokens.empty() ? std::string{} : rows[i].tokens.front();
    for (std::size_t t = 1; t < rows[i].tokens.size(); ++t)
      text += '.' + rows[i].tokens[t];
    if (std::uint32_t& place = index.exact[exact_place_of(*this, text)]; place == 0)
      place = i + 1;
  }
}

const IsaRow* IsaTable::find(std::string_view operation) const {
  if (!is_indexed(*this))
    return search(*this, split(operation));
  if (const std::uint32_t exact = index.exact[exact_place_of(*this, operation)]; exact != 0)
    return &rows[exact - 1];
  const Operation wanted = split(operation);
  const IsaRow* best = nullptr;
  for_each_row(*this, wanted.opcode(), [&](const IsaRow& row) {
    best = fits(row, wanted) ? &row : nullptr;
    return best != nullptr;
  });
  return best;
}

bool IsaTable::has_row(std::string_view operation) const {
  if (is_indexed(*this))
    return index.exact[exact_place_of(*this, operation)] != 0;
  return std::ranges::any_of(rows, [&](const IsaRow& row) { return is_text_of(row, operation); });
}

const IsaRow* IsaTable::rival(std::string_view operation) const {
  const IsaRow* best = find(operation);
  if (best == nullptr)
    return nullptr;
  const Operation wanted = split(operation);
  const auto other = std::find_if(rows.begin(), rows.end(), [&](const IsaRow& row) {
    return &row != best && row.tokens.size() == best->tokens.size() && fits(row, wanted);
  });
  return other == rows.end() ? nullptr : &*other;
}

} // namespace kerncast::configs
