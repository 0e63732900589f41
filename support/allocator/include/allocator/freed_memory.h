// What the process does with memory that it no longer needs.
#pragma once

namespace kerncast {

// Freed memory stays with the process. As it is, mimalloc returns what is not used again within milliseconds
// to the system, which zeroes it page by page when the next kernel needs it. Called by programs, once, at
// their start; does nothing with a sanitizer's allocator.
void keep_freed_memory();

} // namespace kerncast
