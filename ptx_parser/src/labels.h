// Labels of one function. A label is visible in the scope that defines it and in the scopes nested in it,
// before and after its definition; sibling scopes may use one name for different labels. References are
// therefore resolved when a scope closes, against the labels that it defined.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "names.h"
#include "ptx_parser/module.h"

namespace kerncast::ptx {

class Labels {
public:
  void clear();
  // Room for so many labels and as many references.
  void reserve(std::size_t labels);
  void open_scope();
  // Resolves the references in the closing scope; `operands` is the function's pool.
  void close_scope(TreeVector<Operand>& operands);
  // Notes that operands[operand] names a label.
  void refer(std::string_view name, std::uint32_t operand);
  // Defines label `id` in the current scope. False if the scope has a label of this name already, then
  // `earlier` is its id.
  bool define(std::string_view name, std::uint32_t id, std::uint32_t& earlier);
  // The label of this name in the current scope, no_id if it has none so far.
  std::uint32_t find_in_scope(std::string_view name) const;
  // Operand indices of references that no scope resolved, after the last scope closed.
  std::vector<std::uint32_t> unresolved() const;

private:
  struct Name {
    std::uint32_t references = no_id; // latest unresolved one, a list through Reference::next
    std::uint32_t definition = no_id; // innermost one in an open scope
  };
  struct Reference {
    std::uint32_t operand = 0;
    std::uint32_t next = no_id;
  };
  struct Definition {
    std::uint32_t name = 0;
    std::uint32_t id = 0;
    std::uint32_t scope = 0;
    std::uint32_t hidden = no_id; // definition of the same name in an outer scope
  };
  struct Scope {
    std::uint32_t first_reference = 0;
    std::uint32_t first_definition = 0;
    std::uint32_t serial = 0;
  };
  Name& name_of(std::string_view name, std::uint32_t& index);

  NameMap index_;
  std::vector<Name> names_;
  std::vector<Reference> references_;
  std::vector<Definition> definitions_; // of open scopes, innermost last
  std::vector<Scope> scopes_;
  std::uint32_t scopes_opened_ = 0;
};

} // namespace kerncast::ptx
