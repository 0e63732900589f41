// Block by block: accesses and exits in instruction order, then the branch at the block's end.
#include "warp/decode.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "announced_shares.h"
#include "decode_image.h"
#include "decode_operation.h"
#include "tasklist/graph.h"
#include "warp/memory_use.h"

namespace kerncast::warp {
namespace {

// constant.kib of a GPU description is 1 at least.
constexpr std::uint64_t least_constant_cache_bytes = 1024;

using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using tasklist::Block;
using tasklist::Task;
using tasklist::Tasklist;

bool leaves_kernel(Opcode opcode) {
  return opcode == Opcode::ret || opcode == Opcode::exit || opcode == Opcode::trap;
}

// Lanes whose address an access reads: ldmatrix takes one row address from each of 8 lanes per matrix.
LaneMask address_lanes(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  if (instruction.opcode != Opcode::ldmatrix && instruction.opcode != Opcode::stmatrix)
    return all_lanes;
  const InstructionForm form = form_of(kernel, instruction);
  const bool has_16_rows = form.has(ptx::Modifier::m16n16); // each of its matrices
  if (form.has(ptx::Modifier::x1))
    return has_16_rows ? 0xffff : 0xff;
  return form.has(ptx::Modifier::x2) && !has_16_rows ? 0xffff : all_lanes;
}

// Hints do no harm outside of all buffers, nor does a cp.async that reads fewer bytes than it writes.
bool may_lie_outside(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
  case Opcode::prefetch:
  case Opcode::prefetchu:
  case Opcode::applypriority:
  case Opcode::discard:
    return true;
  case Opcode::cp:
    return kernel.operands(instruction).size() > 3;
  default:
    return false;
  }
}

// What the manual demands of the address of an instruction by itself: accesses that lowering made one are
// wider.
std::uint16_t alignment_of(const ptx::Function& kernel, const ptx::Instruction& instruction) {
  if (instruction.opcode != Opcode::ld && instruction.opcode != Opcode::st &&
      instruction.opcode != Opcode::atom && instruction.opcode != Opcode::red)
    return 1;
  std::uint32_t elements = 1;
  for (const ptx::Modifier m : kernel.modifiers(instruction))
    elements = m == ptx::Modifier::v2   ? 2
               : m == ptx::Modifier::v4 ? 4
               : m == ptx::Modifier::v8 ? 8
                                        : elements;
  const std::uint32_t bytes = ptx::size_bytes(form_of(kernel, instruction).type()) * elements;
  return static_cast<std::uint16_t>(std::max(1U, std::bit_floor(bytes)));
}

// Matrix fragments and texture coordinates give no byte address per lane.
bool has_lane_addresses(Opcode opcode) {
  switch (opcode) {
  case Opcode::wmma:
  case Opcode::wgmma:
  case Opcode::tex:
  case Opcode::tld4:
  case Opcode::suld:
  case Opcode::sust:
  case Opcode::sured:
    return false;
  default:
    return true;
  }
}

class Decoder {
public:
  Decoder(const ptx::Module& module, const ptx::Function& kernel, const Tasklist& list, Scope scope)
      : module_(module), kernel_(kernel), list_(list), scope_(scope),
        flow_(analyse_registers(kernel, list, scope)), program_(empty_program(module, kernel, list)),
        slots_(kernel, program_.memory, program_), operations_(kernel, flow_, slots_, program_, scope),
        shares_(announced_shares(kernel)) {}

