#include "json_tree.h"

#include <iterator>
#include <string>

#include <nlohmann/json.hpp>

namespace kerncast::ppt_gpu_2019 {
namespace {

// Reads the text for the library's parser and notes how far it has come: its events carry no places.
class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* position, const char** reached) : position_(position), reached_(reached) {}
  reference operator*() const { return *position_; }
  CountingIterator& operator++() {
    *reached_ = ++position_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.position_ == b.position_;
  }

private:
  const char* position_;
  const char** reached_;
};

bool is_number_character(char c) {
  return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E';
}

constexpr std::size_t max_depth = 64;

} // namespace

// Receives the parser's events. `reached` is just past the token of the event; after a number it may be one
// character further, since a number ends only where something else begins.
class JsonTreeBuilder {
public:
  using Json = nlohmann::json;

  JsonTreeBuilder(const SourceText& source, const char* const* reached) : source_(source), reached_(reached) {
    tree_.text_ = source.text();
  }

  bool null() { return literal(JsonKind::null, 4); }
  bool boolean(bool value) { return literal(JsonKind::boolean, value ? 4 : 5); }
  bool number_integer(Json::number_integer_t value) {
    return number(JsonKind::integer, static_cast<double>(value));
  }
  bool number_unsigned(Json::number_unsigned_t value) {
    return number(JsonKind::integer, static_cast<double>(value));
  }
  bool number_float(Json::number_float_t value, const std::string&) { return number(JsonKind::real, value); }
  bool string(std::string&) {
    const std::uint32_t end = offset() - 1;
    add(JsonKind::string, string_begin(end), end);
    return true;
  }
  bool binary(Json::binary_t&) { return false; } // never in a text
  bool start_object(std::size_t) { return open(JsonKind::object); }
  bool start_array(std::size_t) { return open(JsonKind::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string&) {
    key_end_ = offset() - 1;
    key_begin_ = string_begin(key_end_);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 9: syntax error while ..."
    const std::string_view text = error.what();
    const std::size_t colon = text.find(": ");
    const std::string_view reason = colon == std::string_view::npos ? text : text.substr(colon + 2);
    report(position == 0 ? 0 : position - 1, std::string(reason),
           "the file may be truncated or damaged: compare it with its origin");
    return false;
  }

  Expected<JsonTree> finish() && {
    if (!errors_.empty())
      return tl::unexpected(std::move(errors_));
    return std::move(tree_);
  }

private:
  struct Open {
    std::uint32_t node;
    std::uint32_t last_child = JsonNode::none;
  };

  std::uint32_t offset() const { return static_cast<std::uint32_t>(*reached_ - source_.text().data()); }

  void report(std::size_t position, std::string message, std::string note) {
    errors_.push_back(source_.error(source_.place(position), 1, std::move(message), {std::move(note)}));
  }

  // Start of the string that ends before `end`: just after the last quote that no backslash escapes.
  std::uint32_t string_begin(std::uint32_t end) const {
    const std::string_view text = source_.text();
    std::size_t quote = end;
    for (std::size_t backslashes = 1; backslashes % 2 == 1;) {
      quote = text.rfind('"', quote - 1);
      backslashes = 0;
      while (backslashes < quote && text[quote - 1 - backslashes] == '\\')
        ++backslashes;
    }
    return static_cast<std::uint32_t>(quote) + 1;
  }

  bool literal(JsonKind kind, std::uint32_t length) {
    add(kind, offset() - length, offset());
    return true;
  }

  bool number(JsonKind kind, double value) {
    const std::string_view text = source_.text();
    std::uint32_t end = offset();
    if (!is_number_character(text[end - 1]))
      --end;
    std::uint32_t begin = end;
    while (begin > 0 && is_number_character(text[begin - 1]))
      --begin;
    add(kind, begin, end).number = value;
    return true;
  }

  JsonNode& add(JsonKind kind, std::uint32_t begin, std::uint32_t end) {
    const auto index = static_cast<std::uint32_t>(tree_.nodes_.size());
    if (!open_.empty()) {
      Open& parent = open_.back();
      (parent.last_child == JsonNode::none ? tree_.nodes_[parent.node].first_child
                                           : tree_.nodes_[parent.last_child].next) = index;
      parent.last_child = index;
    }
    tree_.nodes_.push_back(
        {.kind = kind, .begin = begin, .end = end, .key_begin = key_begin_, .key_end = key_end_});
    return tree_.nodes_.back();
  }

  bool open(JsonKind kind) {
    if (open_.size() == max_depth) {
      report(offset() - 1, "nested too deeply", "published files nest four levels deep");
      return false;
    }
    add(kind, offset() - 1, offset());
    open_.push_back({static_cast<std::uint32_t>(tree_.nodes_.size() - 1)});
    return true;
  }

  bool close() {
    tree_.nodes_[open_.back().node].end = offset();
    open_.pop_back();
    return true;
  }

  const SourceText& source_;
  const char* const* reached_;
  JsonTree tree_;
  std::vector<Open> open_;
  std::uint32_t key_begin_ = 0;
  std::uint32_t key_end_ = 0;
  Diagnostics errors_;
};

std::string_view name(JsonKind kind) {
  static constexpr std::string_view names[] = {"null",   "a truth value", "a whole number", "a number",
                                               "a text", "a list",        "an object"};
  return names[static_cast<std::size_t>(kind)];
}

Expected<JsonTree> JsonTree::parse(const SourceText& source) {
  const char* begin = source.text().data();
  const char* end = begin + source.text().size();
  const char* reached = begin;
  JsonTreeBuilder builder(source, &reached);
  nlohmann::json::sax_parse(CountingIterator(begin, &reached), CountingIterator(end, &reached), &builder);
  return std::move(builder).finish();
}

const JsonNode* JsonTree::member(const JsonNode& object, std::string_view wanted) const {
  for (const JsonNode* child = first_child(object); child != nullptr; child = next(*child))
    if (key(*child) == wanted)
      return child;
  return nullptr;
}

} // namespace kerncast::ppt_gpu_2019
