// Kernels by name: as the PTX spells it, or as the user's C++ source does.
#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

#include <fmt/format.h>

#include "lowering/lower.h"
#include "support/suggest.h"

namespace kerncast::lowering {

namespace {

// "void ns::k<int>(float*)" for a mangled name; empty for any other.
std::string demangled(std::string_view name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? std::string(text.get()) : std::string{};
}

// The text outside of <...> and (...), without return type: "ns::k".
std::string plain_name(const std::string& signature) {
  std::string plain;
  int depth = 0;
  for (const char c : signature) {
    depth += c == '<' || c == '(';
    if (depth == 0) {
      plain += c;
    }
    depth -= c == '>' || c == ')';
  }
  return plain.substr(plain.rfind(' ') + 1);
}

std::string unqualified(const std::string& plain) {
  const std::size_t colons = plain.rfind("::");
  return colons == std::string::npos ? plain : plain.substr(colons + 2);
}

bool is_source_name(const ptx::Function& entry, std::string_view name) {
  const std::string signature = demangled(entry.name);
  if (signature.empty()) {
    return false;
  }
  const std::string plain = plain_name(signature);
  return name == signature || name == plain || name == unqualified(plain);
}

std::string listed(const std::vector<const ptx::Function*>& entries) {
  std::string text;
  for (const ptx::Function* entry : entries) {
    const std::string signature = demangled(entry->name);
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", entry->name,
                        signature.empty() ? "" : fmt::format(" ({})", signature));
  }
  return text;
}

tl::unexpected<Diagnostics> refuse(const ptx::Module& module, std::string message,
                                   std::vector<std::string> notes) {
  Diagnostic diagnostic;
  diagnostic.file = module.source ? module.source->name() : std::string{};
  diagnostic.message = std::move(message);
  diagnostic.notes = std::move(notes);
  return fail(std::move(diagnostic));
}

tl::unexpected<Diagnostics> unknown_kernel(const ptx::Module& module,
                                           const std::vector<const ptx::Function*>& entries,
                                           std::string_view name) {
  std::vector<std::string> names;
  for (const ptx::Function* entry : entries) {
    names.emplace_back(entry->name);
    names.push_back(unqualified(plain_name(demangled(entry->name))));
  }
  std::vector<std::string> notes;
  if (const std::string near = nearest(name, names); !near.empty()) {
    notes.push_back(fmt::format("did you mean '{}'?", near));
  }
  notes.push_back("the kernels of this module are: " + listed(entries));
  return refuse(module, fmt::format("there is no kernel '{}'", name), std::move(notes));
}

} // namespace

Expected<const ptx::Function*> select_kernel(const ptx::Module& module, std::string_view name) {
  std::vector<const ptx::Function*> entries, matches;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) {
      continue;
    }
    if (function.name == name) {
      return &function;
    }
    entries.push_back(&function);
    if (name.empty() || is_source_name(function, name)) {
      matches.push_back(&function);
    }
  }
  if (entries.empty()) {
    return refuse(module, "this module has no kernel (.entry with a body)", {});
  }
  if (matches.size() == 1) {
    return matches.front();
  }
  if (matches.empty()) {
    return unknown_kernel(module, entries, name);
  }
  return refuse(module,
                name.empty() ? fmt::format("this module has {} kernels", matches.size())
                             : fmt::format("'{}' names {} kernels", name, matches.size()),
                {"choose one of: " + listed(matches)});
}

} // namespace kerncast::lowering
