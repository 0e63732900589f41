// Block scaling of mma (PTX ISA, section 9.7.14.3): d = (a scale_a) (b scale_b) + c.
#include "warp/matrix_op.h"

namespace kerncast::warp {
namespace {

// Of groups of four lanes: a pair gives the factors of rows g and g + 8, one lane those of column g.
std::uint32_t giving_lane(bool of_rows, std::uint32_t line, std::uint32_t thread_id) {
  return of_rows ? 4 * (line % 8) + 2 * (thread_id & 1) + line / 8 : 4 * line + (thread_id & 3);
}

std::uint32_t value(LaneFile& file, SlotId slot) { return file.lanes<std::uint32_t>(slot.index)[0]; }

} // namespace

void scale_lines(const BlockScale& scale, bool of_rows, std::uint32_t columns, std::vector<double>& values,
                 LaneFile& file) {
  if (scale.parts == 0)
    return;
  const auto rows = static_cast<std::uint32_t>(values.size() / columns);
  const std::uint32_t depth = of_rows ? columns : rows, part = depth / scale.parts;
  const std::uint32_t first_bit = 8 * (value(file, scale.first_byte) & 3);
  for (std::uint32_t line = 0; line < values.size() / depth; ++line) {
    const std::uint32_t lane = giving_lane(of_rows, line, value(file, scale.lanes));
    const std::uint32_t factors = file.lanes<std::uint32_t>(scale.factors.index)[lane] >> first_bit;
    for (std::uint32_t k = 0; k < depth; ++k)
      values[of_rows ? line * columns + k : k * columns + line] *=
          decode_element(factors >> (8 * (k / part)) & 0xff, scale.element);
  }
}

} // namespace kerncast::warp
