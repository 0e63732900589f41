// Vocabulary of PTX operations as far as a tasklist needs it (PTX ISA 9.2, chapter 9). Rows with a part
// ("bar" + "warp") come before the row of the bare opcode; the first row that fits decides.
#include "tasklist/operation.h"

#include <algorithm>
#include <array>

namespace kerncast::tasklist {

namespace {

using enum TaskKind;

struct Row {
  std::string_view opcode;
  std::string_view part; // "" fits every operation of the opcode
  TaskKind kind;
  bool has_result;
  bool side_effect;
  Space default_space = Space::none; // memory operations that name no state space
};

constexpr Row rows[] = {
    // Data movement (9.7.9)
    {"ld", "", load, true, false, Space::generic},
    {"ldu", "", load, true, false, Space::generic},
    {"st", "", store, false, true, Space::generic},
    {"prefetch", "", load, false, true, Space::generic},
    {"prefetchu", "", load, false, true, Space::generic},
    {"discard", "", compute, false, true},
    {"applypriority", "", compute, false, true},
    {"multimem", "ld_reduce", load, true, true, Space::global},
    {"multimem", "red", reduction, false, true, Space::global},
    {"multimem", "st", store, false, true, Space::global},
    {"multimem", "cp", load, false, true, Space::global},
    {"cp", "commit_group", compute, false, true},
    {"cp", "wait_group", fence, false, true},
    {"cp", "wait_all", fence, false, true},
    {"cp", "mbarrier", compute, false, true},
    {"cp", "", load, false, true, Space::global},
    {"tensormap", "", compute, false, true},
    {"stackrestore", "", compute, false, true},
    // Textures and surfaces (9.7.10, 9.7.11)
    {"tex", "", load, true, false, Space::texture},
    {"tld4", "", load, true, false, Space::texture},
    {"suld", "", load, true, false, Space::texture},
    {"sust", "", store, false, true, Space::texture},
    {"sured", "", reduction, false, true, Space::texture},
    // Control flow (9.7.12)
    {"bra", "", branch, false, true},
    {"brx", "", branch, false, true},
    {"call", "vprintf", compute, true, true},
    {"call", "malloc", compute, true, true},
    {"call", "free", compute, false, true},
    {"call", "__assertfail", compute, false, true},
    {"call", "", branch, true, true},
    {"ret", "", exit, false, true},
    {"exit", "", exit, false, true},
    {"trap", "", exit, false, true},
    // Synchronization and atomics (9.7.13)
    {"bar", "warp", warp_sync, false, true},
    {"bar", "red", barrier, true, true},
    {"bar", "", barrier, false, true},
    {"barrier", "red", barrier, true, true},
    {"barrier", "", barrier, false, true},
    {"membar", "", fence, false, true},
    {"fence", "", fence, false, true},
    {"atom", "", atomic, true, true, Space::generic},
    {"red", "", reduction, false, true, Space::generic},
    {"vote", "", warp_sync, true, true},
    {"shfl", "", warp_sync, true, true},
    {"match", "", warp_sync, true, true},
    {"redux", "", warp_sync, true, true},
    {"elect", "", warp_sync, true, true},
    {"activemask", "", compute, true, true},
    {"griddepcontrol", "", compute, false, true},
    {"mbarrier", "init", store, false, true, Space::shared},
    {"mbarrier", "inval", store, false, true, Space::shared},
    {"mbarrier", "arrive", atomic, true, true, Space::shared},
    {"mbarrier", "arrive_drop", atomic, true, true, Space::shared},
    {"mbarrier", "expect_tx", reduction, false, true, Space::shared},
    {"mbarrier", "complete_tx", reduction, false, true, Space::shared},
    {"mbarrier", "test_wait", load, true, true, Space::shared},
    {"mbarrier", "try_wait", load, true, true, Space::shared},
    {"clusterlaunchcontrol", "try_cancel", load, false, true, Space::global},
    // Matrices (9.7.14 to 9.7.16)
    {"wmma", "load", load, true, false, Space::generic},
    {"wmma", "store", store, false, true, Space::generic},
    {"ldmatrix", "", load, true, false, Space::shared},
    {"stmatrix", "", store, false, true, Space::shared},
    {"wgmma", "fence", fence, false, true},
    {"wgmma", "wait_group", fence, false, true},
    {"wgmma", "commit_group", compute, false, true},
    {"wgmma", "mma_async", compute, true, true},
    {"tcgen05", "ld", compute, true, true},
    {"tcgen05", "wait::ld", fence, false, true},
    {"tcgen05", "wait::st", fence, false, true},
    {"tcgen05", "fence::before_thread_sync", fence, false, true},
    {"tcgen05", "fence::after_thread_sync", fence, false, true},
    {"tcgen05", "", compute, false, true},
    // Miscellaneous (9.7.19)
    {"nanosleep", "", compute, false, true},
    {"pmevent", "", compute, false, true},
    {"brkpt", "", compute, false, true},
    {"setmaxnreg", "", compute, false, true},
};

template <class T> struct Named {
  std::string_view name;
  T value;
};

constexpr Named<Space> spaces[] = {
    {"global", Space::global},      {"shared", Space::shared},
    {"shared::cta", Space::shared}, {"shared::cluster", Space::shared},
    {"local", Space::local},        {"const", Space::constant},
    {"param", Space::param},        {"param::entry", Space::param},
    {"param::func", Space::param},
};

constexpr Named<std::uint16_t> type_bytes[] = {
    {"b8", 1},     {"u8", 1},  {"s8", 1},  {"b16", 2}, {"u16", 2}, {"s16", 2},   {"f16", 2},
    {"bf16", 2},   {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4}, {"tf32", 4},  {"f16x2", 4},
    {"bf16x2", 4}, {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8}, {"f32x2", 8}, {"b128", 16},
};

constexpr Named<std::uint16_t> counts[] = {{"v2", 2}, {"v4", 4}, {"v8", 8}, {"x1", 1}, {"x2", 2}, {"x4", 4}};

// Ordered accesses that no optimisation may drop.
constexpr std::string_view ordered[] = {"volatile", "relaxed", "acquire", "mmio"};

template <class T> const Named<T>* find(std::span<const Named<T>> table, std::string_view name) {
  const auto row = std::find_if(table.begin(), table.end(), [&](const auto& r) { return r.name == name; });
  return row == table.end() ? nullptr : &*row;
}

bool has_part(std::string_view operation, std::string_view wanted) {
  bool found = false;
  for_each_part(operation, [&](std::string_view part) { found = found || part == wanted; });
  return found;
}

// The first row of each opcode, by the opcode's first letter.
class FirstRows {
public:
  FirstRows() {
    for (const Row* row = std::begin(rows); row != std::end(rows); ++row) {
      if (row == std::begin(rows) || row[-1].opcode != row->opcode) {
        by_letter_[letter(row->opcode)].push_back(row);
      }
    }
  }
  const Row* find(std::string_view opcode) const {
    for (const Row* row : by_letter_[letter(opcode)]) {
      if (row->opcode == opcode) {
        return row;
      }
    }
    return nullptr;
  }

private:
  static constexpr std::size_t letters = 32;
  static std::size_t letter(std::string_view opcode) {
    return opcode.empty() ? 0 : static_cast<unsigned char>(opcode[0]) % letters;
  }
  std::array<std::vector<const Row*>, letters> by_letter_;
};

const Row* find_row(std::string_view operation) {
  static const FirstRows first_rows;
  const std::string_view opcode = operation.substr(0, operation.find('.'));
  for (const Row* row = first_rows.find(opcode);
       row != nullptr && row != std::end(rows) && row->opcode == opcode; ++row) {
    if (row->part.empty() || has_part(operation, row->part)) {
      return row;
    }
  }
  return nullptr;
}

// Types: of loads, stores and atomics the last one named; of textures, which name the coordinates' type
// last, the first. Matrix loads move 4 bytes per lane and 8x8 matrix, barrier objects have 8 bytes.
std::uint16_t access_bytes(std::string_view operation, const Row& row) {
  if (row.opcode == "mbarrier") {
    return 8;
  }
  if (row.opcode == "wmma") { // the fragment's registers say it
    return 0;
  }
  const bool matrix = row.opcode == "ldmatrix" || row.opcode == "stmatrix";
  std::uint16_t type = matrix ? 4 : 0, count = 1;
  for_each_part(operation, [&](std::string_view part) {
    if (const auto* size = find<std::uint16_t>(type_bytes, part);
        size && !matrix && (type == 0 || row.default_space != Space::texture)) {
      type = size->value;
    }
    if (const auto* vector = find<std::uint16_t>(counts, part)) {
      count = vector->value;
    }
  });
  return static_cast<std::uint16_t>(type * count);
}

// cp names its destination's space first; a copy out of shared memory is a store. Prefetches name where from
// only; copies between CTAs' shared memory stay there.
void describe_copy(std::string_view operation, OperationTraits& traits) {
  Space first = Space::none;
  bool is_global = false;
  for_each_part(operation, [&](std::string_view part) {
    const auto* space = find<Space>(spaces, part);
    first = space && first == Space::none ? space->value : first;
    is_global |= space && space->value == Space::global;
  });
  const bool is_load = first != Space::global || has_part(operation, "prefetch");
  traits.kind = has_part(operation, "reduce") ? reduction : is_load ? load : store;
  traits.space = is_global || first == Space::none ? Space::global : Space::shared;
  traits.access_bytes = 0;
}

void describe_memory(std::string_view operation, const Row& row, OperationTraits& traits) {
  traits.space = row.default_space;
  for_each_part(operation, [&](std::string_view part) {
    if (const auto* space = find<Space>(spaces, part)) {
      traits.space = space->value;
    }
    traits.side_effect |= std::find(std::begin(ordered), std::end(ordered), part) != std::end(ordered);
  });
  traits.access_bytes = access_bytes(operation, row);
  if (row.opcode == "cp" || row.part == "cp") {
    describe_copy(operation, traits);
  }
}

constexpr std::array kind_names = {"compute", "load",  "store",     "atomic", "reduction",
                                   "barrier", "fence", "warp_sync", "branch", "exit"};
constexpr std::array space_names = {"none",     "global", "shared",  "local",
                                    "constant", "param",  "texture", "generic"};
constexpr std::array class_names = {"predicate", "b16", "b32", "b64", "b128"};

} // namespace

OperationTraits traits_of(std::string_view operation) {
  OperationTraits traits;
  const Row* row = find_row(operation);
  if (row == nullptr) {
    return traits;
  }
  traits.kind = row->kind;
  traits.has_result = row->has_result;
  traits.side_effect = row->side_effect;
  if (is_memory(row->kind)) {
    describe_memory(operation, *row, traits);
  }
  return traits;
}

std::uint32_t accesses_of(const Tasklist& list, BlockId block) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      list.tasks_of(list.blocks[block]), [](const Task& task) { return is_memory(task.kind); }));
}

