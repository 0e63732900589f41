#include "announced_shares.h"

#include <vector>

#include "register_flow.h"
#include "select_operation.h"

namespace kerncast::warp {
namespace {

struct Announcement {
  AnnouncedShare share;
  std::vector<std::uint32_t> copies;
};

std::vector<Announcement> announcements_of(const ptx::Function& kernel) {
  std::vector<Announcement> found(1); // what comes before all announcements
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const ptx::Instruction& instruction = kernel.instructions[i];
    const InstructionForm form = form_of(kernel, instruction);
    const auto operands = kernel.operands(instruction);
    if (instruction.opcode == ptx::Opcode::mbarrier && form.has(ptx::Modifier::expect_tx)) {
      const bool is_constant = !operands.empty() && operands.back().kind == ptx::OperandKind::integer;
      const auto bytes = is_constant ? static_cast<std::uint64_t>(operands.back().value) : 0;
      found.push_back({{bytes, instruction.place.line}, {}});
    } else if (is_bulk_copy(kernel, instruction) && form.has(ptx::Modifier::mbarrier_complete_tx_bytes)) {
      found.back().copies.push_back(i);
    }
  }
  return found;
}

} // namespace

std::map<std::uint32_t, AnnouncedShare> announced_shares(const ptx::Function& kernel) {
  std::map<std::uint32_t, AnnouncedShare> shares;
  for (const Announcement& announcement : announcements_of(kernel))
    for (const std::uint32_t copy : announcement.copies)
      shares[copy] = {announcement.share.bytes / announcement.copies.size(), announcement.share.line};
  return shares;
}

} // namespace kerncast::warp
