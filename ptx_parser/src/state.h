// What the parser's functions share: the token at hand, the module so far, names in scope, errors.
//
// A parsing function returns false after it has reported an error; its caller recovers at the end of the
// statement.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "labels.h"
#include "lexer.h"
#include "names.h"
#include "numbered_names.h"
#include "ptx_parser/parser.h"
#include "signature.h"
#include "since.h"

namespace kerncast::ptx {

struct State {
  State(const SourceText& source_text, const ParseOptions& options);

  const SourceText& source;
  Lexer lexer;
  Token now;
  Module module;
  Function* function = nullptr; // whose body is being parsed
  SymbolTable module_symbols;
  SymbolTable local_symbols;
  SymbolTable local_ranges; // `%r<9>`, by their stem: `.reg .b32 a<3>, a;` declares four registers
  ShortNameCache stems{local_ranges};
  NameMap bodies;    // functions that have one, with its line
  NameMap addressed; // names in module.addressed
  NumberedRegisters numbered_registers;
  NumberedNames numbered_names;    // of local_symbols
  bool has_hidden_numbers = false; // `.reg .b32 r<9>; { .shared .b32 r5; }`
  NameMap misdeclared;             // by wrong declarations: 0 outside functions, or the function's number
  NameMap misdeclared_ranges;      // the same of `%r<9>`, by their stem
  std::uint32_t open_braces = 0;   // of operands in the statement at hand, for recovery
  std::uint32_t indexed_operand = no_id; // in `scratch`: `array[1]`, which ld and st take for an address
  std::uint32_t source_line = no_id;     // of the latest .loc
  Labels labels;
  std::vector<Range> branch_targets;       // .branchtargets lists of this function, in its operand pool
  std::deque<std::string> generated_names; // that `L<4>` stands for
  SignatureCache signatures;
  std::uint64_t functions_parsed = 0;
  std::uint64_t initial_bytes = 0; // of all variables so far
  std::vector<Operand> scratch;    // operands of the instruction at hand
  // Lent to every body, so that pools neither grow anew nor keep more than they need.
  struct Pools {
    TreeVector<Operand> operands;
    TreeVector<Instruction> instructions;
    TreeVector<Register> registers;
    TreeVector<Label> labels;
    TreeVector<Modifier> modifiers;
    TreeVector<Item> items;
    TreeVector<SourceLine> source_lines;
    TreeVector<RegisterDeclaration> register_declarations;
  } spare;
  const char* brace_of_line = nullptr; // see estimate_body
  std::size_t body_bytes = 0;          // of the body at hand, as estimated; 0 if there is no telling

  Diagnostics errors;
  std::size_t error_limit = 0;
  std::size_t warnings_left_out = 0; // beyond the limit
  bool stopped = false;              // too many errors, or the text ended inside a comment or string

  void advance() { lexer.next(now); }
  // Up to the next line that begins with '}'.
  void estimate_body();
  // Reports an error with what to do about it; always false, to be returned.
  bool error(Place at, std::size_t length, std::string message, std::vector<std::string> notes);
  // Notes that `feature` is newer than .version or .target, once a line.
  void warn_newer(Place at, std::string_view feature, const Lack& lack);
  // The same for the directive at hand.
  void check_since();
  Offer offer() const { return {module.version_major * 100 + module.version_minor, module.target}; }
  bool error_here(std::string message, std::vector<std::string> notes);
  bool accept(char punctuation) {
    if (!now.is(punctuation))
      return false;
    advance();
    return true;
  }
  // The punctuation or an error that says what it should follow.
  bool expect(char punctuation, std::string_view after) {
    return accept(punctuation) || error_missing(punctuation, after);
  }
  bool expect_word(std::string_view what, Token& token);
  // A word that a declaration may give something as its name: any but `_`.
  bool expect_name(std::string_view what, Token& token);
  // Adds to the items of the body at hand, or of the module outside bodies.
  void note(ItemKind kind, std::size_t index);
  const Symbol* find_symbol(std::string_view name) const;
  // Notes that the name is used as a value, if it is a function's.
  void take_address(const Symbol& symbol, std::string_view name);
  // Notes that a wrong declaration was to declare this name, or registers with this stem.
  void misdeclare(std::string_view name, bool is_range);
  bool is_misdeclared(std::string_view name) const;
  // An error for a name that nothing declares, with the nearest name in scope; none if a wrong declaration,
  // which has an error of its own, was to declare it. Always false.
  bool undeclared(const Token& name, std::string_view what);
  // A name in scope that is much like this one, empty if there is none.
  std::string nearest_name(std::string_view wanted) const;
  // Searching near names for very many errors would take longer than it helps.
  bool has_many_errors() const { return errors.size() >= 100; }

private:
  bool report_lexer_error();
  bool error_missing(char punctuation, std::string_view after);
};

// Length of a token for underlining.
std::size_t length_of(const Token& token);
// The token as a reader would name it: 'add', "end of file".
std::string describe(const Token& token);

} // namespace kerncast::ptx
