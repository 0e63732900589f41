// Every statement about one GPU, from its files and from --set, merged: the latest one of a key counts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "configs/gpu.h"
#include "configs/loader.h"
#include "document.h"

namespace kerncast::configs {

class Statements {
public:
  // Layers as read_layers gives them; every entry of every layer is checked against the key table.
  Statements(const std::vector<Document>& layers, const std::vector<Setting>& settings, Diagnostics& errors);

  // The statement that counts for a key, null if there is none.
  const Entry* find(const std::string& key) const;
  bool is_set(const std::string& key) const; // stated by --set
  const std::vector<std::string>& unit_names() const { return unit_names_; }
  const std::map<std::string, Entry>& all() const { return stated_; }

private:
  void withdraw_limits();
  void withdraw_farther(const std::string& key); // unless the same file or --set states it
  void add(const Entry& entry, Diagnostics& errors);
  void add_setting(const Setting& setting, Diagnostics& errors);

  std::map<std::string, Entry> stated_;
  std::size_t layer_ = 0;               // of the entries being added
  std::vector<std::string> unit_names_; // in the order of their first statement, base files first
};

Diagnostic missing_key(const std::string& file, std::string_view key, std::string_view meaning);

// The GPU that the statements describe; missing keys are errors of `file`.
Gpu build_gpu(const Statements& statements, const std::string& name, const std::string& file,
              Diagnostics& errors);

} // namespace kerncast::configs
