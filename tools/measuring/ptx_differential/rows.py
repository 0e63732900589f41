"""Statements made from the rows of the parser's syntax table, and the module around one."""

from measuring.common import program, run

DECLARED = "u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 b128 f32 f64 pred".split()


def statements(each, seed):
    """`each` statements of every row, without those that come out the same."""
    return list(dict.fromkeys(run([program("ptx_differential"), "rows", seed, each]).stdout.splitlines()))


def module(statement, target):
    declarations = "\n".join(f".reg .{t} r_{t};" for t in DECLARED)
    return (f".version 9.0\n.target {target}\n.address_size 64\n.const .b32 cst[4];\n"
            ".entry k(.param .b64 prm)\n{\n.local .b64 loc[4];\n"
            f"{declarations}\nL:\n{statement}\nret;\n}}\n")