  Program run() {
    program_.depends_on_data = flow_.slice_depends_on_loads;
    program_.depends_on_buffers = flow_.slice_depends_on_buffers;
    program_.has_texels = flow_.has_texels;
    program_.texels_depend_on_buffers = flow_.texels_depend_on_buffers;
    operations_.alias_constants();
    place_loops();
    for (const Block& block : list_.blocks)
      decode_block(block);
    const auto post_dominators = tasklist::immediate_post_dominators(list_.blocks);
    for (std::size_t b = 0; b < program_.blocks.size(); ++b)
      program_.blocks[b].terminator.reconvergence = post_dominators[b];
    find_loop_exits();
    collect_written_slots();
    if (scope_ == Scope::slice) {
      find_ways_to_members();
      find_address_parameters();
    }
    return std::move(program_);
  }

private:
  static Program empty_program(const ptx::Module& module, const ptx::Function& kernel, const Tasklist& list) {
    Program program;
    program.kernel = std::string(kernel.name);
    program.address_bits = module.address_bits;
    program.required_cluster = {kernel.cluster_ctas[0], kernel.cluster_ctas[1], kernel.cluster_ctas[2]};
    program.blocks_are_clusters = kernel.blocks_are_clusters;
    program.memory = map_memory(module, kernel, list);
    program.opaque = opaque_variables(module, program.memory);
    return program;
  }

  void place_loops() {
    loop_of_.assign(list_.blocks.size(), no_id);
    for (std::uint32_t l = 0; l < list_.loops.size(); ++l) {
      const tasklist::Loop& loop = list_.loops[l];
      LoopProgram decoded;
      decoded.header = loop.header;
      decoded.parent = loop.parent;
      decoded.depth = loop.parent == no_id ? 0 : program_.loops[loop.parent].depth + 1;
      decoded.label = list_.blocks[loop.header].label;
      decoded.line = list_.blocks[loop.header].line;
      program_.loops.push_back(std::move(decoded));
      for (const BlockId b : loop.blocks) // inner loops come later and win
        loop_of_[b] = l;
    }
  }

  void decode_block(const Block& block) {
    BlockProgram decoded;
    const auto id = static_cast<BlockId>(program_.blocks.size());
    decoded.first_step = static_cast<std::uint32_t>(program_.steps.size());
    decoded.loop = loop_of_[id];
    decoded.is_header = decoded.loop != no_id && list_.loops[decoded.loop].header == id;
    const auto tasks = list_.tasks_of(block);
    decoded.access_count = static_cast<std::uint16_t>(
        std::count_if(tasks.begin(), tasks.end(), [](const Task& t) { return t.access != UINT16_MAX; }));
    auto task = tasks.begin();
    const std::uint32_t end = block.first_instruction + block.instruction_count;
    for (std::uint32_t i = block.first_instruction; i < end; ++i) {
      for (; task != tasks.end() && (task->instruction == no_id || task->instruction <= i); ++task)
        if (task->access != UINT16_MAX)
          decode_access(*task);
      const bool traps = kernel_.instructions[i].opcode == Opcode::trap && scope_ == Scope::everything;
      if (!traps && leaves_kernel(kernel_.instructions[i].opcode) &&
          kernel_.instructions[i].guard != ptx::no_id)
        program_.steps.push_back(guarded_step(kernel_.instructions[i], slots_, Step::Kind::exit));
      decode_operation(i);
    }
    decoded.step_count = static_cast<std::uint32_t>(program_.steps.size()) - decoded.first_step;
    decoded.terminator = terminator_of(block);
    program_.blocks.push_back(std::move(decoded));
  }

  // The access of a fetch or bulk copy stands in front of it, unless nobody needs what it fetches.
  void decode_operation(std::uint32_t instruction) {
    const auto images = program_.images.size(), copies = program_.bulk_copies.size(),
               tiles = program_.tensor_copies.size();
    operations_.decode(instruction);
    if (program_.accesses.empty() || list_.tasks[program_.accesses.back().task].instruction != instruction)
      return;
    AccessStep& access = program_.accesses.back();
    if (access.is_bulk && program_.bulk_copies.size() + program_.tensor_copies.size() == copies + tiles)
      operations_.decode_bulk(kernel_.instructions[instruction]);
    const auto added = [](const auto& list, std::size_t before) {
      return list.size() > before ? static_cast<std::uint32_t>(before) : no_id;
    };
    access.image = added(program_.images, images);
    access.bulk_copy = added(program_.bulk_copies, copies);
    access.tensor_copy = added(program_.tensor_copies, tiles);
  }