std::string_view name(TaskKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }
std::string_view name(Space space) { return space_names[static_cast<std::size_t>(space)]; }
std::string_view name(ValueClass value_class) { return class_names[static_cast<std::size_t>(value_class)]; }

bool passes_l1_by(const Tasklist& list, const Task& task) {
  constexpr std::string_view words[] = {"cg", "cv", "volatile", "relaxed", "acquire", "bulk"};
  const auto words_end = std::end(words);
  bool found = false;
  for_each_part(list.operations[task.operation], [&](std::string_view part) {
    const bool is_own = task.space == Space::local && part == "volatile";
    found = found || (!is_own && std::find(std::begin(words), words_end, part) != words_end);
  });
  return found;
}

ComputeClass compute_class(std::string_view operation) {
  // Opcodes of the special function unit (PTX ISA 9.7.3: the approximations of transcendental functions).
  constexpr std::string_view special_functions[] = {"sin",  "cos",   "lg2",  "ex2", "rcp",
                                                    "sqrt", "rsqrt", "tanh", "SFU"};
  constexpr std::string_view floats[] = {"f32", "f16", "f16x2", "bf16", "bf16x2", "tf32", "f32x2", "fALU"};
  const auto contains = [](const auto& table, std::string_view word) {
    return std::find(std::begin(table), std::end(table), word) != std::end(table);
  };
  bool is_double = false, is_float = false;
  for_each_part(operation, [&](std::string_view part) {
    is_double = is_double || part == "f64" || part == "dALU";
    is_float = is_float || contains(floats, part);
  });
  if (is_double)
    return ComputeClass::dalu;
  if (contains(special_functions, operation.substr(0, operation.find('.'))))
    return ComputeClass::sfu;
  return is_float ? ComputeClass::falu : ComputeClass::ialu;
}

} // namespace kerncast::tasklist
