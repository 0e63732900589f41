# Writes a header with a hash of the FILES into OUTPUT.
set(hashes "")
foreach(file ${FILES})
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 version)
file(WRITE ${OUTPUT} "// Generated: changes with every line of what predicts.\n#pragma once\n\n"
  "inline constexpr const char* model_version = \"${version}\";\n")
