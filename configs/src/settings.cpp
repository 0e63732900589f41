// --set KEY=VALUE.
#include <fmt/format.h>

#include "configs/loader.h"
#include "trimmed.h"

namespace kerncast::configs {

Expected<Setting> parse_setting(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view key = trimmed(text.substr(0, equals));
  const std::string_view value = // may be empty, as some texts are
      equals == std::string_view::npos ? std::string_view{} : trimmed(text.substr(equals + 1));
  if (key.empty() || equals == std::string_view::npos)
    return fail(fmt::format("--set: '{}' is not KEY=VALUE", text), "for example: --set clock_mhz=1560");
  return Setting{std::string(key), std::string(value)};
}

} // namespace kerncast::configs
