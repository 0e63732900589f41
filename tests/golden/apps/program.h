// Runs the program as a user does and keeps all that it says.
#pragma once

#include <string>

#include "../../temporary_folder.h"

namespace kerncast::test {

struct Ended {
  int exit_code = -1;
  std::string out;
  std::string err;
};

// `arguments` as a shell reads them; `before` stands before the program's name ("mpirun -n 2", "VAR=x").
// Standard output goes to `out_file` if one is named.
Ended kerncast(const std::string& arguments, const std::string& before = {},
               const std::string& out_file = {});

// Any command line for a shell.
Ended run(const std::string& command, const std::string& out_file = {});

// What stands before the program's name to run it on `ranks` ranks of one machine. Open MPI leaves memory
// behind, which the address sanitizer of the dev build would report at the end.
std::string on_ranks(int ranks);

// A test's folder and the files in it.
class Folder {
public:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string write(const std::string& name, const std::string& contents) const;
  std::size_t entries() const;

private:
  TemporaryFolder folder_;
};

std::string read(const std::string& path);
// A file of tests/data/apps.
std::string data(const std::string& name);

} // namespace kerncast::test
