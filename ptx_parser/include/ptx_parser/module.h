// The syntax tree of a PTX module, close to the text: what the file says, with places, nothing derived.
//
// Names are views into the module's own copy of the source text, so a Module can be moved but its text
// stays where it is. Registers are resolved: every use of a register is an index into Function::registers
// (inline-assembly scopes with equal names give different registers). Labels likewise.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"

#include "ptx_parser/opcode.h"
#include "ptx_parser/tree_memory.h"

namespace kerncast::ptx {

// Half-open range of elements in one of Function's pools.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

using RegisterId = std::uint32_t;
using LabelId = std::uint32_t;
inline constexpr std::uint32_t no_id = UINT32_MAX;

// A register that a function's body names. Of `.reg .b32 %r<9>` only the registers in use are listed.
struct Register {
  std::string_view name; // with its number for `.reg .b32 %r<9>` registers: "%r7"
  Type type = Type::none;
  std::uint8_t vector_length = 1; // 2 or 4 for `.reg .v4 .f32 v`
  Place place;                    // of the declaration; of the first use for numbered registers
};

// An address in a variable's initial value: `= {table, f+8, generic(x), 0xFF00(y)}`.
struct InitialAddress {
  std::uint64_t offset = 0; // in the variable, bytes
  std::uint32_t bytes = 8;  // stored there
  std::string_view symbol;
  std::int64_t addend = 0;
  bool is_generic = false; // generic(symbol)
  std::uint64_t mask = 0;  // 0xFF00(symbol) stores this byte of the address; 0: the whole address
};

enum class Linkage : std::uint8_t { internal, visible, external, weak, common };

// A named piece of memory: .param, .shared, .local, .global, .const variables.
struct Variable {
  std::string_view name;
  Space space = Space::none;
  Type type = Type::none;
  std::uint32_t vector_length = 1;
  std::uint32_t alignment = 0;           // bytes; 0: the type's own
  std::optional<std::uint64_t> elements; // array length; empty for unsized arrays (extern shared)
  bool is_array = false;
  bool is_extern = false;
  bool is_pointer = false;             // .ptr attribute of a kernel parameter
  Space pointee = Space::none;         // .ptr .global: where it points to
  std::uint32_t pointee_alignment = 0; // bytes; 0: .ptr without .align
  Linkage linkage = Linkage::internal;
  // Initial value, little-endian; bytes behind the last one written are zero.
  std::vector<std::uint8_t> initial_bytes;
  std::vector<InitialAddress> initial_addresses;
  // As written, since nothing depends on them: `.managed` in .attribute(.managed), and the braces of a
  // sampler's or texture's fields.
  std::string_view attributes;
  std::string_view opaque_value;
  Place place;
  // Bytes occupied; 0 for unsized arrays.
  std::uint64_t bytes() const;
};

enum class OperandKind : std::uint8_t {
  reg,              // id
  integer,          // value (two's complement in 64 bits)
  real,             // real, from a decimal, 0f or 0d literal
  symbol,           // name: variable or function used as a value
  special,          // name, for example "%tid.x"
  address,          // [base + offset]; base is a register (id) or a symbol (name) or nothing.
                    // Coordinates behind the base, [tex, sampler, {x, y}], are its elements
  vector,           // {a, b, ...}: elements in Function::operand_pool
  label,            // id
  sink,             // _
  destination_pair, // d|p: elements[0] and elements[1]
};

// A module's operands are most of its memory, so what excludes each other shares `value`.
struct Operand {
  OperandKind kind = OperandKind::sink;
  bool negated = false;      // !p, a minus in front of a register, or an address's .unified
  bool is_single = false;    // real: a 0f literal, whose bits are `value`
  bool has_elements = false; // vector, destination_pair, address with coordinates: `value` is their range
  std::uint32_t id = no_id;  // reg, address with register base: RegisterId; label: LabelId
  std::int64_t value = 0;    // integer: the value; symbol, address: the offset in bytes; real: its bits
  std::string_view name;     // symbol, special, address with symbol base; selector ".x" of `reg`
  Place place;

