// What kerncast prints, run in the source folder so that no machine's path appears in it.
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace kerncast {

using Json = nlohmann::json;

inline std::string output_of(const std::string& arguments) {
  const std::string command = std::string("cd '") + KERNCAST_SOURCE_DIR + "' && '" + KERNCAST_BINARY_DIR +
                              "/bin/kerncast' " + arguments;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr)
    return "kerncast could not be started";
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), got);
  const int status = pclose(pipe);
  return status == 0 ? text : text + "\nexit status " + std::to_string(status);
}

} // namespace kerncast