  void decode_access(const Task& task) {
    const ptx::Instruction& instruction = kernel_.instructions[task.instruction];
    AccessStep access;
    access.access = task.access;
    access.bytes = task.access_bytes;
    access.space = task.space;
    access.may_miss_constants = task.space == tasklist::Space::constant &&
                                program_.memory.constant.bytes > least_constant_cache_bytes;
    access.line = instruction.place.line;
    access.task = static_cast<tasklist::TaskId>(&task - list_.tasks.data());
    access.address_lanes = address_lanes(kernel_, instruction);
    access.may_lie_outside = may_lie_outside(kernel_, instruction);
    access.alignment = alignment_of(kernel_, instruction);
    access.is_bulk = is_bulk_copy(kernel_, instruction);
    if (const auto share = shares_.find(task.instruction); share != shares_.end())
      access.announced = share->second;
    const Operand* address = address_operand(kernel_, instruction, task);
    access.address_known =
        address != nullptr && has_lane_addresses(instruction.opcode) && bind_address(*address, access);
    Step step = guarded_step(instruction, slots_, Step::Kind::access);
    step.index = static_cast<std::uint32_t>(program_.accesses.size());
    program_.steps.push_back(step);
    program_.accesses.push_back(access);
  }

  bool bind_address(const Operand& address, AccessStep& access) const {
    access.offset = static_cast<std::uint64_t>(address.value);
    if (address.id != ptx::no_id) {
      access.base = slots_.of_register(address.id);
      return access.base.pool == Pool::word || access.base.pool == Pool::longword;
    }
    if (address.name.empty())
      return true;
    const auto parameter = program_.memory.parameters.find(address.name);
    if (parameter != program_.memory.parameters.end()) {
      access.offset += parameter->second;
      return true;
    }
    const auto variable = program_.memory.address_of(address.name);
    access.offset += variable.value_or(0);
    return variable.has_value();
  }

  Terminator terminator_of(const Block& block) {
    Terminator t;
    t.next = block.successors.empty() ? no_id : block.successors.back();
    t.kind = block.successors.empty() ? Terminator::Kind::exit : Terminator::Kind::next;
    if (block.instruction_count == 0)
      return t;
    const ptx::Instruction& last =
        kernel_.instructions[block.first_instruction + block.instruction_count - 1];
    t.line = last.place.line;
    if (leaves_kernel(last.opcode) && last.guard == ptx::no_id)
      t.kind = Terminator::Kind::exit;
    if (last.opcode == Opcode::bra && last.guard != ptx::no_id && !block.successors.empty())
      make_conditional(t, last, block);
    if (last.opcode == Opcode::brx)
      make_indirect(t, last, block);
    return t;
  }

  void make_conditional(Terminator& t, const ptx::Instruction& branch, const Block& block) const {
    t.kind = Terminator::Kind::branch;
    t.guard = slots_.of_register(branch.guard);
    t.guard_negated = branch.guard_negated;
    t.taken = block.successors.front();
    const auto operands = kernel_.operands(branch);
    if (!operands.empty() && operands[0].kind == OperandKind::label)
      t.label = std::string(kernel_.labels[operands[0].id].name);
  }

  // brx.idx: the index picks a target. It has no guard: inlining branches around one that has. One that
  // inlining made of a call through a register also names the first function.
  void make_indirect(Terminator& t, const ptx::Instruction& branch, const Block& block) {
    t.kind = Terminator::Kind::indirect;
    const auto operands = kernel_.operands(branch);
    t.index = operands[0].kind == OperandKind::reg
                  ? slots_.of_register(operands[0].id)
                  : slots_.source(operands[0], ptx::Type::u32).value_or(SlotId{});
    t.calls = operands.size() > 2;
    if (t.calls) {
      t.first_index = *program_.memory.address_of(operands[2].name);
      t.index_step = function_stride;
    }
    auto successor = block.successors.begin();
    for (const Operand& target : kernel_.elements(operands[1]))
      t.targets.push_back(target.kind == OperandKind::label ? *successor++ : no_id);
  }

