#include "video.h"

#include <algorithm>

#include "relation.h"
#include "warp/micro_op.h"

namespace kerncast::warp {
namespace {

using ptx::Modifier;
using ptx::Opcode;

using Wide128 = __int128;

enum class Operation : std::uint8_t { add, sub, absdiff, min, max, shl, shr, set, mad, average };
enum class Second : std::uint8_t { none, add, min, max };

struct VideoRow {
  Opcode opcode{};
  Operation operation{};
  std::uint8_t parts = 1;
};
constexpr VideoRow video_rows[] = {
    {Opcode::vadd, Operation::add},         {Opcode::vsub, Operation::sub},
    {Opcode::vabsdiff, Operation::absdiff}, {Opcode::vmin, Operation::min},
    {Opcode::vmax, Operation::max},         {Opcode::vshl, Operation::shl},
    {Opcode::vshr, Operation::shr},         {Opcode::vset, Operation::set},
    {Opcode::vmad, Operation::mad},         {Opcode::vadd2, Operation::add, 2},
    {Opcode::vsub2, Operation::sub, 2},     {Opcode::vabsdiff2, Operation::absdiff, 2},
    {Opcode::vmin2, Operation::min, 2},     {Opcode::vmax2, Operation::max, 2},
    {Opcode::vset2, Operation::set, 2},     {Opcode::vadd4, Operation::add, 4},
    {Opcode::vsub4, Operation::sub, 4},     {Opcode::vabsdiff4, Operation::absdiff, 4},
    {Opcode::vmin4, Operation::min, 4},     {Opcode::vmax4, Operation::max, 4},
    {Opcode::vset4, Operation::set, 4},     {Opcode::vavrg2, Operation::average, 2},
    {Opcode::vavrg4, Operation::average, 4}};

struct RelationRow {
  Modifier modifier{};
  Relation relation{};
};
constexpr RelationRow relations[] = {{Modifier::eq, Relation::eq}, {Modifier::ne, Relation::ne},
                                     {Modifier::lt, Relation::lt}, {Modifier::le, Relation::le},
                                     {Modifier::gt, Relation::gt}, {Modifier::ge, Relation::ge}};

// A part of a register: its lowest bit and width.
struct RegisterPart {
  std::string_view selector;
  std::uint8_t begin = 0;
  std::uint8_t bits = 32;
};
constexpr RegisterPart register_parts[] = {{"", 0, 32},    {".b0", 0, 8},  {".b1", 8, 8},  {".b2", 16, 8},
                                           {".b3", 24, 8}, {".h0", 0, 16}, {".h1", 16, 16}};

// MicroOp::immediate.
struct VideoForm {
  Operation operation{};
  Second second{};
  Relation relation{};
  bool a_signed = false, b_signed = false, d_signed = false;
  bool saturates = false;
  bool wraps = false; // shifts: the amount modulo 32
  std::uint8_t count = 1;
  std::uint8_t part_a = 0, part_b = 0, part_d = 0;
  // vmad
  std::uint8_t shift = 0; // right: 0, 7 or 15 bits
  bool plus_one = false, minus_product = false, minus_c = false;

