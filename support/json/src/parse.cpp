// From nlohmann's SAX events to a Tree. The parser reports no places, but it has accepted the token that
// it reports, so the token's extent in the text can be found again from where the last one ended.
#include "json/tree.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kerncast::json {
namespace {

bool separates(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':'; }

bool belongs_to_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == 'E' || c == '+' || c == '-' || c == '.';
}

// "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error while parsing value -
// unexpected end of input; expected ..." without its head and without the bytes last read (maybe binary).
std::string reason(std::string_view what) {
  for (const std::string_view head : {" - ", ": "})
    if (const std::size_t at = what.find(head); at != std::string_view::npos) {
      what.remove_prefix(at + head.size());
      break;
    }
  std::string text(what);
  const std::size_t read = text.find("; last read: ");
  if (read == std::string::npos)
    return text;
  const std::size_t expected = text.find("; expected ", read);
  return text.substr(0, read) + (expected == std::string::npos ? "" : text.substr(expected));
}

class SaxBuilder final : public nlohmann::json_sax<nlohmann::json> {
public:
  SaxBuilder(const SourceText& source, std::size_t begin, std::size_t end)
      : source_(source), text_(source.text().substr(0, end)), base_(begin), at_(begin) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text_.substr(at_).starts_with(byte_order_mark))
      at_ += byte_order_mark.size();
  }

  bool null() override {
    add(Kind::null);
    return true;
  }
  bool boolean(bool value) override {
    add(Kind::boolean).boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    if (value >= 0) // -0
      return number_unsigned(static_cast<number_unsigned_t>(value));
    add(Kind::negative).negative = value;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    add(Kind::natural).natural = value;
    return true;
  }
  bool number_float(number_float_t value, const string_t&) override {
    add(Kind::real).real = value;
    return true;
  }
  bool string(string_t& value) override { return add_string(Kind::string, value); }
  bool key(string_t& value) override { return add_string(Kind::key, value); }
  bool binary(binary_t&) override { return false; } // JSON text has none
  bool start_object(std::size_t) override { return open(Kind::object); }
  bool start_array(std::size_t) override { return open(Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    const std::size_t offset = base_ + (position == 0 ? 0 : position - 1);
    error_ = source_.error(source_.place(offset), 1, "not valid JSON: " + reason(e.what()),
                           {"the text ends early or was damaged; write it again"});
    return false;
  }

  Tree take_tree() { return std::move(tree_); }
  const Diagnostic& error() const { return error_; }

private:
  std::size_t token_end(Kind kind, std::size_t begin) const {
    std::size_t end = begin + 1;
    if (kind == Kind::array || kind == Kind::object)
      return end;
    if (kind == Kind::string || kind == Kind::key) {
      while (end < text_.size() && text_[end] != '"')
        end += text_[end] == '\\' ? 2 : 1;
      return end + 1;
    }
    while (end < text_.size() && belongs_to_word(text_[end]))
      ++end;
    return end;
  }

  std::size_t next_token() const {
    std::size_t begin = at_;
    while (begin < text_.size() && separates(text_[begin]))
      ++begin;
    return begin;
  }

  Node& add(Kind kind) {
    const std::size_t begin = next_token();
    at_ = token_end(kind, begin);
    Node& node = tree_.nodes.emplace_back();
    node.kind = kind;
    node.begin = static_cast<std::uint32_t>(begin);
    node.end = static_cast<std::uint32_t>(at_);
    node.after = static_cast<NodeId>(tree_.nodes.size());
    return node;
  }

  // Copied: the parser keeps its buffer for the next string.
  bool add_string(Kind kind, const string_t& value) {
    add(kind).string = static_cast<std::uint32_t>(tree_.strings.size());
    tree_.strings.push_back(value);
    return true;
  }

  bool open(Kind kind) {
    const Node& node = add(kind);
    if (open_.size() == max_depth) {
      error_ = error_at(source_, node, fmt::format("more than {} levels of nesting", max_depth),
                        {"a bracket before it may not be closed; events within events take two levels each"});
      return false;
    }
    open_.push_back(static_cast<NodeId>(tree_.nodes.size() - 1));
    return true;
  }

  bool close() {
    at_ = next_token() + 1;
    Node& node = tree_.nodes[open_.back()];
    open_.pop_back();
    node.end = static_cast<std::uint32_t>(at_);
    node.after = static_cast<NodeId>(tree_.nodes.size());
    return true;
  }

  const SourceText& source_;
  std::string_view text_;
  std::size_t base_; // where the parser began to count
  std::size_t at_;   // end of the last token
  Tree tree_;
  std::vector<NodeId> open_;
  Diagnostic error_;
};

} // namespace

Expected<Tree> parse(const SourceText& source, std::size_t begin, std::size_t end) {
  SaxBuilder builder(source, begin, end);
  const std::string_view text = source.text().substr(begin, end - begin);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
    return fail(builder.error());
  return builder.take_tree();
}

} // namespace kerncast::json
