#include "labels.h"

#include <algorithm>

namespace kerncast::ptx {

void Labels::clear() {
  index_.clear();
  names_.clear();
  references_.clear();
  definitions_.clear();
  scopes_.clear();
  scopes_opened_ = 0;
}

void Labels::reserve(std::size_t labels) {
  index_.reserve(labels);
  names_.reserve(labels);
  references_.reserve(labels);
  definitions_.reserve(labels);
}

void Labels::open_scope() {
  scopes_.push_back({static_cast<std::uint32_t>(references_.size()),
                     static_cast<std::uint32_t>(definitions_.size()), ++scopes_opened_});
}

Labels::Name& Labels::name_of(std::string_view name, std::uint32_t& index) {
  std::uint32_t& found = index_[name];
  if (found == no_id) {
    found = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back();
  }
  index = found;
  return names_[found];
}

void Labels::refer(std::string_view name, std::uint32_t operand) {
  std::uint32_t index = 0;
  Name& n = name_of(name, index);
  references_.push_back({operand, n.references});
  n.references = static_cast<std::uint32_t>(references_.size() - 1);
}

bool Labels::define(std::string_view name, std::uint32_t id, std::uint32_t& earlier) {
  std::uint32_t index = 0;
  Name& n = name_of(name, index);
  const std::uint32_t scope = scopes_.back().serial;
  if (n.definition != no_id && definitions_[n.definition].scope == scope) {
    earlier = definitions_[n.definition].id;
    return false;
  }
  definitions_.push_back({index, id, scope, n.definition});
  n.definition = static_cast<std::uint32_t>(definitions_.size() - 1);
  return true;
}

std::uint32_t Labels::find_in_scope(std::string_view name) const {
  const std::uint32_t index = index_.find(name);
  if (index == no_id || names_[index].definition == no_id)
    return no_id;
  const Definition& d = definitions_[names_[index].definition];
  return d.scope == scopes_.back().serial ? d.id : no_id;
}

void Labels::close_scope(TreeVector<Operand>& operands) {
  const Scope scope = scopes_.back();
  scopes_.pop_back();
  while (definitions_.size() > scope.first_definition) {
    const Definition& d = definitions_.back();
    Name& name = names_[d.name];
    // The list has the latest reference first: those of this scope are a prefix of it.
    while (name.references != no_id && name.references >= scope.first_reference) {
      operands[references_[name.references].operand].id = d.id;
      name.references = references_[name.references].next;
    }
    name.definition = d.hidden;
    definitions_.pop_back();
  }
}

std::vector<std::uint32_t> Labels::unresolved() const {
  std::vector<std::uint32_t> out;
  for (const Name& n : names_)
    for (std::uint32_t r = n.references; r != no_id; r = references_[r].next)
      out.push_back(references_[r].operand);
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace kerncast::ptx
