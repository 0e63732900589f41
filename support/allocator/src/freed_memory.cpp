#include "allocator/freed_memory.h"

#ifdef KERNCAST_MIMALLOC
#include <mimalloc.h>
#endif

namespace kerncast {

void keep_freed_memory() {
#ifdef KERNCAST_MIMALLOC
#if MI_MALLOC_VERSION >= 210
  mi_option_set_default(mi_option_purge_delay, -1);
#else
  mi_option_set_default(mi_option_allow_decommit, 0);
#endif
#endif
}

} // namespace kerncast
