// What fuzzing does with a text.
#pragma once

#include <string>

namespace kerncast::application {

// Whether it is an application. Aborts where an error has no place or no words, or where what can be read
// does not happen in a finite time.
bool read_any(const std::string& name, const std::string& text);

} // namespace kerncast::application
