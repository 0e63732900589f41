# Writes a header into OUTPUT that defines NAME as a hash of the FILES.
set(hashes "")
foreach(file ${FILES})
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 version)
file(WRITE ${OUTPUT} "// Generated: changes with every line of the sources that it stands for.\n#pragma once\n\n"
  "inline constexpr const char* ${NAME} = \"${version}\";\n")