  double real() const {
    return is_single ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value)))
                     : std::bit_cast<double>(value);
  }
  // In Function::operand_pool; none for operands that have none.
  Range elements() const {
    const auto bits = static_cast<std::uint64_t>(value);
    return has_elements ? Range{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)}
                        : Range{};
  }
  void set_elements(Range range) {
    has_elements = true;
    value = static_cast<std::int64_t>(std::uint64_t{range.count} << 32 | range.begin);
  }
  // Of an address, in bytes; those with coordinates have none.
  std::int64_t offset() const { return has_elements ? 0 : value; }
};

// Operands stand in the order written, with two exceptions that make them uniform:
//   call:    {results}, callee, {arguments} and, if written, the prototype or target list as a symbol;
//            results and arguments are vectors, empty where none are written
//   brx.idx: index, {labels of its .branchtargets list}; the vector has the list's name
struct Instruction {
  Opcode opcode{};
  bool guard_negated = false;
  RegisterId guard = no_id; // @p; no_id: unconditional
  Range modifiers; // in Function::modifier_pool, in the order written: for ld.global.v4.f32 global, v4, f32
  Range operands;  // in Function::operand_pool
  Place place;     // of the opcode
  std::uint32_t source = no_id; // index into Function::source_lines (.loc), no_id without line information
};

// A .loc directive: the user's own source line.
struct SourceLine {
  std::uint32_t file = 0; // number of the .file directive
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t inlined = no_id; // index into Function::inlined_places
};

// `, function_name LABEL + 4, inlined_at FILE LINE COLUMN` behind a .loc.
struct InlinedPlace {
  std::string_view function_name; // label in .debug_str; empty if not given
  std::uint32_t function_name_offset = 0;
  bool has_place = false;
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct Label {
  std::string_view name;
  std::uint32_t instruction =
      no_id; // index of the instruction that follows; == instructions.size() at the end
  Place place;
};

// .pragma "nounroll"; in a function's body.
struct Pragma {
  std::string_view text;
  std::uint32_t instruction = 0; // index of the instruction that follows
  Place place;
};

// A name of a `.reg` directive, also where the body uses none of its registers.
struct RegisterDeclaration {
  std::string_view name;
  Type type = Type::none;
  std::uint8_t vector_length = 1;
  std::uint32_t count = no_id; // of `%r<9>`; no_id: one register
};

// `list: .branchtargets A, B;`
struct BranchTargets {
  std::string_view name;
  Range labels; // in Function::operand_pool
};

// `list: .calltargets f, g;`
struct CallTargets {
  std::string_view name;
  std::vector<std::string_view> functions;
};

// What a function asks of the ABI.
struct AbiDirectives {
  bool is_noreturn = false;                          // .noreturn
  std::uint32_t preserved_registers = no_id;         // .abi_preserve; no_id: absent
  std::uint32_t preserved_control_registers = no_id; // .abi_preserve_control
};

// `name: .callprototype (results) _ (parameters) .noreturn;`
struct Prototype {
  std::string_view name;
  std::string_view callee; // "_" as a rule
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  AbiDirectives abi;
};

// What stands between instructions, or outside functions; `index` counts in the list of its kind.
enum class ItemKind : std::uint8_t {
  open_scope,  // {
  close_scope, // }
  label,
  loc,
  pragma,
  registers,
  variable, // of a module: in Module::globals
  branch_targets,
  call_targets,
  prototype,
  file,     // in Module::files
  verbatim, // in Module::verbatim
  function,
  alias,
};
struct Item {
  ItemKind kind{};
  std::uint32_t index = 0;
  std::uint32_t instruction = 0; // index of the instruction that follows
};

struct Function {
  std::string_view name;
  Linkage linkage = Linkage::internal;
  bool is_entry = false;
  bool has_body = false; // false: declaration only
  Place place;
  std::vector<Variable> parameters;        // of .entry in order; for .func the inputs
  std::vector<Variable> return_parameters; // of .func
  std::vector<Variable> variables;         // .shared, .local and .param declared in the body
  TreeVector<Register> registers;
  TreeVector<Label> labels;
  TreeVector<Instruction> instructions;
  TreeVector<SourceLine> source_lines;
  // Performance directives; 0 where absent.
  std::uint32_t max_threads[3] = {0, 0, 0};      // .maxntid
  std::uint32_t required_threads[3] = {0, 0, 0}; // .reqntid
  std::uint32_t min_ctas_per_sm = 0;             // .minnctapersm
  std::uint32_t max_registers = 0;               // .maxnreg
  std::uint32_t cluster_ctas[3] = {0, 0, 0};     // .reqnctapercluster
  std::uint32_t max_cluster_ctas = 0;            // .maxclusterrank
  std::uint32_t max_ctas_per_sm = 0;             // .maxnctapersm
  bool is_explicit_cluster = false;              // .explicitcluster
  bool blocks_are_clusters = false;              // .blocksareclusters
  AbiDirectives abi;
  std::vector<std::string_view> languages; // of each .language, as written
  std::string_view attributes;             // of .attribute( ), as written
  std::vector<Pragma> pragmas;             // those between signature and body first
  // What the body holds beside instructions, in the order written: every scope, declaration, label and .loc.
  TreeVector<Item> items;
  TreeVector<RegisterDeclaration> register_declarations;
  std::vector<BranchTargets> branch_targets;
  std::vector<CallTargets> call_targets;
  std::vector<Prototype> prototypes;
  std::vector<InlinedPlace> inlined_places;
  // Pools that ranges point into.
  TreeVector<Operand> operand_pool;
  TreeVector<Modifier> modifier_pool;