  std::uint32_t packed() const {
    return static_cast<std::uint32_t>(operation) | static_cast<std::uint32_t>(second) << 4 |
           static_cast<std::uint32_t>(relation) << 6 | (a_signed ? 1U << 9 : 0) | (b_signed ? 1U << 10 : 0) |
           (d_signed ? 1U << 11 : 0) | (saturates ? 1U << 12 : 0) | (wraps ? 1U << 13 : 0) |
           std::uint32_t{count} << 14 | std::uint32_t{part_a} << 17 | std::uint32_t{part_b} << 20 |
           std::uint32_t{part_d} << 23 | (shift == 7 ? 1U << 26 : 0) | (shift == 15 ? 1U << 27 : 0) |
           (plus_one ? 1U << 28 : 0) | (minus_product ? 1U << 29 : 0) | (minus_c ? 1U << 30 : 0);
  }
  static VideoForm of(std::uint32_t bits) {
    VideoForm f;
    f.operation = static_cast<Operation>(bits & 15);
    f.second = static_cast<Second>(bits >> 4 & 3);
    f.relation = static_cast<Relation>(bits >> 6 & 7);
    f.a_signed = (bits >> 9 & 1) != 0;
    f.b_signed = (bits >> 10 & 1) != 0;
    f.d_signed = (bits >> 11 & 1) != 0;
    f.saturates = (bits >> 12 & 1) != 0;
    f.wraps = (bits >> 13 & 1) != 0;
    f.count = static_cast<std::uint8_t>(bits >> 14 & 7);
    f.part_a = static_cast<std::uint8_t>(bits >> 17 & 7);
    f.part_b = static_cast<std::uint8_t>(bits >> 20 & 7);
    f.part_d = static_cast<std::uint8_t>(bits >> 23 & 7);
    f.shift = (bits >> 26 & 1) != 0 ? 7 : (bits >> 27 & 1) != 0 ? 15 : 0;
    f.plus_one = (bits >> 28 & 1) != 0;
    f.minus_product = (bits >> 29 & 1) != 0;
    f.minus_c = (bits >> 30 & 1) != 0;
    return f;
  }
};

std::int64_t extracted(std::uint32_t word, std::uint32_t begin, std::uint32_t bits, bool is_signed) {
  const std::uint64_t top = std::uint64_t{word >> begin} << (64 - bits);
  return is_signed ? static_cast<std::int64_t>(top) >> (64 - bits)
                   : static_cast<std::int64_t>(top >> (64 - bits));
}

// The exact result; shifts stay below 2^63, since a has 32 bits.
std::int64_t computed(const VideoForm& f, std::int64_t a, std::int64_t b) {
  const std::int64_t by = f.wraps ? b & 31 : std::min<std::int64_t>(b & 0xffffffff, 32);
  switch (f.operation) {
  case Operation::add:
    return a + b;
  case Operation::sub:
    return a - b;
  case Operation::absdiff:
    return a < b ? b - a : a - b;
  case Operation::average: // halves away from zero
    return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
  case Operation::min:
    return std::min(a, b);
  case Operation::max:
    return std::max(a, b);
  case Operation::shl:
    return by == 32 ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << by);
  case Operation::shr:
    return a >> by;
  case Operation::set:
  case Operation::mad:
    break;
  }
  return holds_in_order(f.relation, a, b) ? 1 : 0;
}

std::int64_t limited(std::int64_t value, std::uint32_t bits, bool is_signed) {
  const std::int64_t span = std::int64_t{1} << bits;
  return is_signed ? std::clamp(value, -span / 2, span / 2 - 1)
                   : std::clamp<std::int64_t>(value, 0, span - 1);
}

std::int64_t joined(const VideoForm& f, std::int64_t value, std::int64_t c) {
  switch (f.second) {
  case Second::add:
    return value + c;
  case Second::min:
    return std::min(value, c);
  case Second::max:
    return std::max(value, c);
  case Second::none:
    break;
  }
  return value;
}

// vmad: the sum is exact, then shifted, and signed if an operand or a minus is.
std::uint32_t multiplied(const VideoForm& f, std::int64_t a, std::int64_t b, std::uint32_t c) {
  const bool is_signed = f.a_signed || f.b_signed || f.minus_product || f.minus_c;
  const Wide128 product = Wide128{a} * b, addend = extracted(c, 0, 32, is_signed);
  const Wide128 sum =
      (f.minus_product ? -product : product) + (f.minus_c ? -addend : addend) + (f.plus_one ? 1 : 0);
  const Wide128 shifted = sum >> f.shift;
  if (!f.saturates)
    return static_cast<std::uint32_t>(shifted);
  const Wide128 least = is_signed ? INT32_MIN : 0,
                most = is_signed ? Wide128{INT32_MAX} : Wide128{UINT32_MAX};
  return static_cast<std::uint32_t>(std::clamp(shifted, least, most));
}

std::uint32_t of_one_part(const VideoForm& f, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const RegisterPart &from_a = register_parts[f.part_a], &from_b = register_parts[f.part_b],
                     &to = register_parts[f.part_d];
  const std::int64_t of_a = extracted(a, from_a.begin, from_a.bits, f.a_signed);
  const std::int64_t of_b = extracted(b, from_b.begin, from_b.bits, f.b_signed);
  if (f.operation == Operation::mad)
    return multiplied(f, of_a, of_b, c);
  std::int64_t value = computed(f, of_a, of_b);
  if (f.saturates)
    value = limited(value, to.bits, f.d_signed);
  value = joined(
      f, f.second == Second::none ? value : extracted(static_cast<std::uint32_t>(value), 0, 32, f.d_signed),
      extracted(c, 0, 32, f.d_signed));
  if (to.bits == 32)
    return static_cast<std::uint32_t>(value);
  const std::uint32_t mask = ((1U << to.bits) - 1) << to.begin; // the rest is c
  return (c & ~mask) | (static_cast<std::uint32_t>(value) << to.begin & mask);
}

std::uint32_t of_several_parts(const VideoForm& f, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t bits = 32U / f.count, mask = (1U << bits) - 1;
  std::uint32_t result = f.second == Second::add ? c : 0;
  for (std::uint32_t begin = 0; begin < 32; begin += bits) {
    std::int64_t value =
        computed(f, extracted(a, begin, bits, f.a_signed), extracted(b, begin, bits, f.b_signed));
    if (f.saturates)
      value = limited(value, bits, f.d_signed);
    if (f.second == Second::add)
      result += static_cast<std::uint32_t>(value);
    else
      result |= (static_cast<std::uint32_t>(value) & mask) << begin;
  }
  return result;
}

void apply(LaneFile& file, const MicroOp& op, std::uint32_t destination) {
  const VideoForm f = VideoForm::of(op.immediate);
  LaneMask known = all_lanes;
  for (std::uint32_t s = 0; s < 3; ++s)
    known &= file.lanes_known<std::uint32_t>(op.sources[s].index);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    const auto at = [&](std::uint32_t s) { return file.lanes<std::uint32_t>(op.sources[s].index)[i]; };
    const std::uint32_t a = at(0), b = at(1), c = at(2);
    file.lanes<std::uint32_t>(destination)[i] =
        f.count == 1 ? of_one_part(f, a, b, c) : of_several_parts(f, a, b, c);
  }
  file.lanes_known<std::uint32_t>(destination) = known;
}

