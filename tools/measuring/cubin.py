"""What a cubin (CUDA's ELF) says about its kernels: machine instructions, registers, stack, operations.

Only what 16-byte instructions (sm_70 and later) show by themselves: the low 9 bits name the operation. Not a
disassembler; operands are looked at only where they decide the class (an IMAD of RZ is a move).
"""

import collections
import dataclasses
import struct

INSTRUCTION_BYTES = 16
NOP, BRA, PREFIX = 0x118, 0x147, ".text."
MOVING = (0x024, 0x031, 0x035)  # IMAD and HFMA2, which ptxas also uses to copy and to load constants
ZERO_REGISTER = 255
REGISTER_COUNT, FRAME_SIZE = 0x2F04, 0x1104  # attributes of .nv.info: (symbol, value)


@dataclasses.dataclass
class Kernel:
    instructions: int  # without trailing no-ops and the final branch to itself
    registers: int
    stack: int         # bytes per thread
    operations: collections.Counter  # low 9 bits; MOVE for one of MOVING that only moves


MOVE = 0x1024  # not an encoding: has a bit above the nine


@dataclasses.dataclass
class Section:
    name: str
    flags: int
    begin: int
    size: int
    info: int


def _sections(data):
    table, = struct.unpack_from("<Q", data, 0x28)
    entry, count, names = struct.unpack_from("<HHH", data, 0x3A)
    raw = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * entry) for i in range(count)]

    def name(offset):
        begin = raw[names][4] + offset
        return data[begin:data.index(b"\0", begin)].decode()
    return [Section(name(s[0]), s[2], s[4], s[5], s[7]) for s in raw]


def _attributes(data, info):
    """(attribute, symbol) -> value for the attributes with two words."""
    values, at, end = {}, info.begin, info.begin + info.size
    while at + 4 <= end:
        code, size = struct.unpack_from("<HH", data, at)
        at += 4
        if code & 0xFF != 0x04:  # the value is in the size field
            continue
        if size == 8:
            symbol, value = struct.unpack_from("<II", data, at)
            values[code, symbol] = value
        at += size
    return values


def _code(data, text):
    words = [struct.unpack_from("<QQ", data, text.begin + i) for i in range(0, text.size, INSTRUCTION_BYTES)]
    while words and words[-1][0] & 0x1FF == NOP:
        words.pop()
    if words and words[-1][0] & 0x1FF == BRA:
        words.pop()
    return words


def _operation(low, high):
    operation = low & 0x1FF
    first, third = low >> 24 & 0xFF, high & 0xFF
    second_is_zero = (low >> 9 & 7) == 1 and (low >> 32 & 0xFF) == ZERO_REGISTER
    moves = first == ZERO_REGISTER and (third == ZERO_REGISTER or second_is_zero or operation == 0x035)
    return MOVE if operation in MOVING and moves else operation


def kernels(path):
    """Kernel name -> Kernel, for the entries of a cubin."""
    with open(path, "rb") as file:
        data = file.read()
    sections = {s.name: s for s in _sections(data)}
    attributes = _attributes(data, sections[".nv.info"])
    found = {}
    for section in sections.values():
        name = section.name.removeprefix(PREFIX)
        if name == section.name or f".nv.constant0.{name}" not in sections:
            continue  # a function that kernels call
        symbol = section.info & 0xFFFFFF
        code = _code(data, section)
        found[name] = Kernel(len(code), attributes.get((REGISTER_COUNT, symbol), 0),
                             attributes.get((FRAME_SIZE, symbol), 0),
                             collections.Counter(_operation(*word) for word in code))
    return found
