// What unknown lanes have in common.
//
// A lane whose value is unknown holds the sum of an origin, of which nothing is known but whether another
// lane has the same, and a known part, which is what its slot holds. So the distance between lanes of one
// origin is known: all lanes load one unknown index, say, and add their own number to it.
//
// An origin is a number: a hash of how the value came about, and the largest power of two that it is known to
// be a multiple of. Sums with known values keep it, products with known factors turn it into another one,
// every other operation makes one of all its operands. Loads make one of their address; those from shared and
// local memory of the moment too, as it changes. Results from which no address is computed (address_slots.h)
// have none, and a known part of 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "address_slots.h"
#include "warp/lane_file.h"
#include "warp/program.h"
#include "warp_names.h"

namespace kerncast::slice {

using Origin = std::uint64_t;

// Binary logarithm of what an origin is a multiple of, in its lowest bits.
inline constexpr std::uint64_t scale_mask = 0x3f;
inline std::uint32_t scale_of(Origin origin) { return static_cast<std::uint32_t>(origin & scale_mask); }

// Of the lanes of a slot.
class LaneOrigins {
public:
  LaneOrigins() = default;
  explicit LaneOrigins(Origin of_all) : of_all_(of_all) {}
  explicit LaneOrigins(const Lanes<Origin>& by_lane);
  LaneOrigins(const LaneOrigins& other) { *this = other; }
  LaneOrigins& operator=(const LaneOrigins& other) {
    has_one_ = other.has_one_;
    of_all_ = other.of_all_;
    if (!has_one_) // else what stands there means nothing
      by_lane_ = other.by_lane_;
    return *this;
  }
  ~LaneOrigins() = default;

  Origin operator[](std::uint32_t lane) const { return has_one_ ? of_all_ : by_lane_[lane]; }
  // Whether all lanes have the same, which is then of_all().
  bool has_one() const { return has_one_; }
  Origin of_all() const { return of_all_; }
  void replace(LaneMask lanes, const LaneOrigins& by);

private:
  bool has_one_ = true;
  Origin of_all_ = 0;
  Lanes<Origin> by_lane_;
};

// What the unknown parts of all these lanes are multiples of.
std::uint64_t common_scale(LaneMask lanes, const LaneOrigins& origins);

class Origins {
public:
  static constexpr Origin none = 0; // the lane has nothing in common with any other

  explicit Origins(const Program& program);

  // Of a slot's unknown lanes; those of known lanes mean nothing.
  const LaneOrigins& of(SlotId slot) const { return pools_[static_cast<std::size_t>(slot.pool)][slot.index]; }
  void replace(SlotId slot, LaneMask lanes, const LaneOrigins& by) { at(slot).replace(lanes, by); }
  void forget(SlotId slot, LaneMask lanes) {
    if (lanes != 0 && followed_.contains(slot))
      replace(slot, lanes, {});
  }
  // Those of the registers, for a new warp; parameters that are not known are the same for all lanes.
  void forget_registers();
  // What a slot holds elsewhere.
  struct Held {
    LaneMask known = 0;
    std::span<const std::uint64_t> values; // of all lanes; of predicates one mask
    const LaneOrigins& origins;
  };
  // A slot that holds either what the file says, where `known`, or something else, nobody knows which, but
  // all lanes the same of both: lanes that differ by the same in both cases do so now.
  void join(SlotId slot, LaneMask lanes, LaneMask known, LaneFile& file, const Held& other);
  // What loads from memory that changes have in common from now on.
  void set_moment(std::uint64_t moment) { moment_ = moment; }

  // Executes an operation into slot `result` of its destination's pool, whose values and knowledge are then
  // as MicroOp::apply leaves them but for the known parts of unknown lanes. The origins become those of the
  // destination in the lanes that are written.
  void execute(const MicroOp& op, LaneMask lanes, LaneMask written, LaneFile& file, std::uint32_t result);

private:
  using Values = Lanes<std::uint64_t>;
  struct Source {
    LaneMask unknown = 0;
    Values values{};
    LaneOrigins origins;
  };
  using Sources = std::array<Source, 4>;

  static void apply(const MicroOp& op, LaneFile& file, std::uint32_t result);
  static void execute_alone(const MicroOp& op, LaneMask lanes, LaneFile& file, std::uint32_t result);
  LaneOrigins& at(SlotId slot) { return pools_[static_cast<std::size_t>(slot.pool)][slot.index]; }
  Sources sources_of(const MicroOp& op, LaneMask lanes, LaneFile& file) const;
  bool sources_have_one(const MicroOp& op, LaneMask lanes, LaneFile& file) const;
  std::optional<Origin> plain_sum(const MicroOp& op, LaneMask lanes, LaneFile& file, std::uint32_t result);
  std::optional<Origin> plain_hash(const MicroOp& op, LaneMask lanes, LaneFile& file) const;
  Lanes<Origin> hashed(const MicroOp& op, const Sources& sources, LaneMask lanes) const;
  Origin begin_hash(const MicroOp& op) const;
  static LaneMask unknown_sources(const MicroOp& op, LaneMask lanes, LaneFile& file);
  static LaneMask linear_lanes(const MicroOp& op, const Sources& sources);
  static Lanes<Origin> linear(const MicroOp& op, const Sources& sources, LaneFile& file,
                              std::uint32_t result);
  static Values factors(const MicroOp& op, SlotId moved, LaneFile& file, std::uint32_t result);

  const Program& program_;
  AddressSlots followed_;
  std::array<std::vector<LaneOrigins>, 4> pools_; // by Pool; the first is empty
  // By operation that only adds: the factors of its sources, once they are known.
  std::vector<std::optional<std::array<std::uint64_t, 4>>> factors_;
  std::uint64_t moment_ = 0;
};

} // namespace kerncast::slice