const VideoRow* video_row(Opcode opcode) {
  for (const VideoRow& row : video_rows)
    if (row.opcode == opcode)
      return &row;
  return nullptr;
}

std::optional<std::uint8_t> part_of(std::string_view selector) {
  for (std::uint8_t p = 0; p < std::size(register_parts); ++p)
    if (register_parts[p].selector == selector)
      return p;
  return std::nullopt;
}

Second second_of(const InstructionForm& form) {
  if (form.has(Modifier::add))
    return Second::add;
  if (form.has(Modifier::min))
    return Second::min;
  return form.has(Modifier::max) ? Second::max : Second::none;
}

} // namespace

std::optional<Video> select_video(const InstructionForm& form) {
  const VideoRow* row = video_row(form.opcode);
  const bool sets = row != nullptr && row->operation == Operation::set;
  if (row == nullptr || form.type_count != (sets ? 2U : 3U))
    return std::nullopt;
  VideoForm f;
  f.operation = row->operation;
  f.count = row->parts;
  f.second = second_of(form);
  for (const RelationRow& relation : relations)
    if (form.has(relation.modifier))
      f.relation = relation.relation;
  f.d_signed = !sets && ptx::is_signed(form.types[0]);
  f.a_signed = ptx::is_signed(form.types[sets ? 0 : 1]);
  f.b_signed = ptx::is_signed(form.types[sets ? 1 : 2]);
  f.saturates = form.has(Modifier::sat);
  f.wraps = form.has(Modifier::wrap);
  f.shift = form.has(Modifier::shr7) ? 7 : form.has(Modifier::shr15) ? 15 : 0;
  f.plus_one = form.has(Modifier::po);
  return Video{apply, f.packed(), row->parts == 1};
}

std::uint32_t with_signs(std::uint32_t immediate, bool minus_product, bool minus_c) {
  VideoForm f = VideoForm::of(immediate);
  f.minus_product = minus_product;
  f.minus_c = minus_c;
  return f.packed();
}

std::optional<std::uint32_t> with_selectors(std::uint32_t immediate, std::string_view d, std::string_view a,
                                            std::string_view b) {
  const auto part_d = part_of(d), part_a = part_of(a), part_b = part_of(b);
  if (!part_d || !part_a || !part_b)
    return std::nullopt;
  VideoForm f = VideoForm::of(immediate);
  f.part_d = *part_d;
  f.part_a = *part_a;
  f.part_b = *part_b;
  return f.packed();
}

} // namespace kerncast::warp
