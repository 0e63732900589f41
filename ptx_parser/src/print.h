// The parts of the printer: each appends the text of one thing to `out`.
#pragma once

#include <string>

#include "ptx_parser/module.h"

namespace kerncast::ptx {

// `.global .align 4 .f32 table[2] = {...}`, without the end of the statement.
void print_variable(const Variable& variable, std::string& out);
// `(.param .u64 a, .param .u32 b)`
void print_parameters(const std::vector<Variable>& parameters, std::string& out);
void print_abi(const AbiDirectives& abi, std::string& out);
// A declaration or a definition.
void print_function(const Module& module, const Function& function, std::string& out);
void print_instruction(const Function& function, const Instruction& instruction, std::string& out);
void print_pragma(const Pragma& pragma, std::string& out);
void print_file(const SourceFileName& file, std::string& out);
// ".visible ", or nothing for internal linkage.
void print_linkage(Linkage linkage, std::string& out);

} // namespace kerncast::ptx
