// Bytes are unpacked as they were packed, and repetitions take little.
#include <gtest/gtest.h>

#include "support/packed_bytes.h"

namespace kerncast {
namespace {

TEST(packed_bytes, are_unpacked_as_they_were) {
  for (const std::string& bytes : {std::string(), std::string("\0a\xff", 3), std::string(1 << 20, 'x')})
    EXPECT_EQ(unpacked(packed(bytes)), bytes);
}

TEST(packed_bytes, of_repetitions_are_few) { EXPECT_LT(packed(std::string(1 << 20, 'x')).size(), 1000U); }

} // namespace
} // namespace kerncast