  std::span<const Operand> operands(const Instruction& i) const {
    return std::span(operand_pool).subspan(i.operands.begin, i.operands.count);
  }
  std::span<const Operand> elements(const Operand& o) const {
    const Range range = o.elements();
    return std::span(operand_pool).subspan(range.begin, range.count);
  }
  // The elements of a vector, or the operand itself, which must outlive them.
  std::span<const Operand> parts(const Operand& o) const {
    return o.kind == OperandKind::vector ? elements(o) : std::span(&o, 1);
  }
  std::span<const Modifier> modifiers(const Instruction& i) const {
    return std::span(modifier_pool).subspan(i.modifiers.begin, i.modifiers.count);
  }
  bool has(const Instruction& i, Modifier wanted) const {
    return std::ranges::find(modifiers(i), wanted) != modifiers(i).end();
  }
};

struct SourceFileName {
  std::uint32_t number = 0;
  std::string_view path;
  std::string_view time_stamp; // as written; empty if not given
  std::string_view bytes;      // the file's size, as written; empty if not given
};

// .alias name, aliasee;
struct Alias {
  std::string_view name;
  std::string_view aliasee;
  Place place;
};

struct Module {
  std::shared_ptr<const SourceText> source; // keeps every string_view of the tree alive
  std::shared_ptr<TreeMemory> memory;       // of the functions: one moved out of the module needs it too
  std::uint32_t version_major = 0;
  std::uint32_t version_minor = 0;
  std::string_view target;                      // "sm_75"
  std::vector<std::string_view> target_options; // what else .target lists: "debug"
  std::uint32_t address_bits = 64;              // .address_size
  bool has_address_size = false;                // .address_size is written
  std::vector<SourceFileName> files;
  std::vector<Variable> globals; // module-scope .global, .const, .shared and extern variables
  std::vector<Function> functions;
  std::vector<Alias> aliases;
  std::vector<std::string_view> addressed; // functions and aliases used as a value, in the order seen
  std::vector<Pragma> pragmas;             // outside functions
  std::vector<std::string_view> verbatim;  // .section with its data, @@DWARF lines: as written
  // All of these in the order written; a declaration is seen by what stands below it.
  TreeVector<Item> items;
  Diagnostics warnings;

  // For errors; an empty one where the module has none.
  const SourceText& text() const;
  const Function* find(std::string_view name) const;         // definition first, else declaration, else null
  const Function* find_aliased(std::string_view name) const; // the same of an alias's function
};

} // namespace kerncast::ptx
