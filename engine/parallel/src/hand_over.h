// What happened before a call, on any thread, is visible after a later call on another.
#pragma once

namespace kerncast::parallel {

void hand_over();

} // namespace kerncast::parallel
