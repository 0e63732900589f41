// Whole numbers written as expressions over names: "= 8192 / ranks", "= (rank + 1) % ranks".
//
//   or  and  not  < <= > >= == !=  + -  * / // %  -x  (x)  min(a, b, ...) max(a, b, ...)
//
// `/` divides without a rest or not at all, `//` rounds down, `%` is what that leaves: never negative for a
// positive divisor. Conditions are 1 and 0.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace kerncast::application {

// What begins an expression in a file.
inline constexpr char expression_mark = '=';

using ValueOfName = std::function<std::optional<std::int64_t>(std::string_view name)>;

// `text` without the mark. Otherwise what is wrong with it, in words.
tl::expected<std::int64_t, std::string> evaluate(std::string_view text, const ValueOfName& value_of);

// Calls f(name) for each name in it, functions and operators among them.
void for_each_name(std::string_view text, const std::function<void(std::string_view)>& f);

} // namespace kerncast::application
