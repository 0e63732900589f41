// Constants as a tasklist writes them, each text once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program.h"
#include "tasklist/id_table.h"
#include "tasklist/text_index.h"

namespace kerncast::lowering {

class ConstantIds {
public:
  // Nobody else changes `texts`, where they are collected.
  explicit ConstantIds(std::vector<std::string>& texts) : texts_(texts) {}

  // Place of the constant's text.
  std::uint32_t of(const Constant& constant) {
    return constant.text.empty() ? of_number(constant) : of_text(constant);
  }

private:
  // A number or a parameter whose text is written.
  struct Number {
    std::uint64_t bits = 0;
    Constant::Kind kind = Constant::Kind::integer;
    std::uint32_t id = no_id;
  };
  std::uint32_t of_number(const Constant& constant);
  std::uint32_t of_text(const Constant& constant);
  void write(const Constant& constant);

  std::vector<std::string>& texts_;
  tasklist::TextIndex places_;
  std::vector<Number> numbers_;
  tasklist::IdTable number_ids_;
  std::string text_; // of the constant at hand
};

} // namespace kerncast::lowering
