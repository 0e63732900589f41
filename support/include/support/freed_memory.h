// What the process does with memory that it no longer needs.
#pragma once

namespace kerncast {

// Freed memory stays with the process, up to 64 MiB of each of glibc's arenas, of which processes of many
// threads have several. As it is, glibc returns it to the system after each kernel and gets it back, zeroed
// page by page, for the next one: half of a large kernel's lowering time. Called by programs, once, at their
// start; does nothing with other C libraries.
void keep_freed_memory();

} // namespace kerncast
