#include "support/freed_memory.h"

#include <cstdlib> // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace kerncast {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int mib = 1 << 20;
  mallopt(M_TRIM_THRESHOLD, 64 * mib);
  mallopt(M_MMAP_THRESHOLD, 32 * mib); // larger pieces are always returned: the most that glibc takes
#endif
}

} // namespace kerncast