  bool loop_contains(std::uint32_t loop, BlockId block) const {
    const auto& blocks = list_.loops[loop].blocks;
    return std::binary_search(blocks.begin(), blocks.end(), block);
  }

  bool guard_depends_on_loads(BlockId b) const {
    const Block& block = list_.blocks[b];
    const auto& last = kernel_.instructions[block.first_instruction + block.instruction_count - 1];
    return flow_.depends_on_loads[last.guard];
  }

  void find_loop_exits() {
    std::vector<bool> counted(program_.loops.size(), false); // has an exit that does not depend on loads
    for (BlockId b = 0; b < program_.blocks.size(); ++b) {
      Terminator& t = program_.blocks[b].terminator;
      const std::uint32_t loop = program_.blocks[b].loop;
      if (t.kind != Terminator::Kind::branch || loop == no_id)
        continue;
      const bool taken_stays = loop_contains(loop, t.taken), next_stays = loop_contains(loop, t.next);
      if (taken_stays == next_stays)
        continue;
      t.exits_loop = loop;
      t.taken_exits = next_stays;
      t.tests_at_top = program_.blocks[b].is_header && (taken_stays ? t.taken : t.next) != b;
      if (!guard_depends_on_loads(b))
        counted[loop] = true;
    }
    for (BlockId b = 0; b < program_.blocks.size(); ++b) {
      Terminator& t = program_.blocks[b].terminator;
      t.loop_counts_elsewhere = t.exits_loop != no_id && counted[t.exits_loop] && guard_depends_on_loads(b);
    }
  }

  // Backwards from the blocks that have such operations.
  void find_ways_to_members() {
    std::vector<bool>& leads = program_.leads_to_members;
    for (const BlockProgram& block : program_.blocks) {
      const auto steps = std::span(program_.steps).subspan(block.first_step, block.step_count);
      leads.push_back(std::ranges::any_of(steps, [this](const Step& step) {
        return step.kind == Step::Kind::compute && program_.ops[step.index].has_members;
      }));
    }
    for (bool changed = true; std::exchange(changed, false);)
      for (std::size_t b = leads.size(); b-- > 0;) {
        const auto& successors = list_.blocks[b].successors;
        if (!leads[b] && std::ranges::any_of(successors, [&](BlockId s) { return leads[s]; }))
          leads[b] = changed = true;
      }
  }

  void find_address_parameters() {
    std::vector<tasklist::TaskId> tasks;
    for (const AccessStep& access : program_.accesses)
      tasks.push_back(access.task);
    program_.address_parameters = warp::address_parameters(module_, kernel_, list_, tasks);
  }

  void collect_written_slots() {
    for (std::uint32_t l = 0; l < program_.loops.size(); ++l)
      program_.loops[l].written = written_slots(program_, list_.loops[l].blocks);
  }

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  const Tasklist& list_;
  const Scope scope_;
  const RegisterFlow flow_;
  Program program_;
  SlotTable slots_;
  OperationDecoder operations_;
  const std::map<std::uint32_t, AnnouncedShare> shares_; // by instruction
  std::vector<std::uint32_t> loop_of_;                   // innermost, by block
};

} // namespace

std::vector<SlotId> written_slots(const Program& program, std::span<const BlockId> blocks) {
  std::vector<SlotId> written;
  for (const BlockId b : blocks) {
    const BlockProgram& block = program.blocks[b];
    for (std::uint32_t s = block.first_step; s < block.first_step + block.step_count; ++s)
      if (program.steps[s].kind == Step::Kind::compute)
        written.push_back(program.ops[program.steps[s].index].destination);
  }
  const auto order = [](SlotId a, SlotId b) {
    return std::pair(a.pool, a.index) < std::pair(b.pool, b.index);
  };
  std::sort(written.begin(), written.end(), order);
  written.erase(std::unique(written.begin(), written.end()), written.end());
  return written;
}

Program decode(const ptx::Module& module, const ptx::Function& kernel, const Tasklist& list, Scope scope) {
  return Decoder(module, kernel, list, scope).run();
}

} // namespace kerncast::warp
